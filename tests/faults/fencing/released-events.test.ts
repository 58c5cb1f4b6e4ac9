/**
 * Events of a conversation whose partition is lost, or released, in the middle of a turn: the next
 * owner publishes them.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StaleState } from '../../../actors/runtime/kind.ts';
import type { Store, Stored } from '../../support/plain-store.ts';
import { Database } from '../simulation/memory/database.ts';
import { conversationsIn, LeasedConversations } from './leased-conversations.ts';
import { settle } from './settle.ts';

const OURS = 5;
const [ID = ''] = conversationsIn(OURS, 1);
const ALL = ['message.sent', 'message.delivered', 'message.read'];

/** A process with a queued message. */
async function owner(around?: (store: Store) => Store) {
  const database = new Database();
  const process = new LeasedConversations(database, around);
  await process.kind.acquire(OURS, 1);
  await process.send(ID, 1);
  await settle();
  return { database, process };
}

/**
 * Two receipts, whose events are on their way.
 * @returns the bus answers, to all
 */
async function receiveUnpublished(process: LeasedConversations): Promise<() => void> {
  const answer = process.holdFanOuts();
  await process.turn(ID, 1, process.receiptOf(ID, 'sent'));
  await process.turn(ID, 1, process.receiptOf(ID, 'delivered'));
  return answer;
}

async function eventsOfNextOwner(database: Database): Promise<readonly string[]> {
  const next = new LeasedConversations(database);
  await next.kind.acquire(OURS, 2);
  await settle();
  return next.published;
}

test('what a lost process commits is published by the next owner', async () => {
  let onCommit = (): Promise<void> => Promise.resolve();
  const { database, process } = await owner((store) => ({
    ...store,
    commit: async (writes) => {
      const outcomes = await store.commit(writes);
      await onCommit();
      return outcomes;
    },
  }));
  const answer = await receiveUnpublished(process);
  const { promise: commit, resolve: commitIsAnswered } = Promise.withResolvers<void>();
  onCommit = () => commit;
  const actor = process.kind.open(ID, 1, false);
  const turn = process.turnOf(actor, process.receiptOf(ID, 'read'));
  await settle();
  process.lose(OURS);
  actor.close?.();
  process.leaseHeld = true;
  commitIsAnswered();
  await turn;
  answer();
  await settle();
  assert.deepEqual(await eventsOfNextOwner(database), ALL);
});

test('a turn that has not written yet writes nothing once its partition is lost', async () => {
  let onRead = (): Promise<void> => Promise.resolve();
  const { database, process } = await owner((store) => ({
    ...store,
    byId: async <T extends Stored>(from: string, id: string) => {
      const found = await store.byId<T>(from, id);
      await onRead();
      return found;
    },
  }));
  const { promise: read, resolve: readIsAnswered } = Promise.withResolvers<void>();
  onRead = () => read;
  const actor = process.kind.open(ID, 1, false);
  const turn = process.turnOf(actor, process.receiptOf(ID, 'sent'));
  await settle();
  process.lose(OURS);
  actor.close?.();
  process.leaseHeld = true;
  readIsAnswered();
  await assert.rejects(turn, StaleState);
  assert.deepEqual(await eventsOfNextOwner(database), []);
});

test('the event after a turn in doubt names what that turn has committed', async () => {
  let isAnswered = true;
  const { process } = await owner((store) => ({
    ...store,
    commit: async (writes) => {
      const outcomes = await store.commit(writes);
      if (!isAnswered) throw new Error('the store gave no answer');
      return outcomes;
    },
  }));
  await process.kind.recoverLate?.(OURS, 1);
  isAnswered = false;
  await assert.rejects(process.turn(ID, 1, process.receiptOf(ID, 'sent')), /no answer/);
  isAnswered = true;
  process.kind.doubt?.(ID, Number.POSITIVE_INFINITY);
  await process.turn(ID, 1, process.receiptOf(ID, 'read'));
  await settle();
  assert.deepEqual(process.named.get('message.read'), [`msg_${ID}.message.sent`]);
});
