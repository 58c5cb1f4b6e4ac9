/**
 * What must be true after the faults (design: Invariants 1, 2, 3, 5, 8): every 201 is in the
 * history once and in order, arrives at the network once and in order, and made one event. A call
 * without a 201 has happened once or not at all.
 */
import assert from 'node:assert/strict';
import * as v from 'valibot';
import { ListMessagesAnswer, type Message } from '../../shared/schemas/message.ts';
import type { Organization } from '../support/organization.ts';
import type { Stack } from '../support/stack.ts';
import type { Subscriber } from '../support/subscriber.ts';
import { waitFor } from '../support/wait-for.ts';
import { accepted, type Load, type Worker } from './load.ts';

const PAGE = 200;
const SETTLING = { patienceMs: 25_000 };

export interface Scene {
  readonly stack: Stack;
  readonly org: Organization;
  readonly subscriber: Subscriber;
  readonly load: Load;
}

export interface Verdict {
  readonly accepted: number;
  /** Answers that were no 201, and how many of them happened nevertheless. */
  readonly unanswered: number;
  readonly happenedUnanswered: number;
  readonly slowestMs: number;
}

export async function judge(scene: Scene): Promise<Verdict> {
  const { workers } = scene.load;
  const histories = await Promise.all(workers.map((worker) => judgeHistory(scene, worker)));
  await Promise.all(workers.map((worker, i) => judgeNetwork(scene, worker, histories[i] ?? [])));
  await judgeEvents(scene, histories.flat());
  const attempts = workers.flatMap((worker) => worker.attempts);
  const made = workers.flatMap(accepted).length;
  return {
    accepted: made,
    unanswered: attempts.length - made,
    happenedUnanswered: histories.flat().length - made,
    slowestMs: Math.round(Math.max(...attempts.map(({ ms }) => ms))),
  };
}

async function judgeHistory({ stack, org }: Scene, worker: Worker): Promise<Message[]> {
  for (const { status } of worker.attempts) {
    assert.ok(status === 201 || status === 500 || status === null, `a ${status}`);
  }
  const history = await wholeHistory(stack, org, worker.phone);
  const ids = new Set(history.map(({ id }) => id));
  assert.equal(ids.size, history.length, 'no id twice');
  for (const { messageId, text } of accepted(worker)) {
    const found = history.filter((message) => message.text === text);
    assert.deepEqual(
      found.map(({ id }) => id),
      [messageId],
      `${text} is in the history once`,
    );
  }
  assertInOrder(texts(history), worker, 'the history');
  return history;
}

async function judgeNetwork({ stack }: Scene, worker: Worker, history: Message[]): Promise<void> {
  const settled = async () => {
    const sent = await stack.network.sent(worker.phone);
    return new Set(sent.map(({ text }) => text)).size >= history.length ? sent : null;
  };
  const sent = await waitFor(settled, { what: `all of ${worker.phone} sent`, ...SETTLING });
  const arrived = sent.map(({ text }) => text ?? '');
  const doubles = arrived.filter((text, index) => arrived.indexOf(text) !== index);
  assert.deepEqual(doubles, [], 'nothing arrived at the network twice');
  assert.deepEqual(arrived, texts(history), 'the network got the history, in its order');
}

/** One delivery per message; an interrupted attempt may bring the same delivery twice. */
async function judgeEvents({ subscriber }: Scene, messages: readonly Message[]): Promise<void> {
  const deliveries = () => Map.groupBy(subscriber.received, ({ data }) => String(data.messageId));
  await waitFor(() => deliveries().size >= messages.length, {
    what: 'message.sent of every message',
    ...SETTLING,
  });
  const found = deliveries();
  assert.equal(found.size, messages.length, 'no event of a message that is not there');
  for (const { id, text } of messages) {
    const received = found.get(id) ?? [];
    assert.deepEqual([...new Set(received.map(({ event }) => event))], ['message.sent'], `${text}`);
    assert.equal(
      new Set(received.map(({ delivery }) => delivery)).size,
      1,
      `${text}: one delivery`,
    );
    const bodies = new Set(received.map(({ bytes }) => bytes.toString('utf8')));
    assert.equal(bodies.size, 1, 'the same bytes');
  }
}

/** In the order in which the worker sent, nothing twice, nothing that it never sent. */
function assertInOrder(found: readonly string[], worker: Worker, where: string): void {
  const positions = found.map((text) =>
    worker.attempts.findIndex((attempt) => attempt.text === text),
  );
  assert.ok(!positions.includes(-1), `${where} holds only what was sent`);
  assert.deepEqual(
    positions,
    [...new Set(positions)].sort((one, other) => one - other),
    `${where} is in order`,
  );
}

function texts(history: readonly Message[]): string[] {
  return history.map(({ text }) => text ?? '');
}

/** Oldest first. */
async function wholeHistory(stack: Stack, org: Organization, phone: string): Promise<Message[]> {
  const contact = await stack.contact(org.key, phone);
  const { data } = await stack.conversations(org.key, `?contactId=${contact?.id}`);
  assert.equal(data.length, 1, 'one conversation');
  const messages: Message[] = [];
  for (let page = 1; ; page++) {
    const path = `/api/v1/messages?conversationId=${data[0]?.id}&limit=${PAGE}&page=${page}`;
    const { json } = await stack.request('GET', path, { key: org.key });
    const answer = v.parse(ListMessagesAnswer, json);
    messages.push(...answer.data);
    if (answer.data.length < PAGE) {
      assert.equal(messages.length, answer.total, 'total counts what is there');
      return messages.reverse();
    }
  }
}
