/** What the observer of queues takes for the knowledge of a queue, and for a turn: no other's reads. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QueuedSends } from '../../../../actors/channel/queued-sends.ts';
import { entryDocument } from '../../../../actors/conversation/log/documents.ts';
import { QueuedRecovery } from '../../../../actors/conversation/log/snapshot-recovery.ts';
import { countAgendas } from '../../../../actors/operations/agendas.ts';
import { LOG_EVENT } from '../../../../shared/log-events.ts';
import { partitionOf } from '../../../../shared/wire/subjects.ts';
import {
  conversationFixture,
  outboundFixture,
} from '../../../support/actors/domain/message-fixture.ts';
import { SILENT } from '../../../support/engine.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { modelStore } from '../../fencing/model-store.ts';
import { Database } from '../memory/database.ts';
import { QueueObserver } from './queue-observer.ts';

const CHANNEL = 'chn_1';
const CONVERSATION = 'cnv_1';
const WAITING = 'msg_1';
const OWNER = 'actors0';
const AT = 7;
const FACT = { messageId: WAITING, by: OWNER, at: AT };
const leaseHeld = (): boolean => true;

/** One message waits, and its conversation's snapshot is older. */
function fixture() {
  const database = new Database();
  const state = { ...conversationFixture({ id: CONVERSATION }), channelId: CHANNEL, seq: 1 };
  const decided = { state, message: outboundFixture(), outbox: [], queued: true };
  database.apply({ insert: 'entries', document: entryDocument(WAITING, decided) });
  const observer = new QueueObserver(() => AT, true);
  return { database, observer, store: observer.watched(OWNER, modelStore(database)) };
}

test('a recovery and a count of the agenda tell a queue nothing, and are no turns', async () => {
  const { database, observer, store } = fixture();
  const recovery = new QueuedRecovery({ store, leaseHeld });
  await recovery.recover(partitionOf('conversation', CONVERSATION), 1);
  assert.equal(database.count('conversations', { _id: CONVERSATION }), 1, 'it was written');
  const counted = await countAgendas(store, new ManualClock().now());
  assert.ok(counted.some(({ waiting }) => waiting === 1));
  const { known, turns } = observer.queueOf(CHANNEL);
  assert.deepEqual([known, turns], [[], []]);
});

test('the queue knows the message by its own read of the agenda', async () => {
  const { observer, store } = fixture();
  const number = partitionOf('channel', CHANNEL);
  const owned = {
    ...{ numbers: [number], tenuresNow: () => () => true },
    ...{ get: () => undefined, workers: () => [] },
  };
  const environment = { store, leaseHeld, clock: new ManualClock(), log: SILENT };
  const duePoller = { add: () => undefined };
  await new QueuedSends(environment, { duePoller, owned, page: 10 }).readAcquired(number);
  const { known, turns } = observer.queueOf(CHANNEL);
  assert.deepEqual([known, turns], [[FACT], []]);
});

test('a turn is what the owner logs of it', () => {
  const { observer } = fixture();
  observer.logged(OWNER, { messageId: WAITING }, LOG_EVENT.send);
  observer.logged(OWNER, { channelId: CHANNEL, messageIds: [WAITING] }, LOG_EVENT.sendTurn);
  assert.deepEqual(observer.queueOf(CHANNEL).turns, [FACT]);
});
