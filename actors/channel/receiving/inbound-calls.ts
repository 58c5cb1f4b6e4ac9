/** The last calls of inbound webhooks, as the channels' owner knows them. */
import { GenerationalCache } from '../../../shared/generational-cache.ts';
import { INBOUND_CALLS_MAX } from '../../../shared/limits.ts';
import type { AnswerOf } from '../../../shared/ports/bus.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { answerOf } from '../../../shared/wire/answer.ts';
import type {
  InboundCall,
  InboundCallList,
  InboundCallsNudge,
  ListInboundCalls,
} from '../../../shared/wire/inbound-calls.ts';
import { timestamp } from '../../../shared/wire/outbox.ts';
import { partitionOf } from '../../../shared/wire/subjects.ts';

/** Of a partition; a channel beyond them is forgotten if it was called least recently. */
const CHANNELS_MAX = 128;

interface PartitionCalls {
  /** Epoch milliseconds. */
  readonly since: number;
  /** Newest first, at most `INBOUND_CALLS_MAX` of a channel. */
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
    const calls = new GenerationalCache<string, readonly InboundCall[]>(CHANNELS_MAX);
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
    const newest = all.toSorted((a, b) => b.at - a.at).slice(0, INBOUND_CALLS_MAX);
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
