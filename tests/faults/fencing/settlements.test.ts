/**
 * Settlements of scheduled messages at the real store: what an owner left unapplied, two owners at
 * once, and an owner who comes hours late.
 */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { entryDocument } from '../../../actors/conversation/log/documents.ts';
import {
  type Appended,
  type ConversationState,
  decideSend,
} from '../../../actors/domain/conversation/conversation.ts';
import {
  decideCancel,
  decideDue,
  decideSchedule,
} from '../../../actors/domain/conversation/schedule.ts';
import { settlementId } from '../../../actors/domain/conversation/settlement.ts';
import type { EntryDocument } from '../../../actors/model/conversation.ts';
import type { Kind } from '../../../actors/runtime/kind.ts';
import type { Schedule } from '../../../shared/message.ts';
import { partitionOf } from '../../../shared/wire/subjects.ts';
import { conversationFixture } from '../../support/actors/domain/message-fixture.ts';
import { fileEngine } from '../../support/engine.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { waitFor } from '../../support/wait-for.ts';
import { environmentOf, kindOf } from './environment.ts';

const EPOCH = 2;
const HOUR_MS = 60 * 60 * 1000;
const ID = 'cnv_settled';

const engine = fileEngine();
let clock: ManualClock;

beforeEach(async () => {
  clock = new ManualClock();
  for (const name of ['entries', 'conversations'])
    await engine.mongo.db.collection(name).deleteMany();
});

const conversations = () => kindOf('conversation', environmentOf({ store: engine.store, clock }));

async function append(id: string, decided: Appended): Promise<ConversationState> {
  const document = entryDocument(id, decided);
  const [outcome] = await engine.store.commit([{ insert: 'entries', document }]);
  assert.ok(outcome?.ok, id);
  return decided.state;
}

/** A conversation with one message that is due in a minute. */
async function scheduled(ifLate: Schedule['ifLate'] = 'send') {
  const start = conversationFixture({ id: ID, at: clock.now() });
  const now = clock.now();
  const said = { text: 'oi', kind: 'text', media: null } as const;
  const draft = { ...said, authorLabel: 'ERP', origin: 'api' } as const;
  const schedule = { at: now + 60_000, ifLate };
  const held = decideSchedule(start, decideSend(start, draft, now), { schedule });
  const state = await append('msg_1', held);
  return { state, entry: { id: 'msg_1', seq: state.seq, message: held.message } };
}

async function message(): Promise<EntryDocument> {
  return (await engine.store.byId('entries', 'msg_1')) ?? assert.fail();
}

function settleDue(kind: Kind) {
  const command = { id: `${ID}.due`, type: 'settle-due' } as const;
  const context = { deadline: clock.now() + 8_000, repeat: false, epoch: EPOCH };
  return kind.open(ID, EPOCH, false).turn(command, context);
}

test('a settlement that an owner left is applied by the next one', async () => {
  const { state, entry } = await scheduled();
  const verdict = { outcome: 'released' } as const;
  const due = { verdict, to: '5511', now: clock.now() + 60_000, window: {} };
  await append(settlementId('msg_1'), decideDue(state, entry, due));
  assert.equal((await message()).message?.status, 'scheduled');
  await conversations().acquire(partitionOf('conversation', ID), EPOCH);
  const applied = await waitFor(
    async () => {
      const found = await message();
      return found.message?.status === 'scheduled' ? null : found;
    },
    { what: 'the settlement is applied', timeoutMs: 60_000 },
  );
  assert.equal(applied.message?.status, 'queued');
  assert.deepEqual([applied.send?.seq, applied.send?.to, applied.due], [2, '5511', undefined]);
});

test('of a cancel and a release at one time the first one stays', async () => {
  const { state, entry } = await scheduled();
  await append(settlementId('msg_1'), decideCancel(state, entry, clock.now()));
  clock.advance(61_000);
  const answer = await settleDue(conversations());
  assert.deepEqual(JSON.parse(answer.body), { next: null });
  assert.equal((await message()).message?.status, 'cancelled');
  assert.equal(await engine.store.count('entries', { conversationId: ID }), 2);
});

test('nothing is settled before its time; it names the time', async () => {
  const { entry } = await scheduled();
  clock.advance(59_999);
  const at = entry.message.schedule?.at;
  assert.deepEqual(JSON.parse((await settleDue(conversations())).body), { next: at });
  assert.equal((await message()).message?.status, 'scheduled');
  clock.advance(1);
  await settleDue(conversations());
  assert.equal((await message()).message?.status, 'queued');
});

test('hours late it goes, or fails as the call said', async () => {
  for (const [ifLate, status] of [
    ['send', 'queued'],
    ['expire', 'failed'],
  ] as const) {
    await engine.mongo.db.collection('entries').deleteMany();
    await scheduled(ifLate);
    clock.advance(2 * HOUR_MS);
    await settleDue(conversations());
    const { message: settled } = await message();
    assert.equal(settled?.status, status);
    if (ifLate === 'expire') assert.equal(settled?.error?.code, 'late');
  }
});
