/**
 * Forwards the events of a stream to an address.
 *
 * 1. An event is forwarded up to seven times, and then its last outcome is recorded. Unless it is
 *    recorded, it comes with the next connection, or with the next start.
 * 2. Events of one conversation, deal, task or contact go in their order, each after the one before
 *    has its outcome. Other events go on.
 * 3. An event that comes again while it is in hand is not forwarded twice.
 * 4. No connection acknowledges anything: only recorded outcomes do.
 */
import { Stream } from '../connection.ts';
import { DEFAULT_NAME } from '../events.ts';
import type { ServerSentEvent } from '../server-sent-events.ts';
import { Transport } from '../transport.ts';
import type * as declared from './api.ts';
import { entityOf } from './entity.ts';
import { forward, isDelivered } from './forward.ts';
import { Recorder } from './recorder.ts';
import { Semaphore } from './semaphore.ts';

const RETRY_WAITS_MS = [1_000, 5_000, 30_000, 30_000, 30_000, 30_000];
const AT_ONCE = 16;
/** The service writes no more than twice as many that have no outcome. */
const IN_HAND_MAX = 500;
const LOOK_AGAIN_MS = 10_000;

interface Waiting {
  readonly message: ServerSentEvent;
  readonly headerPrefix: string;
}

export const listen: typeof declared.listen = (options) => new Listener(options);

class Listener implements declared.Listening {
  readonly ended: Promise<void>;
  readonly #options: declared.ListenOptions;
  readonly #transport: Transport;
  readonly #stream: Stream;
  readonly #recorder: Recorder;
  readonly #end = new AbortController();
  readonly #semaphore = new Semaphore(AT_ONCE);
  /** By entity; the first one is being forwarded. */
  readonly #queues = new Map<string, Waiting[]>();
  readonly #inHand = new Set<string>();
  readonly #forwarding = new Set<Promise<void>>();
  #onCapacity: () => void = () => undefined;

  constructor(options: declared.ListenOptions) {
    const { name = DEFAULT_NAME, events, onOverflow } = options;
    this.#options = options;
    this.#transport = new Transport(options);
    const { signal } = this.#end;
    this.#stream = new Stream(this.#transport, { name, events, signal, onOverflow });
    this.#recorder = new Recorder(this.#transport, name, (ids) => this.#letGo(ids));
    this.ended = this.#run();
  }

  async close(): Promise<void> {
    this.#end.abort();
    await this.ended.catch(() => undefined);
  }

  async #run(): Promise<void> {
    const { signal } = this.#end;
    try {
      while (!signal.aborted) {
        await this.#recorder.flush();
        if (this.#inHand.size > IN_HAND_MAX) await this.#untilCapacity();
        const connection = await this.#stream.connect(null);
        if (!connection) break;
        this.#options.onConnected?.();
        const { headerPrefix } = connection;
        for await (const message of connection.events()) this.#take({ message, headerPrefix });
      }
    } finally {
      this.#end.abort();
      await Promise.all(this.#forwarding);
      await this.#recorder.close();
    }
  }

  #take(waiting: Waiting): void {
    const { id, data } = waiting.message;
    if (this.#inHand.has(id)) return;
    this.#inHand.add(id);
    const entity = entityOf(data) ?? id;
    const queue = this.#queues.get(entity);
    if (queue) {
      queue.push(waiting);
      return;
    }
    const own = [waiting];
    this.#queues.set(entity, own);
    const work = this.#drain(entity, own).finally(() => this.#forwarding.delete(work));
    this.#forwarding.add(work);
  }

  async #drain(entity: string, queue: Waiting[]): Promise<void> {
    for (let next = queue[0]; next && !this.#end.signal.aborted; next = queue[0]) {
      await this.#settle(next);
      queue.shift();
    }
    this.#queues.delete(entity);
  }

  async #settle({ message, headerPrefix }: Waiting): Promise<void> {
    const { forwardTo: url, secret, onAttempt, retryWaitsMs = RETRY_WAITS_MS } = this.#options;
    const { platform } = this.#transport;
    const { signal } = this.#end;
    const { id, event } = message;
    for (let attempt = 1; ; attempt += 1) {
      const forwarding = { url, secret, headerPrefix, signal };
      const outcome = await this.#semaphore.within(() => forward(platform, message, forwarding));
      // An attempt that the end has cut off is no outcome.
      if (signal.aborted && outcome.status === null) return;
      const againInMs = isDelivered(outcome) ? null : (retryWaitsMs[attempt - 1] ?? null);
      onAttempt?.({ id, event, ...outcome, attempt, againInMs });
      if (againInMs === null) {
        this.#recorder.add({ id, ...outcome });
        return;
      }
      await platform.sleep(againInMs, signal);
      if (signal.aborted) return;
    }
  }

  #letGo(ids: readonly string[]): void {
    for (const id of ids) this.#inHand.delete(id);
    if (this.#inHand.size <= IN_HAND_MAX) this.#onCapacity();
  }

  async #untilCapacity(): Promise<void> {
    const { signal } = this.#end;
    const capacity = new Promise<void>((resolve) => {
      this.#onCapacity = resolve;
    });
    const looked = new AbortController();
    const ends = AbortSignal.any([signal, looked.signal]);
    await Promise.race([capacity, this.#transport.platform.sleep(LOOK_AGAIN_MS, ends)]);
    looked.abort();
  }
}
