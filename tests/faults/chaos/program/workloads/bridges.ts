/**
 * Conversations over the bridge's engines. Some contacts write, by both forms of their chat, and
 * are written to. Others are written to before they ever wrote, and a restricted number does not
 * reach them. These write at the end: a restriction whose end is not reported holds for an hour.
 */
import { setTimeout as pause } from 'node:timers/promises';
import * as v from 'valibot';
import type { Engine } from '../../../../../infra/programs/simulator/bridge/engines.ts';
import { hiddenIdOf } from '../bridges.ts';
import type { Ending } from '../recorder.ts';
import { atOnce, type WorkloadFixture } from '../workload-fixture.ts';
import { bring } from './inbound.ts';

const WARM = 2;
const PACE_MS = 700;
const COLD_PACE_MS = 2_500;
const AGAIN_MS = 300;
const SENDS_PER_WORD = 4;
const QUEUED_MAX = 15;
const PAGE = 50;
const LAST_WORDS_MS = 60_000;

const Sent = v.object({ conversationId: v.string() });
const Page = v.object({ data: v.array(v.object({ status: v.string() })) });

interface Side {
  readonly engine: Engine;
  readonly session: string;
  readonly channelId: string;
}

export async function converseOverBridges(fixture: WorkloadFixture): Promise<void> {
  const conversations = fixture.bridges.flatMap((side) => [
    atOnce(WARM, (n) => converse(fixture, side, n)),
    beginConversations(fixture, side),
  ]);
  await Promise.all(conversations);
}

async function converse(fixture: WorkloadFixture, side: Side, n: number): Promise<void> {
  const { stopping } = fixture;
  const phone = fixture.freshPhone();
  const name = `bridge-${side.engine}-${n}`;
  for (let counter = 0; !stopping.aborted; counter++) {
    if (counter % SENDS_PER_WORD === 0) {
      await write(fixture, side, { name, phone, text: `word ${side.engine} ${n}-${counter}` });
    }
    const text = `${side.engine} ${n}-${counter}`;
    const id = await say(fixture, side, { name, phone, text, cold: false });
    await pause(PACE_MS);
    if (id !== null && counter % SENDS_PER_WORD === 0) await untilPublished(fixture, name, id);
  }
}

async function beginConversations(fixture: WorkloadFixture, side: Side): Promise<void> {
  const { stopping } = fixture;
  const name = `bridge-${side.engine}-cold`;
  const met: string[] = [];
  while (!stopping.aborted) {
    const phone = fixture.freshPhone();
    for (const part of ['a', 'b']) {
      const text = `${side.engine} cold ${met.length}-${part}`;
      await say(fixture, side, { name, phone, text, cold: true });
    }
    met.push(phone);
    await pause(COLD_PACE_MS, null, { signal: stopping }).catch(() => null);
  }
  for (const [n, phone] of met.entries()) {
    await write(fixture, side, { name, phone, text: `last word ${side.engine} ${n}`, last: true });
  }
}

interface Word {
  /** Of the worker. */
  readonly name: string;
  readonly phone: string;
  readonly text: string;
}

interface Said extends Word {
  readonly cold: boolean;
}

/** The conversation's id, where it was answered. */
async function say(fixture: WorkloadFixture, side: Side, said: Said): Promise<string | null> {
  const { name, phone, text, cold } = said;
  const { channelId, engine } = side;
  const body = { channelId, phone, text };
  const ask = () => fixture.api({ path: '/api/v1/messages', body });
  const request = { phone, text, engine, cold };
  const answer = await fixture.recorder.call(name, 'bridge-send', { request, ask });
  return answer.type === 'ok' ? v.parse(Sent, answer.body).conversationId : null;
}

interface Written extends Word {
  /** Written after everybody has stopped. */
  readonly last?: boolean;
}

/** Told by both forms of the chat at once, again until both were taken. */
async function write(fixture: WorkloadFixture, side: Side, word: Written): Promise<void> {
  const { name, phone, text, last = false } = word;
  const { engine, session } = side;
  const id = `3A${text.replaceAll(/\W/g, '').toUpperCase()}`;
  const from = hiddenIdOf(phone);
  const body = JSON.stringify({ session, from, phoneShown: phone, bothForms: true, text, id });
  const url = `${fixture.sandboxUrl}/control/inbound`;
  const until = Date.now() + LAST_WORDS_MS;
  while (last ? Date.now() < until : !fixture.stopping.aborted) {
    const ask = (): Promise<Ending> => bring(url, body);
    const request = { phone, id, text, engine };
    const { type } = await fixture.recorder.call(name, 'bridge-inbound', { request, ask });
    if (type === 'ok') return;
    await pause(AGAIN_MS);
  }
}

/** A send in doubt holds up those behind it for 12 s (I29): the worker's key is answered meanwhile. */
async function untilPublished(
  { api, recorder, stopping }: WorkloadFixture,
  name: string,
  conversationId: string,
): Promise<void> {
  const path = `/api/v1/messages?conversationId=${conversationId}&limit=${PAGE}`;
  const ask = async () => ({ ...(await api({ path })), body: null });
  while (!stopping.aborted) {
    const said = await recorder.call(name, 'bridge-queue', { request: {}, ask });
    const { success, output } = v.safeParse(Page, said.json);
    const queued = success ? output.data.filter(({ status }) => status === 'queued').length : 0;
    if (success && queued <= QUEUED_MAX) return;
    await pause(PACE_MS);
  }
}
