/** A property packed into a text cannot be asked for: a filter that names it matches nothing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTimers } from '../../../../actors/conversation/flow/stored-timers.ts';
import { fileEngine } from '../../../support/engine.ts';

const engine = fileEngine();

function due(orgId: string, seq: number) {
  const conversationId = `cnv_${orgId}`;
  const timer = { partition: 1, at: seq, orgId };
  return {
    ...{ _id: `${conversationId}.${seq}`, conversationId, orgId, seq },
    ...{ requestId: 'req', after: {}, timer },
  };
}

test('timers of an organization that is left out are not read', async () => {
  const documents = [due('org_full', 1), due('org_other', 2), due('org_full', 3)];
  await engine.store.commit(documents.map((document) => ({ insert: 'entries', document })));
  const pages = readTimers(engine.store, () => ({
    ...{ timer: { $exists: true }, 'timer.partition': { $in: [1] }, 'timer.at': { $lte: 9 } },
    'timer.orgId': { $nin: ['org_full'] },
  }));
  const found: string[] = [];
  for await (const page of pages) found.push(...page.map(({ orgId }) => orgId));
  assert.deepEqual(found, ['org_other']);
});

test('a filter that names what is packed is refused, wherever it names it', async () => {
  const { store } = engine;
  const packed = { message: 'orgId of entries is packed: no filter can name it' };
  await assert.rejects(async () => store.find('entries', { orgId: 'org_full' }), packed);
  await assert.rejects(async () => store.findOne('entries', { $or: [{ orgId: 'x' }] }), packed);
  await assert.rejects(async () => store.count('entries', { orgId: 'x' }), packed);
  const questions = [{ collection: 'entries', filter: { 'message.text': 'oi' } }];
  await assert.rejects(
    async () => store.existsEach(questions),
    /message\.text of entries is packed/,
  );
  assert.deepEqual(await store.find('entries', { 'message.status': 'queued' }), []);
});
