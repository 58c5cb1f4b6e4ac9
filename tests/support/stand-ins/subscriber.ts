/** A real subscriber: an HTTP server that keeps every delivery, with scripted answers. */
import * as v from 'valibot';
import { waitFor } from '../wait-for.ts';
import { type Arrived, record } from './server.ts';

export interface Received extends Arrived {
  /** `X-Service-Delivery`. */
  readonly delivery: string;
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** Monotonic milliseconds. */
  readonly at: number;
}

/** The answer: a status, perhaps later, or `hang` for never. */
export type Script = (received: Received) => number | Promise<number> | 'hang';

export interface Subscriber extends AsyncDisposable {
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
  const { url, close } = await record(async (request) => {
    const body = v.parse(EventSchema, JSON.parse(request.bytes.toString('utf8')));
    const delivery = String(request.headers['x-service-delivery']);
    const arrived = { ...request, delivery, ...body, at: performance.now() };
    received.push(arrived);
    const answer = (await scripts.get(request.path)?.(arrived)) ?? 200;
    if (answer === 'hang') return answer;
    return { status: answer, headers: { 'content-type': 'text/plain' }, body: 'received' };
  });
  const at = (path: string) => received.filter((each) => each.path === path);
  return {
    url,
    received,
    at,
    answer: (path, script) => void scripts.set(path, script),
    until: (path, count) =>
      waitFor(() => (at(path).length >= count ? at(path) : null), {
        what: `${count} deliveries at ${path}`,
      }),
    close,
    [Symbol.asyncDispose]: close,
  };
}
