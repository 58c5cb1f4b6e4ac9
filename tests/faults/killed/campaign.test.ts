/**
 * kill -9 while a campaign is stopped: a message that waits in bulk goes or is cancelled, never
 * both, and a repeated call says which (D425, D427).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as v from 'valibot';
import { MessageAnswer } from '../../../shared/api/message.ts';
import { type Answer, freshPhone, type Sent } from '../../support/api.ts';
import { killHard } from '../../support/kills.ts';
import { useDatabase, useOrganizations, useStack } from '../../support/stack-hooks.ts';
import { waitUntil } from '../../support/wait-for.ts';

const MESSAGES = 300;
const AT_ONCE = 10;
/** Some go while others are cancelled. */
const PACE = { pace: { perSecond: 20, pairBurst: 100, pairEvery: '1ms' } };
const STILL_THERE = ['queued', 'sending'];

const stack = useStack();
const { each, all } = useOrganizations(stack, { each: PACE, all: PACE });
const database = useDatabase(stack);
type Org = typeof each;

interface Queued extends Sent {
  readonly text: string;
}

async function campaign(org: Org): Promise<readonly Queued[]> {
  const sent: Queued[] = [];
  while (sent.length < MESSAGES) {
    const texts = Array.from({ length: AT_ONCE }, (_, n) => `${org.ref} ${sent.length + n}`);
    const sends = texts.map(async (text) => {
      const body = { channelId: org.main, phone: freshPhone(), text, priority: 'bulk' };
      return { ...(await stack.send(org.key, body)), text };
    });
    sent.push(...(await Promise.all(sends)));
  }
  return sent;
}

/** Until its outcome is known, as a caller does. */
const cancel = ({ messageId }: Sent, org: Org) =>
  stack.call('POST', `/api/v1/messages/${messageId}/cancel`, { key: org.key });

async function statusOf({ messageId }: Sent, org: Org): Promise<string> {
  const { json } = await stack.call('GET', `/api/v1/messages/${messageId}`, { key: org.key });
  return v.parse(MessageAnswer, json).data.status;
}

/** Each is cancelled or has gone, and the network has exactly those that have gone. */
async function assertParted(campaign: readonly Queued[], org: Org) {
  const read = () => Promise.all(campaign.map((message) => statusOf(message, org)));
  await waitUntil('nothing waits', async () =>
    (await read()).every((status) => !STILL_THERE.includes(status)),
  );
  const statuses = await read();
  const cancelled = campaign.filter((_, index) => statuses[index] === 'cancelled');
  const gone = campaign.filter(({ text }) => !cancelled.some((other) => other.text === text));
  const sent = (await stack.network.sent()).flatMap(({ text }) =>
    text?.startsWith(`${org.ref} `) ? [text] : [],
  );
  assert.deepEqual(sent.toSorted(), gone.map(({ text }) => text).toSorted());
  assert.ok(!statuses.includes('failed'), 'none has failed');
  return { cancelled, gone };
}

test('killed while messages are cancelled one by one, each goes or is cancelled', async () => {
  const sent = await campaign(each);
  const answers = new Map<string, Answer>();
  const left = [...sent];
  const work = async () => {
    // The newest and the oldest in turn: the queue is at these.
    for (let message = left.pop(); message; message = left.length % 2 ? left.shift() : left.pop()) {
      answers.set(message.messageId, await cancel(message, each));
    }
  };
  const workers = Promise.all(Array.from({ length: AT_ONCE }, work));
  for (const rest of [0.8, 0.4]) {
    await waitUntil('some are answered', () => left.length < MESSAGES * rest);
    assert.ok(left.length > 0, 'killed half way');
    await killHard(stack, 'actors');
  }
  await workers;
  const { cancelled, gone } = await assertParted(sent, each);
  assert.ok(cancelled.length > 0 && gone.length > 0, `${cancelled.length} and ${gone.length}`);
  for (const message of sent) {
    const isCancelled = cancelled.includes(message);
    const first = answers.get(message.messageId);
    assert.equal(first?.status, isCancelled ? 200 : 409, first?.text);
  }
  for (const message of [...cancelled.slice(0, 20), ...gone.slice(0, 20)]) {
    const { status, text } = await cancel(message, each);
    assert.equal(status, cancelled.includes(message) ? 200 : 409, text);
  }
});

const CancelledSchema = v.object({ cancelled: v.number() });
const cancelAll = async (): Promise<number> => {
  const args = ['--org', all.ref, '--channel', 'main', '--bulk'];
  return v.parse(CancelledSchema, await stack.ask('messages', 'cancel', ...args)).cancelled;
};

/** As the store has them: no process has to answer. */
const waiting = () =>
  database.db
    .collection('entries')
    .countDocuments({ 'send.channelId': all.main, 'send.state': 'queued' });

test('killed while a whole campaign is cancelled, the next call cancels the rest', async () => {
  const sent = await campaign(all);
  const before = await waiting();
  const called = cancelAll().catch(() => null);
  await waitUntil('some are cancelled', async () => (await waiting()) < before - AT_ONCE);
  const killed = killHard(stack, 'actors');
  assert.ok((await waiting()) > 0, 'killed half way');
  await killed;
  await called;
  await cancelAll();
  assert.equal(await cancelAll(), 0, 'nothing is left');
  const { cancelled, gone } = await assertParted(sent, all);
  assert.ok(cancelled.length > 0 && gone.length > 0, `${cancelled.length} and ${gone.length}`);
});
