/** One HTTP exchange of the simulator: reading a body, answering, and refusing to answer. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { Reply } from '../cloud/schema/errors.ts';
import type { Fault } from '../network/faults.ts';

const BODY_MAX_BYTES = 110 * 1024 * 1024;

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: string;
}

/** The whole body; rejects when it is longer than the largest media. */
export function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > BODY_MAX_BYTES) reject(new Error('body too long'));
      else chunks.push(chunk);
    });
    request.on('end', () =>
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)),
    );
    request.on('error', reject);
  });
}

export function respond(response: ServerResponse, reply: Reply): void {
  const body = Buffer.from(reply.body);
  response.writeHead(reply.status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
  });
  response.end(body);
}

export function respondBytes(
  response: ServerResponse,
  media: { readonly mimeType: string; readonly bytes: Buffer },
): void {
  response.writeHead(200, { 'content-type': media.mimeType, 'content-length': media.bytes.length });
  response.end(media.bytes);
}

export function respondJson(response: ServerResponse, status: number, value: unknown): void {
  respond(response, { status, body: JSON.stringify(value) });
}

/** Resolves when the call has been held as long as the fault says. */
export function held(clock: Clock, fault: Fault | null): Promise<void> {
  const ms = fault?.holdMs ?? 0;
  return ms === 0 ? Promise.resolve() : new Promise((resolve) => void clock.after(ms, resolve));
}

/** Answers as the fault lets it: later, or never. */
export function respondUnder(
  fault: Fault | null,
  clock: Clock,
  exchange: Exchange,
): (reply: Reply) => void {
  return (reply) => {
    const finish = () => {
      if (fault?.loseAnswer || fault?.loseRequest) exchange.request.socket.destroy();
      else if (!exchange.response.destroyed) respond(exchange.response, reply);
    };
    if (fault?.delayMs) clock.after(fault.delayMs, finish);
    else finish();
  };
}
