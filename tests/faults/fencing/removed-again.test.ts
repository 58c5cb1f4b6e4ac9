/**
 * A try of a call that created something arrives after the thing was removed (D493): late on the
 * way, at whatever owner, or a day later under its `Idempotency-Key`. It has the answer of the
 * first one, and nothing is there again.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MemberEntry } from '../../../actors/domain/organization.ts';
import { purgePeople } from '../../../actors/organization/people-retention.ts';
import { purgeQuickReplies } from '../../../actors/organization/quick-replies.ts';
import { purgeCompleted } from '../../../actors/outbox/completed.ts';
import { StaleState } from '../../../actors/runtime/kind.ts';
import {
  IDEMPOTENCY_RETENTION_MS,
  LASTING_COMMAND_RETENTION_MS,
  OPERATOR_COMMANDS_MAX,
  PLAIN_COMMAND_RETENTION_MS,
} from '../../../shared/limits.ts';
import type { CommandOf } from '../../../shared/ports/bus.ts';
import type { AddFile, RemoveFile } from '../../../shared/wire/library-commands.ts';
import type {
  CreateQuickReply,
  RemoveQuickReply,
} from '../../../shared/wire/quick-reply-commands.ts';
import type { OpenSession } from '../../../shared/wire/session-commands.ts';
import { watched } from './model-store.ts';
import { answerOf, organizationOwner, SHOP } from './organization-owner.ts';

const FILE: AddFile = {
  ...{ id: 'cmd_add', type: 'add-file', fileId: 'fil_1', name: 'tabela.png' },
  ...{ mimeType: 'image/png', sizeBytes: 12, contentDigest: '0'.repeat(64) },
};
const REMOVE_FILE: RemoveFile = { id: 'cmd_remove', type: 'remove-file', fileId: FILE.fileId };

function membersOf({ id, database }: ReturnType<typeof organizationOwner>): readonly MemberEntry[] {
  return Reflect.get(database.byId('organizations', id) ?? {}, 'members');
}

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

const QUICK_REPLY: CreateQuickReply = {
  ...{ id: 'qkr_1', type: 'quick-replies.create', title: 'Olá', text: 'Olá! Tudo bem?' },
};
const REMOVE_REPLY: RemoveQuickReply = {
  ...{ id: 'cmd_remove', type: 'quick-replies.remove', quickReplyId: QUICK_REPLY.id },
};

async function repliesOf(shop: ReturnType<typeof organizationOwner>): Promise<unknown> {
  const list = { id: 'cmd_list', type: 'quick-replies.list' } as const;
  return JSON.parse((await answerOf(shop.open(), list)).body).data;
}

test('a quick reply is not there again for a late try of its call', async () => {
  const shop = organizationOwner({});
  const first = await answerOf(shop.open(), QUICK_REPLY);
  assert.equal((await answerOf(shop.open(), REMOVE_REPLY)).status, 200);
  shop.clock.advance(IDEMPOTENCY_RETENTION_MS);
  await purgeQuickReplies(shop.environment);
  assert.deepEqual(await answerOf(shop.open(), QUICK_REPLY), first);
  assert.deepEqual(await repliesOf(shop), []);
  assert.equal((await answerOf(shop.open(), { ...REMOVE_REPLY, id: 'other' })).status, 404);
  shop.clock.advance(LASTING_COMMAND_RETENTION_MS);
  await purgeQuickReplies(shop.environment);
  assert.deepEqual(shop.database.all('quickReplies'), []);
});

test('a quick reply that a former owner is writing is not there after its removal', async () => {
  const late = Promise.withResolvers<void>();
  const inFlight = Promise.withResolvers<void>();
  let isHeld = true;
  const shop = organizationOwner({}, (store) =>
    watched(store, {
      commit: async () => {
        if (!isHeld) return;
        isHeld = false;
        inFlight.resolve();
        await late.promise;
      },
    }),
  );
  const former = answerOf(shop.open(), QUICK_REPLY);
  await inFlight.promise;
  const present = shop.open();
  assert.equal((await answerOf(present, QUICK_REPLY, true)).status, 201);
  assert.equal((await answerOf(present, REMOVE_REPLY)).status, 200);
  late.resolve();
  await assert.rejects(former, StaleState);
  assert.deepEqual(await repliesOf(shop), []);
});

test('a session that has ended is not opened again by the command that opened it', async () => {
  const shop = organizationOwner({
    members: [{ ref: 'ana', name: 'Ana', email: 'ana@loja.example' }],
  });
  const [member] = membersOf(shop);
  assert.ok(member);
  const open: OpenSession = {
    ...{ id: 'ses_1', type: 'open-session', digest: 'digest', memberId: member.id },
    ...{ personId: member.person ?? '', way: 'passphrase', address: '203.0.113.7' },
  };
  const owner = shop.open();
  const call = { type: 'admit', of: 'session', digest: open.digest, knownVersion: null } as const;
  let calls = 0;
  const admitted = async (by: typeof owner) => {
    const { admission } = await answerOf(by, { ...call, id: `cmd_${++calls}` });
    return admission?.outcome;
  };
  assert.equal((await answerOf(owner, open)).status, 201);
  assert.equal(await admitted(owner), 'admitted-with-caller');
  const end = { id: 'cmd_end', type: 'end-session', sessionId: open.id } as const;
  assert.equal((await answerOf(owner, end)).status, 200);
  for (const late of [owner, shop.open()]) {
    assert.equal((await answerOf(late, open)).status, 401);
    assert.equal(await admitted(late), 'unauthorized');
  }
  shop.clock.advance(PLAIN_COMMAND_RETENTION_MS);
  await purgePeople(shop.environment);
  assert.deepEqual(shop.database.all('sessions'), []);
});

type Owned = ReturnType<typeof organizationOwner>;

interface Undone {
  readonly first: CommandOf<'organization'>;
  /** Ends what the first one has begun. */
  readonly later: (shop: Owned) => CommandOf<'organization'>;
}

const seed = 'seed-of-43-characters-of-random-text-0123456';
const lists = (fields: object) => ({
  ...{ check: false, seed },
  organization: { ...SHOP, ...fields },
});
const PERSON = { name: 'Bia', email: 'bia@loja.example', role: 'attendant' } as const;
const url = 'https://loja.example/eventos';

const UNDONE: Readonly<Record<string, Undone>> = {
  'a disabled member': {
    first: { id: 'mbr_1', type: 'members.invite', ...PERSON },
    later: (shop) => {
      const [member] = membersOf(shop);
      const { id } = member ?? assert.fail('nobody was invited');
      return { id: 'cmd_2', type: 'members.disable', member: id, disabled: true };
    },
  },
  'a key that a file has removed': {
    first: {
      ...{ id: 'cmd_1', type: 'apply' },
      ...lists({ keys: [{ ref: 'erp', name: 'ERP', scope: 'account' }] }),
    },
    later: () => ({
      ...{ id: 'cmd_2', type: 'apply' },
      ...lists({ keys: [{ ref: 'erp', remove: true }] }),
    }),
  },
  'a removed subscription': {
    first: { id: 'sub_1', type: 'subscriptions.create', seed, url },
    later: () => ({
      ...{ id: 'cmd_2', type: 'apply' },
      ...lists({ subscriptions: [{ ref: 'sub_1', remove: true }] }),
    }),
  },
};

for (const [what, { first, later }] of Object.entries(UNDONE)) {
  test(`${what} is not back for a late try of the command that made it`, async () => {
    const shop = organizationOwner({});
    const owner = shop.open();
    assert.ok((await answerOf(owner, first)).status < 300);
    assert.equal((await answerOf(owner, later(shop))).status, 200);
    const ended = shop.database.byId('organizations', shop.id);
    for (const [late, repeat] of [
      [owner, false],
      [shop.open(), true],
    ] as const) {
      await answerOf(late, first, repeat);
      assert.deepEqual(shop.database.byId('organizations', shop.id), ended);
    }
  });
}

test('a command of the operator is kept for as long as it may be asked again', async () => {
  const shop = organizationOwner({});
  const owner = shop.open();
  const kept = (): readonly unknown[] => {
    const commands: readonly object[] = Reflect.get(
      shop.database.byId('organizations', shop.id) ?? {},
      'operatorCommands',
    );
    return commands.map((command) => Reflect.get(command, 'id'));
  };
  const invite = (id: string, lasting: boolean) =>
    answerOf(owner, {
      ...{ id, type: 'members.invite', name: id, role: 'attendant', lasting },
      email: `${id}@loja.example`,
    });
  await invite('keyed', true);
  await invite('plain', false);
  assert.deepEqual(kept(), ['keyed', 'plain']);
  shop.clock.advance(PLAIN_COMMAND_RETENTION_MS);
  await invite('second', false);
  assert.deepEqual(kept(), ['keyed', 'second']);
  shop.clock.advance(LASTING_COMMAND_RETENTION_MS);
  for (let made = 0; made <= OPERATOR_COMMANDS_MAX; made++) {
    const disabled = made % 2 === 0;
    const id = `cmd_${made}`;
    await answerOf(owner, { id, type: 'members.disable', member: 'keyed', disabled });
  }
  assert.equal(kept().length, OPERATOR_COMMANDS_MAX);
  assert.equal(kept().at(-1), `cmd_${OPERATOR_COMMANDS_MAX}`);
});
