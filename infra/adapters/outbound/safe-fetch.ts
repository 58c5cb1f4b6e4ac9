/**
 * Guarded requests to callers' URLs: POSTs to subscribers (C6.2, D37) and the calls of flows.
 *
 * 1. No packet goes to an address that the guard does not admit, at registration or later. The
 *    loopback of the service's machine is never admitted for calls of flows: EVENTS_TO_LOOPBACK is
 *    for a subscriber of the operator's own, a flow's URL may come from a contact's field.
 * 2. One deadline runs from the connection's start to the response head. A head in time decides the
 *    attempt, and the body then costs at most 64 KiB and 2 s.
 * 3. Redirects are not followed: a 3xx is an outcome like any other.
 * 4. `post` and `request` never throw; `refuse` never reveals the addresses of a name.
 * 5. A request ends when its signal is aborted. undici checks a signal only once it has a
 *    connection. So a name that does not resolve would hold the request until its connection times
 *    out.
 */
import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import { type Agent, type Dispatcher, request } from 'undici';
import {
  DELIVERY_ANSWER_READ_MAX_BYTES,
  DELIVERY_ANSWER_RETAINED_MAX_BYTES,
  DELIVERY_TIMEOUT_MS,
} from '../../../shared/limits.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Outbound, OutboundRequest, PostOutcome } from '../../../shared/ports/outbound.ts';
import {
  type AddressGuard,
  createAddressGuard,
  createGuardedAgent,
  targetOf,
} from './address-guard.ts';
import { DeadlineError, readNetworkFailure } from './network-failure.ts';
import { internalRefusal, OPERATOR_REFUSALS } from './operator-refusals.ts';
import {
  type Resolve,
  type ResolvedAddress,
  resolveBySystem,
  singleFlightResolve,
} from './resolver.ts';

export interface OutboundOptions {
  /** `host:port` entries (PRIVATE_NETWORK_ALLOW). */
  readonly allow: readonly string[];
  /** Accepts the loopback range for deliveries (EVENTS_TO_LOOPBACK). */
  readonly loopback: boolean;
  readonly clock: Clock;
  /** From the connection's start to the response head; 10 s unless set. */
  readonly timeoutMs?: number;
  /** For the answer's body; 2 s unless set. */
  readonly answerMs?: number;
  readonly resolve?: Resolve;
}

export interface GuardedOutbound extends Outbound {
  /**
   * Closes every connection at once. An exchange in progress ends as `network`. Its owner has
   * stopped by then and does not record it: the attempt is later recorded as interrupted.
   */
  close(): Promise<void>;
}

const URL_MAX_CHARS = 2048;
const ANSWER_MS = 2_000;
const RESOLVE_MS = 5_000;

/** Why a caller's URL is not called (Portuguese). */
export const URL_REFUSALS = {
  too_long: `A URL pode ter no máximo ${URL_MAX_CHARS} caracteres.`,
  not_a_url: 'A URL não é válida.',
  protocol: 'A URL deve começar com http:// ou https://.',
  userinfo: 'A URL não pode conter usuário nem senha.',
  port: 'A porta da URL não é válida.',
  internal: 'A URL aponta para um endereço de rede interna.',
} as const;

type Checked = { readonly url: URL } | { readonly refused: keyof typeof OPERATOR_REFUSALS };

/** Shared by all exchanges of one outbound. */
interface ExchangeContext {
  readonly agent: Agent;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly answerMs: number;
}

/** Throws on an `allow` entry that is not `host:port`. */
export function createOutbound(options: OutboundOptions): GuardedOutbound {
  const { clock } = options;
  const timeoutMs = options.timeoutMs ?? DELIVERY_TIMEOUT_MS;
  const guard = createAddressGuard(options);
  const resolve = singleFlightResolve(options.resolve ?? resolveBySystem);
  const throughGuard = (admitting: AddressGuard): ExchangeContext => ({
    agent: createGuardedAgent({ guard: admitting, resolve, connectTimeoutMs: timeoutMs }),
    clock,
    timeoutMs,
    answerMs: options.answerMs ?? ANSWER_MS,
  });
  const deliveries = throughGuard(guard);
  const flows = throughGuard(createAddressGuard({ ...options, loopback: false }));
  return {
    refuse: async (text) => {
      const checked = checkUrl(text);
      if ('refused' in checked) return OPERATOR_REFUSALS[checked.refused];
      const found = await addressesOf(checked.url, resolve, clock);
      // A name that does not resolve yet is no danger: every connection is checked again.
      const admitted = everyAdmitted(checked.url, found, guard);
      return admitted ? null : internalRefusal(targetOf(checked.url));
    },
    post: (url, body, headers) =>
      send(deliveries, url, {
        method: 'POST',
        body,
        headers,
        retainedMaxBytes: DELIVERY_ANSWER_RETAINED_MAX_BYTES,
      }),
    request: (url, request) => send(flows, url, request),
    async close() {
      await Promise.all([deliveries.agent.destroy(), flows.agent.destroy()]);
    },
  };
}

async function send(
  context: ExchangeContext,
  text: string,
  request: OutboundRequest,
): Promise<PostOutcome> {
  const { clock } = context;
  const startedAt = clock.monotonic();
  const msSoFar = () => Math.round(clock.monotonic() - startedAt);
  const checked = checkUrl(text);
  if ('refused' in checked) {
    const error = `the URL is refused: ${checked.refused}`;
    return { ok: false, kind: 'blocked_address', error, ms: msSoFar() };
  }
  try {
    const answer = await exchange(context, checked.url, request);
    const head = { ok: true, status: answer.statusCode, ms: msSoFar() } as const;
    const retryAfterMs = parseRetryAfter(answer.headers['retry-after'], clock.now());
    const body = await readAnswer(answer.body, {
      readMaxBytes: DELIVERY_ANSWER_READ_MAX_BYTES,
      retainedMaxBytes: request.retainedMaxBytes,
      withinMs: context.answerMs,
      clock,
    });
    return { ...head, body, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  } catch (error) {
    return { ok: false, ...readNetworkFailure(error), ms: msSoFar() };
  }
}

/** Resolves with the response head; rejects when there is none before the deadline. */
async function exchange(
  context: ExchangeContext,
  url: URL,
  request: OutboundRequest,
): Promise<Dispatcher.ResponseData> {
  const controller = new AbortController();
  const late = `no response head within ${context.timeoutMs} ms`;
  const cancel = context.clock.after(context.timeoutMs, () =>
    controller.abort(new DeadlineError(late)),
  );
  try {
    const { method, body, headers } = request;
    // The deadline above is the only one; undici's own timers are coarser.
    const timers = { headersTimeout: 0, bodyTimeout: 0 };
    const options = { method, body, headers, dispatcher: context.agent, ...timers };
    return await boundedRequest(url, options, controller.signal);
  } finally {
    cancel();
  }
}

/** Checks of a caller's URL that need no network. */
export function checkUrl(text: string): Checked {
  if (text.length > URL_MAX_CHARS) return { refused: 'too_long' };
  if (!URL.canParse(text)) return { refused: 'not_a_url' };
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return { refused: 'protocol' };
  if (url.username !== '' || url.password !== '') return { refused: 'userinfo' };
  if (targetOf(url).port === 0) return { refused: 'port' };
  return { url };
}

/** A URL's addresses, an IP literal's own; none when the name is unknown or too slow to resolve. */
async function addressesOf(
  url: URL,
  resolve: Resolve,
  clock: Clock,
): Promise<readonly ResolvedAddress[]> {
  const { host } = targetOf(url);
  const family = isIP(host);
  if (family !== 0) return [{ address: host, family }];
  const { promise, resolve: settle } = Promise.withResolvers<readonly ResolvedAddress[]>();
  const cancel = clock.after(RESOLVE_MS, () => settle([]));
  // A name that cannot be resolved and one without addresses are refused alike.
  resolve(host).then(settle, () => settle([]));
  return promise.finally(cancel);
}

function everyAdmitted(url: URL, found: readonly ResolvedAddress[], guard: AddressGuard): boolean {
  const target = targetOf(url);
  return found.every(({ address }) => guard.admits(address, target));
}

type BoundedOptions = Omit<Dispatcher.RequestOptions, 'origin' | 'path' | 'signal'> & {
  readonly dispatcher: Dispatcher;
};

/** Resolves with the response head; rejects with the signal's reason as soon as it is aborted. */
export async function boundedRequest(
  url: URL,
  options: BoundedOptions,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([request(url, { ...options, signal }), aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

export interface AnswerBounds {
  readonly readMaxBytes: number;
  readonly retainedMaxBytes: number;
  readonly withinMs: number;
  readonly clock: Clock;
}

/**
 * Reads a body until its end or a bound, and answers its beginning as UTF-8 text of at most
 * `retainedMaxBytes`. Never throws: the response head has already decided the attempt, and what came
 * before a broken connection is kept. A body that was not read to its end costs the connection.
 */
async function readAnswer(body: Readable, bounds: AnswerBounds): Promise<string> {
  const retained: Uint8Array[] = [];
  let read = 0;
  const ended = Promise.withResolvers<void>();
  body.on('data', (chunk: Uint8Array) => {
    if (read < bounds.retainedMaxBytes) retained.push(chunk);
    read += chunk.length;
    if (read >= bounds.readMaxBytes) ended.resolve();
  });
  body
    .once('end', ended.resolve)
    .once('close', ended.resolve)
    .once('error', () => ended.resolve());
  const cancel = bounds.clock.after(bounds.withinMs, ended.resolve);
  await ended.promise;
  cancel();
  // Destroying a body that is not at its end makes it emit an unhandled error.
  body.on('error', () => undefined);
  body.destroy();
  return textOf(Buffer.concat(retained), bounds.retainedMaxBytes);
}

/** Cuts between characters; bytes that are not UTF-8 become U+FFFD and count as that. */
function textOf(bytes: Uint8Array, maxBytes: number): string {
  // A byte that is no UTF-8 becomes three: what is this short fits whatever it is.
  if (bytes.length * 3 <= maxBytes) return new TextDecoder().decode(bytes);
  const text = new TextDecoder().decode(bytes.subarray(0, maxBytes), {
    stream: bytes.length > maxBytes,
  });
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, read);
}

/**
 * `Retry-After` in milliseconds from `now`: whole seconds or an HTTP date (RFC 9110, 10.2.3).
 * Undefined when absent or neither.
 */
function parseRetryAfter(value: string | string[] | undefined, now: number): number | undefined {
  const text = (Array.isArray(value) ? value[0] : value)?.trim() ?? '';
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1000;
  if (!/^[A-Z][a-z]{2,8}, .+ GMT$/.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
