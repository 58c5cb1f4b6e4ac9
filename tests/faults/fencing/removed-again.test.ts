/**
 * A try of a call that created something arrives after the thing was removed (D493): late on the
 * way, at whatever owner, or a day later under its `Idempotency-Key`. It has the answer of the
 * first one, and nothing is there again.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { purgeCompleted } from '../../../actors/outbox/completed.ts';
import { StaleState } from '../../../actors/runtime/kind.ts';
import { IDEMPOTENCY_RETENTION_MS, LASTING_COMMAND_RETENTION_MS } from '../../../shared/limits.ts';
import type { AddFile, RemoveFile } from '../../../shared/wire/library-commands.ts';
import { watched } from './model-store.ts';
import { answerOf, organizationOwner } from './organization-owner.ts';

const FILE: AddFile = {
  ...{ id: 'cmd_add', type: 'add-file', fileId: 'fil_1', name: 'tabela.png' },
  ...{ mimeType: 'image/png', sizeBytes: 12, contentDigest: '0'.repeat(64) },
};
const REMOVE_FILE: RemoveFile = { id: 'cmd_remove', type: 'remove-file', fileId: FILE.fileId };

function filesOf({ id, database }: ReturnType<typeof organizationOwner>): readonly unknown[] {
  return Reflect.get(database.byId('organizations', id) ?? {}, 'files');
}

for (const [how, lateMs] of [
  ['a moment after its removal', 700],
  ['a day after it', IDEMPOTENCY_RETENTION_MS],
] as const) {
  test(`a file is not there again for a try of its call ${how}`, async () => {
    const shop = organizationOwner({});
    const owner = shop.open();
    const first = await answerOf(owner, FILE, true);
    assert.equal(first.status, 201);
    assert.equal((await answerOf(owner, REMOVE_FILE)).status, 200);
    shop.clock.advance(lateMs);
    await purgeCompleted(shop.environment);
    for (const [late, repeat] of [
      [owner, false],
      [shop.open(), true],
    ] as const) {
      const { status, body } = await answerOf(late, FILE, repeat);
      assert.equal(status, 201);
      assert.deepEqual(
        Object.keys(JSON.parse(body).data),
        Object.keys(JSON.parse(first.body).data),
      );
      assert.deepEqual(filesOf(shop), []);
    }
  });
}

test('what a removal leaves of a file goes when no try of its call can arrive', async () => {
  const shop = organizationOwner({});
  const owner = shop.open();
  await answerOf(owner, FILE);
  await answerOf(owner, REMOVE_FILE);
  assert.equal(shop.database.all('completedCommands').length, 1);
  shop.clock.advance(LASTING_COMMAND_RETENTION_MS);
  await purgeCompleted(shop.environment);
  assert.deepEqual(shop.database.all('completedCommands'), []);
});

test('a file whose removal failed half-way stays, and is removed later', async () => {
  let fails = false;
  const shop = organizationOwner({}, (store) =>
    watched(store, {
      commit: ([write]) => {
        const isOfOrganization = write && 'update' in write && write.update === 'organizations';
        if (fails && isOfOrganization) throw new StaleState('organization');
      },
    }),
  );
  await answerOf(shop.open(), FILE);
  fails = true;
  await assert.rejects(answerOf(shop.open(), REMOVE_FILE), StaleState);
  fails = false;
  assert.equal(filesOf(shop).length, 1);
  assert.equal((await answerOf(shop.open(), FILE, true)).status, 201);
  assert.equal(filesOf(shop).length, 1);
  assert.equal((await answerOf(shop.open(), REMOVE_FILE, true)).status, 200);
  assert.equal((await answerOf(shop.open(), FILE, true)).status, 201);
  assert.deepEqual(filesOf(shop), []);
});
