/** Calls of the API: one request, its repeats, and its answer or error. */
import { randomUUID } from 'node:crypto';
import type { CallOptions, ClientOptions, FileInput } from './api.ts';
import { NoAnswer, RecadoError, secondsOf } from './errors.ts';
import { type Platform, platformOf } from './platform.ts';
import { waitBeforeRepeat } from './retry.ts';

const TIMEOUT_MS = 90_000;
const RETRY_FOR_MS = 120_000;
/** The service then goes by the name. */
const UNKNOWN_TYPE = 'application/octet-stream';

export type QueryValue = string | number | boolean | undefined;

export interface Call extends CallOptions {
  readonly method: 'GET' | 'POST';
  /** With its ids, encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly body?: unknown;
  /** In place of a body. */
  readonly file?: FileInput;
  /** Sends an `Idempotency-Key`. */
  readonly isKeyed?: boolean;
  /** The body of a success is the caller's to read. */
  readonly isRaw?: boolean;
  /** Statuses that are results beside 2xx, unless their body has an `error`. */
  readonly answers?: readonly number[];
}

export class Transport {
  readonly platform: Platform;
  readonly #base: string;
  readonly #options: ClientOptions;

  constructor(options: ClientOptions, platform: Platform = platformOf(options.fetch)) {
    this.platform = platform;
    this.#options = options;
    this.#base = options.baseUrl.replace(/\/+$/, '');
  }

  /**
   * @throws RecadoError for a refusal or a fault; NoAnswer; the signal's reason
   */
  async call(call: Call): Promise<Answer> {
    const { now, random, sleep } = this.platform;
    const { retryForMs = RETRY_FOR_MS } = this.#options;
    const init = this.#initOf(call);
    const began = now();
    for (let attempt = 1; ; attempt += 1) {
      const { answer, cause } = await this.#attempt(call, init);
      if (answer && isResult(answer, call)) return answer;
      const retryAfterSeconds = secondsOf(answer?.response.headers.get('retry-after') ?? null);
      const status = answer?.response.status ?? null;
      const waitMs = waitBeforeRepeat(
        { attempt, elapsedMs: now() - began, status, retryAfterSeconds },
        { retryForMs, unit: random() },
      );
      if (waitMs === null) {
        if (answer) throw errorOf(answer);
        throw new NoAnswer(`${call.method} ${call.path}`, { cause });
      }
      await sleep(waitMs, call.signal);
      call.signal?.throwIfAborted();
    }
  }

  /** One attempt without repeats. @param signal ends it, also while its body is read */
  fetch(call: Call, headers: Readonly<Record<string, string>>, signal: AbortSignal) {
    const init = this.#initOf(call);
    const all = { ...init.headers, ...headers };
    return this.platform.fetch(this.#urlOf(call), { ...init, headers: all, signal });
  }

  async #attempt(call: Call, init: RequestInit): Promise<Attempt> {
    const { timeoutMs = TIMEOUT_MS } = this.#options;
    const ends = [AbortSignal.timeout(timeoutMs), ...(call.signal ? [call.signal] : [])];
    try {
      const signal = AbortSignal.any(ends);
      const response = await this.platform.fetch(this.#urlOf(call), { ...init, signal });
      if (call.isRaw === true && response.ok) return { answer: { response, body: null } };
      // A body that breaks off is a lost answer too.
      return { answer: { response, body: jsonOf(await response.text()) } };
    } catch (cause) {
      call.signal?.throwIfAborted();
      return { cause };
    }
  }

  #urlOf({ path, query = {} }: Call): string {
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    const text = new URLSearchParams(
      given.map(([name, value]): [string, string] => [name, String(value)]),
    );
    return `${this.#base}${path}${given.length > 0 ? `?${text}` : ''}`;
  }

  #initOf({ method, body, file, isKeyed, idempotencyKey }: Call) {
    const key = isKeyed === true ? { 'idempotency-key': idempotencyKey ?? randomUUID() } : {};
    const authorization = `Bearer ${this.#options.key}`;
    if (file) {
      const { bytes, name, mimeType = UNKNOWN_TYPE } = file;
      const described = { 'content-type': mimeType, 'x-file-name': encodeURIComponent(name) };
      return { method, headers: { authorization, ...described, ...key }, body: bytes };
    }
    if (body === undefined) return { method, headers: { authorization, ...key } };
    const headers = { authorization, 'content-type': 'application/json', ...key };
    return { method, headers, body: JSON.stringify(body) };
  }
}

export interface Answer {
  readonly response: Response;
  /** Its JSON; null where it is none, and for a raw call. */
  readonly body: unknown;
}

interface Attempt {
  readonly answer?: Answer;
  readonly cause?: unknown;
}

/** The error of an answer that is no result. */
export function errorOf({ response, body }: Answer): RecadoError {
  return new RecadoError(response.status, response.headers, body);
}

function isResult({ response, body }: Answer, { answers = [] }: Call): boolean {
  if (response.ok) return true;
  return answers.includes(response.status) && isValue(body);
}

function isValue(body: unknown): boolean {
  return typeof body === 'object' && body !== null && !('error' in body);
}

export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
