/**
 * Tells channels' owners which calls of their inbound webhooks were answered, for the panel.
 *
 * 1. A call costs one small object. A second later all calls of a channel go out in one nudge,
 *    which may be lost. Answers and issues are parsed then, and those of refusals only.
 * 2. Only calls of a known key to a channel of its organization are told. A stranger can neither
 *    fill the memory nor push out the calls of others.
 * 3. Neither a phone nor any other value of a body leaves the process: of a phone the last digits.
 */
import {
  INBOUND_CALL_ISSUES_SHOWN,
  INBOUND_CALL_PROPERTIES_SHOWN,
  INBOUND_CALL_TEXT_MAX_CHARS,
  INBOUND_CALLS_MAX,
} from '../shared/limits.ts';
import type { Bus } from '../shared/ports/bus.ts';
import type { Clock } from '../shared/ports/clock.ts';
import type { Caller } from '../shared/wire/caller.ts';
import type { InboundCall, InboundCallsNudge } from '../shared/wire/inbound-calls.ts';
import type { Reply } from './http/respond.ts';
import type { ParsedBody } from './validate.ts';

const FLUSH_MS = 1_000;
/** Channels that were called within a flush; the calls of others are not told. */
const CHANNELS_MAX = 1_000;
const NAME_MAX_CHARS = 40;
/** So many fit one message. */
const REPORTED_AT_ONCE = 100;
const DIGITS_SHOWN = 4;

export interface AnsweredCall {
  readonly channelId: string;
  readonly requestId: string;
  readonly caller: Caller | null;
  readonly body: ParsedBody | Reply;
  readonly reply: Pick<Reply, 'status' | 'body'>;
}

type Waiting = Omit<InboundCall, 'error' | 'issues'> & { readonly refusal: string };

export class InboundCallLog {
  readonly #bus: Pick<Bus, 'nudge'>;
  readonly #clock: Clock;
  /** By channel, at most `INBOUND_CALLS_MAX` each: a newer call pushes out the oldest. */
  readonly #waiting = new Map<string, Waiting[]>();
  #flushing = false;

  constructor(bus: Pick<Bus, 'nudge'>, clock: Clock) {
    this.#bus = bus;
    this.#clock = clock;
  }

  record({ channelId, requestId, caller, body, reply }: AnsweredCall): void {
    if (!caller?.channels.some(({ id }) => id === channelId)) return;
    const calls = this.#callsOf(channelId);
    if (!calls) return;
    const object = 'status' in body ? null : body.object;
    if (calls.length >= INBOUND_CALLS_MAX) calls.shift();
    calls.push({
      ...{ requestId, orgId: caller.orgId, at: this.#clock.now() },
      ...{ status: reply.status, keyPrefix: caller.keyPrefix },
      phone: maskedPhone(object?.phone),
      given: namesIn(object),
      refusal: reply.status < 300 ? '' : reply.body,
    });
    if (this.#flushing) return;
    this.#flushing = true;
    this.#clock.after(FLUSH_MS, () => this.#flush());
  }

  #callsOf(channelId: string): Waiting[] | null {
    const known = this.#waiting.get(channelId);
    if (known || this.#waiting.size >= CHANNELS_MAX) return known ?? null;
    const calls: Waiting[] = [];
    this.#waiting.set(channelId, calls);
    return calls;
  }

  #flush(): void {
    this.#flushing = false;
    const reported = [...this.#waiting];
    this.#waiting.clear();
    for (const [channelId, calls] of reported) {
      for (let from = 0; from < calls.length; from += REPORTED_AT_ONCE) {
        const inboundCalls = calls.slice(from, from + REPORTED_AT_ONCE).map(reportedCall);
        const nudge: InboundCallsNudge = { channelId, inboundCalls };
        this.#bus.nudge({ kind: 'channel', key: channelId }, nudge);
      }
    }
  }
}

function reportedCall({ refusal, ...call }: Waiting): InboundCall {
  if (refusal === '') return { ...call, error: null, issues: [] };
  const parsed: Partial<Pick<InboundCall, 'error' | 'issues'>> = JSON.parse(refusal);
  const { error = null, issues = [] } = parsed;
  const shown = issues.slice(0, INBOUND_CALL_ISSUES_SHOWN).map(({ path, message }) => ({
    path: path.slice(0, INBOUND_CALL_TEXT_MAX_CHARS),
    message: message.slice(0, INBOUND_CALL_TEXT_MAX_CHARS),
  }));
  return { ...call, error, issues: shown };
}

/** `•••• 7777`; a text with few digits is masked whole. */
export function maskedPhone(phone: unknown): string | null {
  if (typeof phone !== 'string') return null;
  const digits = phone.slice(0, NAME_MAX_CHARS).replaceAll(/\D/g, '');
  return `•••• ${digits.length >= 2 * DIGITS_SHOWN ? digits.slice(-DIGITS_SHOWN) : ''}`.trim();
}

function namesIn(object: Readonly<Record<string, unknown>> | null): readonly string[] {
  const names = Object.keys(object ?? {}).slice(0, INBOUND_CALL_PROPERTIES_SHOWN);
  return names.map((name) => name.slice(0, NAME_MAX_CHARS));
}
