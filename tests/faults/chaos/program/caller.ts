/**
 * Calls of the public API as a careful integrator makes them: only an answer reports an outcome.
 * Without one the outcome is unknown.
 */
import * as v from 'valibot';
import type { Ending } from './recorder.ts';

/** Longer than the service itself takes before it gives up. */
const TIMEOUT_MS = 12_000;

export interface Said extends Ending {
  readonly status: number | null;
  readonly json: unknown;
  readonly headers: Headers | null;
}

export interface Request {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
}

export type Caller = (request: Request) => Promise<Said>;

export function callerOf(baseUrl: string, key: string): Caller {
  return async ({ method, path, body, idempotencyKey }) => {
    const asked = fetch(`${baseUrl}${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = await wholeAnswer(asked);
    return answer instanceof Error
      ? { type: 'info', body: { cause: causeOf(answer) }, status: null, json: null, headers: null }
      : said(answer.response, answer.text);
  };
}

/** The error where the connection broke or nothing came in time. */
async function wholeAnswer(asked: Promise<Response>) {
  try {
    const response = await asked;
    return { response, text: await response.text() };
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function causeOf({ name, cause }: Error): string {
  return `${name} ${String(cause ?? '')}`;
}

function said({ status, headers }: Response, text: string): Said {
  if (status >= 500) return { type: 'info', body: { status }, status, json: null, headers };
  const json: unknown = JSON.parse(text);
  if (status < 300) return { type: 'ok', body: dataOf(json), status, json, headers };
  const retryAfter = headers.get('retry-after');
  return { type: 'refused', body: { status, retryAfter, said: json }, status, json, headers };
}

const Enveloped = v.object({ data: v.unknown() });

export function dataOf(json: unknown): unknown {
  return v.parse(Enveloped, json).data;
}
