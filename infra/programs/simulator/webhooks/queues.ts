/**
 * Posts to the service's network webhooks.
 *
 * 1. Receipts are sent by queues: one POST of a queue at a time, so that a message's receipts
 *    arrive in order. Receipts that gather meanwhile are sent together, up to the network's batch.
 * 2. A receipt's POST that is not answered with 200 is repeated, with growing waits, for about five
 *    minutes. Then it is dropped, as the real network does in the end.
 * 3. An inbound message is posted once, and the caller that injected it gets the answer.
 * 4. A queue keeps a bounded number of receipts; the oldest are dropped.
 */

import type { Clock } from '../../../../shared/ports/clock.ts';
import {
  createHttpCaller,
  type HttpAnswer,
  type HttpCaller,
} from '../../../adapters/network/http-caller.ts';
import type { ChannelDirectory, SimulatedChannel } from '../network/channels.ts';
import { bridgePost } from './bridge-events.ts';
import { cloudPost } from './cloud-events.ts';
import type { WebhookEntry } from './entry.ts';

const CONNECTIONS = 8;
const QUEUES_PER_CHANNEL = 4;
const QUEUE_KEPT_ENTRIES = 100_000;
const INBOUND_IN_FLIGHT_PER_CHANNEL = 8;
const POST_TIMEOUT_MS = 10_000;
const CLOUD_BATCH = 1_000;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 5_000;
const ATTEMPTS = 66;

interface ReceiptQueue {
  readonly channelId: string;
  entries: WebhookEntry[];
  posting: boolean;
}

interface InboundQueue {
  readonly waiting: { readonly entry: WebhookEntry; readonly settle: (a: HttpAnswer) => void }[];
  inFlight: number;
}

export class WebhookQueues {
  readonly #clock: Clock;
  readonly #directory: ChannelDirectory;
  readonly #http: HttpCaller;
  readonly #onAccepted: (entries: readonly WebhookEntry[]) => void;
  readonly #queues = new Map<string, ReceiptQueue>();
  readonly #inbound = new Map<string, InboundQueue>();
  #closed = false;

  /** `onAccepted` gets the receipts of every POST that was answered with 200. */
  constructor(
    clock: Clock,
    directory: ChannelDirectory,
    onAccepted: (entries: readonly WebhookEntry[]) => void,
  ) {
    this.#onAccepted = onAccepted;
    this.#clock = clock;
    this.#directory = directory;
    this.#http = createHttpCaller(clock, CONNECTIONS);
  }

  /** Queues a receipt; those to one contact keep their order. */
  queue(channelId: string, contact: string, entry: WebhookEntry): void {
    const name = `${channelId}/${queueIndex(contact)}`;
    let queue = this.#queues.get(name);
    if (queue === undefined) {
      queue = { channelId, entries: [], posting: false };
      this.#queues.set(name, queue);
    }
    queue.entries.push(entry);
    if (queue.entries.length > QUEUE_KEPT_ENTRIES) queue.entries.shift();
    if (!queue.posting) void this.#run(name, queue);
  }

  /** Posts one inbound message, together with others that wait for the same channel. */
  postInbound(channel: SimulatedChannel, entry: WebhookEntry): Promise<HttpAnswer> {
    const { channelId } = channel;
    const queue = this.#inbound.get(channelId) ?? { waiting: [], inFlight: 0 };
    this.#inbound.set(channelId, queue);
    return new Promise((settle) => {
      queue.waiting.push({ entry, settle });
      void this.#runInbound(channel, queue);
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#http.close();
  }

  async #run(name: string, queue: ReceiptQueue): Promise<void> {
    queue.posting = true;
    // Reports of the same tick share one POST.
    await Promise.resolve();
    while (queue.entries.length > 0 && !this.#closed) {
      const channel = this.#directory.known().byId(queue.channelId);
      const size = channel?.provider === 'web' ? 1 : sameKind(queue.entries);
      const batch = queue.entries.slice(0, size);
      queue.entries = queue.entries.slice(size);
      await this.#postUntilAccepted(queue.channelId, batch);
    }
    queue.posting = false;
    this.#queues.delete(name);
  }

  async #postUntilAccepted(channelId: string, batch: readonly WebhookEntry[]): Promise<void> {
    let waitMs = FIRST_RETRY_MS;
    for (let attempt = 1; attempt <= ATTEMPTS && !this.#closed; attempt++) {
      // Looked up each time: the service may have moved or changed its secrets meanwhile.
      const channel = await this.#directory.find((set) => set.byId(channelId));
      if (channel !== undefined) {
        const answer = await this.#post(channel, batch);
        if (answer.answered && answer.status === 200) {
          this.#onAccepted(batch);
          return;
        }
      }
      await new Promise<void>((resume) => this.#clock.after(waitMs, resume));
      waitMs = Math.min(waitMs * 2, LAST_RETRY_MS);
    }
  }

  async #runInbound(channel: SimulatedChannel, queue: InboundQueue): Promise<void> {
    await Promise.resolve();
    if (queue.inFlight >= INBOUND_IN_FLIGHT_PER_CHANNEL) return;
    const batch = queue.waiting.splice(0, inboundBatch(channel, queue));
    if (batch.length === 0) return;
    queue.inFlight += 1;
    const answer = await this.#post(
      channel,
      batch.map(({ entry }) => entry),
    );
    queue.inFlight -= 1;
    for (const { settle } of batch) settle(answer);
    if (queue.waiting.length > 0) void this.#runInbound(channel, queue);
    else if (queue.inFlight === 0) this.#inbound.delete(channel.channelId);
  }

  #post(channel: SimulatedChannel, batch: readonly WebhookEntry[]): Promise<HttpAnswer> {
    const build = channel.provider === 'cloud' ? cloudPost : bridgePost;
    const { url, body, headers } = build(channel, batch);
    return this.#http.call({ method: 'POST', url, body, headers, timeoutMs: POST_TIMEOUT_MS });
  }
}

/** How many from the front may share a POST: entries of one kind, within the network's batch. */
function inboundBatch(channel: SimulatedChannel, queue: InboundQueue): number {
  if (channel.provider === 'web') return 1;
  return sameKind(queue.waiting.map(({ entry }) => entry));
}

function sameKind(entries: readonly WebhookEntry[]): number {
  const other = entries.findIndex(({ kind }) => kind !== entries[0]?.kind);
  return Math.min(other === -1 ? entries.length : other, CLOUD_BATCH);
}

function queueIndex(contact: string): number {
  let sum = 0;
  for (let i = 0; i < contact.length; i++) sum = (sum * 31 + contact.charCodeAt(i)) >>> 0;
  return sum % QUEUES_PER_CHANNEL;
}
