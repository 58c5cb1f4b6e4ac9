/**
 * Tags of an organization: documents of their own, however many there are (D125). A write that the
 * store refuses for its content is answered at once, with its cause in the log.
 */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { OrganizationTags } from '../../../actors/organization/documents.ts';
import { WriteRefused } from '../../../actors/runtime/turn.ts';
import { TAGS_MAX_PER_ORGANIZATION } from '../../../shared/limits.ts';
import type { Answer } from '../../../shared/ports/bus.ts';
import { SILENT } from '../../support/engine.ts';
import type { Store, Write } from '../../support/plain-store.ts';
import { AskedMailbox } from './mailboxes.ts';
import { modelStore, watched } from './model-store.ts';
import { answerOf, organizationOwner } from './organization-owner.ts';
import { settle } from './settle.ts';

function owned(around = (store: Store): Store => store) {
  const written: Write[] = [];
  const commit = (writes: readonly Write[]) => written.push(...writes);
  const { id, database, open } = organizationOwner({}, (model) =>
    watched(around(model), { commit }),
  );
  const actor = open();
  const ensure = (...tags: string[]): Promise<Answer> =>
    answerOf(actor, { id: 'cmd', type: 'ensure-tags', tags });
  return { id, database, written, ensure };
}

const bodyOf = ({ status, body }: Answer): unknown => [status, JSON.parse(body)];

describe('an organization’s tags (decisions: D125)', () => {
  test('are documents: a further one writes nothing of the organization', async () => {
    const { database, written, ensure } = owned();
    assert.deepEqual(bodyOf(await ensure('VIP', 'vip', 'Ação')), [200, ['VIP', 'VIP', 'Ação']]);
    assert.deepEqual(bodyOf(await ensure('AÇÃO', 'novo')), [200, ['Ação', 'novo']]);
    assert.deepEqual(bodyOf(await ensure('Novo', 'vIP')), [200, ['novo', 'VIP']]);
    assert.equal(database.all('tags').length, 3);
    assert.ok(written.every((write) => 'insert' in write && write.insert === 'tags'));
    assert.equal(written.length, 3);
  });

  test('of an earlier version that differ in blanks and accents join at their next write', async () => {
    const { id, database, ensure } = owned();
    const names = ['Café', 'Cafe\u0301', ' Café', 'Ação ', 'A', 'Cafe\u0301s'];
    for (const name of names) {
      const _id = `${id}/${name.toLocaleLowerCase('pt-BR')}`;
      database.apply({ insert: 'tags', document: { _id, orgId: id, name } });
    }
    assert.deepEqual(bodyOf(await ensure('café ', 'AÇÃO')), [200, ['Café', 'Ação']]);
    const stored = database.all('tags').map(({ name }) => name);
    assert.deepEqual(stored.toSorted(), ['A', 'Cafe\u0301s', 'Café', 'Ação'].toSorted());
    assert.deepEqual(bodyOf(await ensure('cafés', 'novo')), [200, ['Cafés', 'novo']]);
    assert.equal(database.all('tags').length, 5);
  });

  test('are so many at most: what would make more is a 422 at the field', async () => {
    const { id, database, ensure } = owned((store) => ({
      ...store,
      count: async (collection, filter) => {
        const there = await store.count(collection, filter);
        return collection === 'tags' ? there + TAGS_MAX_PER_ORGANIZATION - 2 : there;
      },
    }));
    assert.equal((await ensure('one')).status, 200);
    const refused = await ensure('two', 'three');
    assert.equal(refused.status, 422);
    assert.equal(JSON.parse(refused.body).issues[0].path, 'tags');
    assert.equal((await ensure('two', 'ONE')).status, 200);
    assert.equal((await ensure('four')).status, 422);
    assert.equal((await ensure('ONE', 'Two')).status, 200);
    const others = await new OrganizationTags(modelStore(database), `${id}x`).known(['one', 'new']);
    assert.deepEqual(others, { names: new Map(), count: 0 });
  });
});

/** An ask whose turns end in a fault. */
async function asked(fault: Error) {
  const logged: Record<string, unknown>[] = [];
  let turns = 0;
  const mailbox = new AskedMailbox(
    { kind: 'deal', key: 'dea_1' },
    {
      log: { ...SILENT, error: (fields) => void logged.push(fields) },
      open: () => ({
        turn: () => {
          turns += 1;
          return Promise.reject(fault);
        },
      }),
    },
  );
  mailbox.ask({ id: 'cmd_1', type: 'change', orgId: 'org_1', origin: 'api' });
  await settle();
  return { answers: mailbox.answers, turns, logged };
}

test('a write that the store refuses for what it is is answered at once, its cause logged', async () => {
  const cause = new Error('the document is larger than 16777216');
  const { answers, turns, logged } = await asked(new WriteRefused('deal dea_1', { cause }));
  assert.deepEqual([answers.length, answers[0]?.status, turns], [1, 500, 1]);
  assert.match(String(logged[0]?.error), /the store refused deal dea_1.*larger than 16777216/s);
});

test('a store that cannot say is asked again', async () => {
  const { answers, turns } = await asked(new Error('connection lost'));
  assert.deepEqual([answers, turns], [[], 1]);
});
