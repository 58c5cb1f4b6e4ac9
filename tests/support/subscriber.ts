/**
 * A real subscriber: an HTTP server that keeps every delivery as it came, with scripted answers.
 */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import * as v from 'valibot';
import { waitFor } from './wait-for.ts';

export interface Received {
  readonly path: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** `X-Service-Delivery`. */
  readonly delivery: string;
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** Monotonic milliseconds. */
  readonly at: number;
}

/** The answer: a status, perhaps later, or `hang` for never. */
export type Script = (received: Received) => number | Promise<number> | 'hang';

export interface Subscriber {
  readonly url: string;
  readonly received: readonly Received[];
  /** Answers to one path are told anew; 200 unless told otherwise. */
  answer(path: string, script: Script): void;
  /** Requests at a path, in order. */
  at(path: string): readonly Received[];
  /** Waits until so many have come to a path. */
  until(path: string, count: number): Promise<readonly Received[]>;
  close(): Promise<void>;
}

const EventSchema = v.object({ event: v.string(), data: v.record(v.string(), v.unknown()) });

export async function startSubscriber(): Promise<Subscriber> {
  const received: Received[] = [];
  const scripts = new Map<string, Script>();
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    const bytes = await buffer(request);
    const body = v.parse(EventSchema, JSON.parse(bytes.toString('utf8')));
    const delivery = String(request.headers['x-service-delivery']);
    const { method = '', headers } = request;
    const arrived = { path, method, headers, bytes, delivery, ...body, at: performance.now() };
    received.push(arrived);
    const answer = (await scripts.get(path)?.(arrived)) ?? 200;
    if (answer === 'hang') return;
    response.writeHead(answer, { 'content-type': 'text/plain' }).end('received');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const at = (path: string) => received.filter((each) => each.path === path);
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    at,
    answer: (path, script) => void scripts.set(path, script),
    until: (path, count) =>
      waitFor(() => (at(path).length >= count ? at(path) : null), {
        what: `${count} deliveries at ${path}`,
      }),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
