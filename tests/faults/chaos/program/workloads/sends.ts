/**
 * Workers that write `worker-counter`, two of them to each contact, one of these in bulk, and now
 * and then read what they have written. Every other contact writes now and then too: what goes to
 * them is a reply, and all three classes wait at once. A worker that finds many messages queued
 * waits: the network is away half of the time, and accepted messages must not outrun it.
 */
import { setTimeout as pause } from 'node:timers/promises';
import * as v from 'valibot';
import type { Ending } from '../recorder.ts';
import type { WorkloadFixture } from '../workload-fixture.ts';
import { untilTaken } from './inbound.ts';

const CONVERSATIONS = 10;
const WORKERS_EACH = 2;
const PACE_MS = 300;
const SENDS_PER_READ = 5;
const PAGE = 50;
const QUEUED_MAX = 20;
const POLL_AGAIN_MS = 1_000;

const Sent = v.object({ conversationId: v.string() });
const Page = v.object({
  data: v.array(v.object({ id: v.string(), status: v.string() })),
  total: v.number(),
});

interface Worker {
  readonly name: string;
  readonly phone: string;
  readonly inBulk: boolean;
  /** The contact writes before, and now and then. */
  readonly isAnswering: boolean;
}

export async function sendAll(fixture: WorkloadFixture): Promise<void> {
  const phones = Array.from({ length: CONVERSATIONS }, () => fixture.freshPhone());
  const workers = phones.flatMap((phone) => Array<string>(WORKERS_EACH).fill(phone));
  const sending = workers.map((phone, n) => {
    const inBulk = n % WORKERS_EACH === 1;
    const isAnswering = !inBulk && Math.floor(n / WORKERS_EACH) % 2 === 0;
    return sendOn(fixture, { name: `send-${n}`, phone, inBulk, isAnswering });
  });
  await Promise.all(sending);
}

async function sendOn(fixture: WorkloadFixture, worker: Worker): Promise<void> {
  const { api, channelId, recorder, stopping } = fixture;
  const { name, phone, inBulk, isAnswering } = worker;
  const more = inBulk ? { priority: 'bulk' } : {};
  for (let counter = 0; !stopping.aborted; counter++) {
    const text = `${name.slice('send-'.length)}-${counter}`;
    if (isAnswering && counter % SENDS_PER_READ === 0) {
      await untilTaken(fixture, { name: `in-${name}`, phone, text: `ask ${text}` });
    }
    const ask = () => api({ path: '/api/v1/messages', body: { channelId, phone, text, ...more } });
    const said = await recorder.call(name, 'send', { request: { phone, text, ...more }, ask });
    await fixture.pause(PACE_MS);
    if (said.type !== 'ok' || counter % SENDS_PER_READ !== 0) continue;
    await untilPublished(fixture, worker, v.parse(Sent, said.body).conversationId);
  }
}

async function untilPublished(
  fixture: WorkloadFixture,
  { name, phone }: Worker,
  id: string,
): Promise<void> {
  const { api, recorder, stopping } = fixture;
  const path = `/api/v1/messages?conversationId=${id}&limit=${PAGE}`;
  while (!stopping.aborted) {
    let queued = 0;
    const ask = async (): Promise<Ending> => {
      const said = await api({ path });
      if (said.type !== 'ok') return said;
      const { data, total } = v.parse(Page, said.json);
      queued = data.filter(({ status }) => status === 'queued').length;
      return { type: 'ok', body: { ids: data.map((message) => message.id), total } };
    };
    const { type } = await recorder.call(name, 'read-back', { request: { phone }, ask });
    if (type === 'ok' && queued <= QUEUED_MAX) return;
    await pause(POLL_AGAIN_MS);
  }
}
