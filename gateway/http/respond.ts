/**
 * Response stage, the last one: converts the results of other stages to a reply, and writes it to
 * the connection.
 *
 * 1. Nothing is written after the peer has gone or after an answer.
 * 2. Every answer has `X-Request-Id`, and `RateLimit` and `RateLimit-Policy` once the call was
 *    admitted (D35, rate window).
 * 3. No answer has a CORS header (C1.3).
 * 4. An answer to HEAD has no body, and says how long that of GET would be where it is known.
 */

import { type Failure, renderFailure } from '../../shared/failures.ts';
import type { Answer } from '../../shared/ports/bus.ts';
import type { Rates } from '../../shared/wire/caller.ts';

/** The part of a server's response that is needed here. */
export interface ResponseSink {
  writeStatus(status: string): unknown;
  writeHeader(name: string, value: string): unknown;
  end(body: string | Uint8Array, closeConnection?: boolean): unknown;
  endWithoutBody(reportedLength?: number, closeConnection?: boolean): unknown;
}

export interface ResponseFrame {
  readonly requestId: string;
  /** HEAD. */
  readonly withoutBody: boolean;
  readonly closeConnection: boolean;
}

const JSON_TYPE = 'application/json; charset=utf-8';
/**
 * uWebSockets closes a connection that is idle for 10 s, which its clock of 4 s ticks measures as
 * 8 to 12 s. A client that reuses one until the last moment would meet its end.
 */
const KEEP_ALIVE = 'timeout=8';

/** Of an event stream: a proxy that buffers or compresses would hold the events back. */
export const UNBUFFERED = {
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
} as const;

const STATUS_LINES: Readonly<Record<number, string>> = {
  200: '200 OK',
  201: '201 Created',
  202: '202 Accepted',
  304: '304 Not Modified',
  400: '400 Bad Request',
  401: '401 Unauthorized',
  403: '403 Forbidden',
  404: '404 Not Found',
  405: '405 Method Not Allowed',
  409: '409 Conflict',
  413: '413 Content Too Large',
  422: '422 Unprocessable Content',
  429: '429 Too Many Requests',
  500: '500 Internal Server Error',
  503: '503 Service Unavailable',
};

/** Writes the whole answer; the caller corks. */
export function respond(sink: ResponseSink, reply: Reply, frame: ResponseFrame): void {
  respondHead(sink, reply, frame);
  const close = closesAfter(reply, frame);
  if (frame.withoutBody) sink.endWithoutBody(bodyBytesOf(reply), close);
  else sink.end(reply.bytes ?? reply.body, close);
}

/** Writes status and headers; the caller corks, and writes the body. */
export function respondHead(
  sink: Pick<ResponseSink, 'writeStatus' | 'writeHeader'>,
  reply: Reply,
  frame: Omit<ResponseFrame, 'withoutBody'>,
): void {
  sink.writeStatus(STATUS_LINES[reply.status] ?? String(reply.status));
  sink.writeHeader('content-type', reply.contentType ?? JSON_TYPE);
  sink.writeHeader('x-request-id', frame.requestId);
  if (!closesAfter(reply, frame)) sink.writeHeader('keep-alive', KEEP_ALIVE);
  if (reply.rates) writeRates(sink, reply.rates);
  for (const name in reply.headers) sink.writeHeader(name, reply.headers[name] ?? '');
}

function closesAfter(reply: Reply, frame: Pick<ResponseFrame, 'closeConnection'>): boolean {
  return frame.closeConnection || reply.close === true;
}

/** Undefined where the body comes in parts. */
function bodyBytesOf({ body, bytes, stream }: Reply): number | undefined {
  if (stream) return stream.sizeBytes ?? undefined;
  return bytes?.length ?? Buffer.byteLength(body);
}

function writeRates(sink: Pick<ResponseSink, 'writeHeader'>, { key, org }: Rates): void {
  sink.writeHeader('ratelimit-policy', `"key";q=${key.limit};w=60, "org";q=${org.limit};w=60`);
  sink.writeHeader(
    'ratelimit',
    `"key";r=${key.remaining};t=${key.resetSeconds}, ` +
      `"org";r=${org.remaining};t=${org.resetSeconds}`,
  );
}

/** A body that is too long to be held: it is written as it comes. */
export interface BodyStream {
  /** Null while unknown: the body is then sent in chunks. */
  readonly sizeBytes: number | null;
  /** In order, together `sizeBytes` long. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** From then on no peer is waited for that does not read: its connection is cut. */
  readonly cutOff?: Promise<void>;
  /** It cuts off a peer that does not read: the server's own time limit is shorter. */
  readonly hasOwnTimeout?: true;
  /** Releases the body's resources, after success or failure; called once or twice. */
  end(): void;
}

export interface Reply {
  readonly status: number;
  readonly body: string;
  /** Written instead of `body`. */
  readonly stream?: BodyStream;
  /** Written instead of `body`: a file from memory. */
  readonly bytes?: Uint8Array;
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
  if (failure.kind === 'unauthorized' || failure.kind === 'key_expired') {
    return { status, body, headers: { 'www-authenticate': 'Bearer' } };
  }
  // The panel's page must know it from another absence: it forgets the operator's choice.
  if (failure.kind === 'organization_not_found') {
    return { status, body, headers: { 'x-recado-organization': 'absent' } };
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
