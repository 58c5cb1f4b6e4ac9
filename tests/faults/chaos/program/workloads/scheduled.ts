/**
 * Workers that schedule messages over the whole run, ten to each contact. Others cancel one
 * message in ten, and contacts opt out, at any moment and often at the very time of a message.
 */
import { setTimeout as pause } from 'node:timers/promises';
import * as v from 'valibot';
import type { Ending } from '../recorder.ts';
import { now } from '../recorder.ts';
import type { Workload, WorkloadFixture } from '../workload-fixture.ts';

const SCHEDULERS = 16;
const CANCELLERS = 6;
const PER_CONTACT = 10;
const SOONEST_MS = 3_000;
const AGAIN_MS = 500;
const PACE_MS = 20;
const LATE_PACE_MS = 500;
/** Share of the messages that is scheduled among faults. */
const AMONG_FAULTS = 0.2;
/** Of the messages, one in ten is cancelled, and beside one in seventy its contact opts out. */
const CANCELLED = 0.1;
const OPT_OUT_EVERY = 70;
/** A call at the time of a message is made within so long of it. */
const AROUND_MS = 60;
const IDLE_MS = 1_000;

export interface ScheduledPlan {
  readonly messages: number;
  /** The faults begin so long after the beginning, and the first message is due. */
  readonly quietMs: number;
  /** The last message is due so long after that. */
  readonly faultsMs: number;
}

const Sent = v.object({ messageId: v.string(), conversationId: v.string() });
const Cancelled = v.object({ id: v.string(), status: v.string() });

interface Waiting {
  readonly messageId: string;
  readonly phone: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

export function scheduleMessages(plan: ScheduledPlan): Workload {
  return async (fixture) => {
    const from = now() + plan.quietMs;
    const until = from + plan.faultsMs;
    const early = plan.messages * (1 - AMONG_FAULTS);
    const count = Math.max(4, Math.ceil(plan.messages / PER_CONTACT));
    const phones = Array.from({ length: count }, () => fixture.freshPhone());
    const acts = new Acts(fixture);
    const schedulers = Array.from({ length: SCHEDULERS }, async (_, worker) => {
      for (let n = worker; n < plan.messages && !fixture.stopping.aborted; n += SCHEDULERS) {
        const isLate = n >= early;
        await pause(isLate ? Math.max(LATE_PACE_MS, from - now()) : PACE_MS);
        const phone = phones[n % count] ?? '';
        await acts.schedule(`schedule-${worker}`, `s-${n}`, { phone, from, until });
      }
      if (!fixture.stopping.aborted) {
        fixture.recorder.seen('done', { worker: `schedule-${worker}` });
      }
    });
    const enders = Array.from({ length: CANCELLERS }, (_, worker) => acts.endSome(worker));
    await Promise.all([...schedulers, ...enders]);
  };
}

interface Range {
  readonly phone: string;
  /** The message is due between the two, epoch milliseconds. */
  readonly from: number;
  readonly until: number;
}

class Acts {
  readonly #fixture: WorkloadFixture;
  /** Messages that are to be cancelled, or whose contacts opt out. */
  readonly #chosen: (Waiting & { readonly how: 'cancel' | 'opt-out' })[] = [];

  readonly #conversations: string[] = [];
  #accepted = 0;

  constructor(fixture: WorkloadFixture) {
    this.#fixture = fixture;
  }

  /** Repeated until it is answered, each time as another message. */
  async schedule(worker: string, text: string, { phone, from, until }: Range): Promise<void> {
    const { api, channelId, random, recorder, stopping } = this.#fixture;
    for (let tries = 0; !stopping.aborted; tries++) {
      const least = Math.max(from, now() + SOONEST_MS);
      const at = Math.floor(random.between(least, Math.max(least + SOONEST_MS, until)));
      const sendAt = new Date(at).toISOString();
      const body = { channelId, phone, text: tries === 0 ? text : `${text}.${tries}`, sendAt };
      const ask = () => api({ path: '/api/v1/messages', body });
      const said = await recorder.call(worker, 'schedule', { request: { ...body, at }, ask });
      if (said.type === 'ok') return this.#choose({ ...v.parse(Sent, said.body), phone, at });
      await pause(AGAIN_MS);
    }
  }

  #choose({ conversationId, ...waiting }: Waiting & { readonly conversationId: string }): void {
    const { random } = this.#fixture;
    if (!this.#conversations.includes(conversationId)) this.#conversations.push(conversationId);
    // Counted, not drawn: a short run has some too.
    const isOptOut = ++this.#accepted % OPT_OUT_EVERY === OPT_OUT_EVERY / 2;
    if (isOptOut) this.#chosen.push({ ...waiting, how: 'opt-out' });
    else if (random.happens(CANCELLED)) this.#chosen.push({ ...waiting, how: 'cancel' });
  }

  async endSome(worker: number): Promise<void> {
    const { random, stopping } = this.#fixture;
    while (!stopping.aborted) {
      const next = this.#takeNext();
      if (next === null) {
        await this.#list(worker);
        continue;
      }
      // At its very time, or at any time before.
      const atItsTime = random.happens(0.6);
      const aroundIt = next.at + random.between(-AROUND_MS, AROUND_MS / 4);
      const waitMs = atItsTime ? aroundIt - now() : random.between(0, IDLE_MS);
      await pause(Math.max(0, waitMs));
      await (next.how === 'cancel' ? this.#cancel(worker, next) : this.#optOut(worker, next));
    }
  }

  /** Between the other calls, so that each worker is answered all the time. */
  async #list(worker: number): Promise<void> {
    const { api, random, recorder } = this.#fixture;
    if (this.#conversations.length > 0) {
      const conversationId = random.pick(this.#conversations);
      const path = `/api/v1/messages?conversationId=${conversationId}&status=scheduled`;
      const ask = async (): Promise<Ending> => {
        const { type, status } = await api({ path });
        return { type, body: { status } };
      };
      await recorder.call(`cancel-${worker}`, 'list-scheduled', { request: {}, ask });
    }
    await pause(IDLE_MS / 4);
  }

  /** The one that is due first, when its time is near. */
  #takeNext() {
    this.#chosen.sort((one, other) => one.at - other.at);
    const [first] = this.#chosen;
    if (first === undefined || first.at > now() + IDLE_MS) return null;
    this.#chosen.shift();
    return first;
  }

  async #cancel(worker: number, { messageId }: Waiting): Promise<void> {
    const { api, recorder } = this.#fixture;
    const ask = async (): Promise<Ending> => {
      const said = await api({ path: `/api/v1/messages/${messageId}/cancel`, body: {} });
      return said.type === 'ok' ? { type: 'ok', body: v.parse(Cancelled, said.body) } : said;
    };
    await recorder.call(`cancel-${worker}`, 'cancel', { request: { messageId }, ask });
  }

  async #optOut(worker: number, { phone }: Waiting): Promise<void> {
    const { api, recorder } = this.#fixture;
    const ask = () => api({ path: '/api/v1/contacts', body: { phone, optIn: false } });
    await recorder.call(`cancel-${worker}`, 'opt-out', { request: { phone }, ask });
  }
}
