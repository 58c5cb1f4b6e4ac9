/** The reply of a request, and the conversion of the other stages' results to it. */

import { type Failure, renderFailure } from '../shared/failures.ts';
import type { Answer } from '../shared/ports/bus.ts';
import type { Rate } from '../shared/wire/caller.ts';

export interface Rates {
  readonly key: Rate;
  readonly org: Rate;
}

/** A body that is too long to be held: it is written as it comes. */
export interface BodyStream {
  /** Null while unknown: the body is then sent in chunks. */
  readonly sizeBytes: number | null;
  /** In order, together `sizeBytes` long. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Releases the body's resources, after success or failure. */
  end(): void;
}

export interface Reply {
  readonly status: number;
  readonly body: string;
  /** Written instead of `body`. */
  readonly stream?: BodyStream;
  /** JSON unless set. */
  readonly contentType?: string;
  /** Further headers, lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly rates?: Rates;
  /** The rest of the request was not read: the connection cannot be used again. */
  readonly close?: boolean;
  /** A part of the call has taken effect, even if the call is refused. */
  readonly partiallyApplied?: boolean;
}

export function jsonReply(status: number, value: unknown): Reply {
  return { status, body: JSON.stringify(value) };
}

/** A refusal in the shape of C7.1, with the headers that HTTP asks for. */
export function refusalReply(failure: Failure): Reply {
  const { status, body } = renderFailure(failure);
  if (failure.kind === 'unauthorized') {
    return { status, body, headers: { 'www-authenticate': 'Bearer' } };
  }
  if (failure.retryAfterSeconds === undefined) return { status, body };
  return { status, body, headers: { 'retry-after': String(failure.retryAfterSeconds) } };
}

/** An actor's or a query's answer, unparsed. */
export function answerReply(answer: Answer): Reply {
  if (!answer.headers) return { status: answer.status, body: answer.body };
  const { 'content-type': contentType, ...headers } = answer.headers;
  const reply = { status: answer.status, body: answer.body, headers };
  return contentType === undefined ? reply : { ...reply, contentType };
}
