/**
 * Caches that the channel senders of a process share. One is the index of recent sends by network
 * name, which saves a read per status; another holds the last calls of inbound webhooks.
 */
import { GenerationalCache } from '../../shared/generational-cache.ts';
import { INBOUND_CALLS_KEPT } from '../../shared/limits.ts';
import type { AnswerOf } from '../../shared/ports/bus.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import { answerOf } from '../../shared/wire/answer.ts';
import type {
  InboundCall,
  InboundCallList,
  InboundCallsNudge,
  ListInboundCalls,
} from '../../shared/wire/inbound-calls.ts';
import { timestamp } from '../../shared/wire/outbox.ts';
import { partitionOf } from '../../shared/wire/subjects.ts';
import { createWatermarks, type Watermarks } from './conversation-queues.ts';
import { type ContactCache, createContactCache } from './resolve-contact.ts';

/** Entries per process: 250 bytes each, two per message. */
const KEPT_MAX = 50_000;

export interface SentMessage {
  readonly conversationId: string;
  readonly messageId: string;
}

interface IndexedMessage extends SentMessage {
  /** Set once the network's acceptance under this name is on record, with the contact's own id. */
  readonly recorded?: { readonly networkId: string | undefined };
}

export type SentNames = GenerationalCache<string, IndexedMessage>;

const sentNames = (): SentNames => new GenerationalCache(KEPT_MAX);

export class SentIndex {
  readonly #channelId: string;
  readonly #names: SentNames;

  constructor(channelId: string, names: SentNames = sentNames()) {
    this.#channelId = channelId;
    this.#names = names;
  }

  /** `name` is our message id or the network's. */
  keep(name: string, { conversationId, messageId }: SentMessage): void {
    this.#names.set(`${this.#channelId}/${name}`, { conversationId, messageId });
  }

  /** The network's answer to the send is on record. */
  keepRecorded(externalId: string, message: SentMessage, networkId: string | undefined): void {
    const { conversationId, messageId } = message;
    const recorded = { conversationId, messageId, recorded: { networkId } };
    this.#names.set(`${this.#channelId}/${externalId}`, recorded);
  }

  /** Whether a status `sent` would add nothing to its conversation. */
  isRecorded(
    externalId: string,
    status: { readonly messageId?: string | undefined; readonly networkId?: string | undefined },
  ): boolean {
    const known = this.#names.get(`${this.#channelId}/${externalId}`);
    if (!known?.recorded) return false;
    // A status without our id reports no id of the contact to the conversation either.
    if (status.messageId === undefined) return true;
    const { networkId = known.recorded.networkId } = status;
    return status.messageId === known.messageId && networkId === known.recorded.networkId;
  }

  find(name: string): SentMessage | undefined {
    return this.#names.get(`${this.#channelId}/${name}`);
  }
}

export interface ChannelCaches {
  readonly watermarks: Watermarks;
  readonly sent: SentNames;
  readonly contacts: ContactCache;
  readonly inboundCalls: InboundCalls;
}

/** Most statuses of a message arrive within seconds; a later one costs a read. */
const SENT_KEPT_MS = 30_000;

export function createChannelCaches(clock: Pick<Clock, 'after' | 'now'>): ChannelCaches {
  const sent = sentNames();
  const age = (): void => {
    sent.age();
    clock.after(SENT_KEPT_MS, age);
  };
  clock.after(SENT_KEPT_MS, age);
  const inboundCalls = new InboundCalls(clock);
  return { watermarks: createWatermarks(), sent, contacts: createContactCache(), inboundCalls };
}

/** Of a partition; a channel beyond them is forgotten if it was called least recently. */
const CHANNELS_KEPT = 128;

interface PartitionCalls {
  /** Epoch milliseconds. */
  readonly since: number;
  /** Newest first, at most `INBOUND_CALLS_KEPT` of a channel. */
  readonly calls: GenerationalCache<string, readonly InboundCall[]>;
}

export function isInboundCallsNudge(payload: unknown): payload is InboundCallsNudge {
  return Array.isArray(Reflect.get(Object(payload), 'inboundCalls'));
}

/**
 * The last calls of each channel's inbound webhook, in the memory of the channel's owner (D230).
 *
 * 1. Nothing is stored: a stored list would cost each active channel a write of its whole list.
 * 2. A partition's calls are forgotten with it; its next owner begins anew and says since when.
 */
export class InboundCalls {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #partitions = new Map<number, PartitionCalls>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** A repeat keeps what is known. */
  begin(partition: number): void {
    if (this.#partitions.has(partition)) return;
    const calls = new GenerationalCache<string, readonly InboundCall[]>(CHANNELS_KEPT);
    this.#partitions.set(partition, { since: this.#clock.now(), calls });
  }

  end(partition: number): void {
    this.#partitions.delete(partition);
  }

  /** Gateways tell their calls in turns: the order is that of the answers. */
  add(partition: number, { channelId, inboundCalls }: InboundCallsNudge): void {
    const known = this.#partitions.get(partition);
    if (!known) return;
    const all = [...inboundCalls, ...(known.calls.get(channelId) ?? [])];
    const newest = all.toSorted((a, b) => b.at - a.at).slice(0, INBOUND_CALLS_KEPT);
    known.calls.set(channelId, newest);
  }

  async list(channelId: string, { orgId }: ListInboundCalls): Promise<AnswerOf<InboundCallList>> {
    const known = this.#partitions.get(partitionOf('channel', channelId));
    const calls = known?.calls.get(channelId) ?? [];
    const data = calls
      .filter((call) => call.orgId === orgId)
      .map(({ orgId: _, at, ...call }) => ({ ...call, at: timestamp(at) }));
    return answerOf({ data, since: timestamp(known?.since ?? this.#clock.now()) });
  }
}
