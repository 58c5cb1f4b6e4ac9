/**
 * Event streams of an organization: subscriptions whose transport is a connection. They begin with
 * their first connection and end 24 h after the last one, or with their key.
 */
import { type Failure, failure } from '../../../shared/failures.ts';
import {
  EVENT_STREAM_RETENTION_MS,
  EVENT_STREAMS_PER_KEY,
  EVENT_STREAMS_PER_ORGANIZATION,
} from '../../../shared/limits.ts';
import type { KeyEntry, StreamEntry } from '../organization.ts';
import { isExpired, isLive } from './keys.ts';

/** The part of an organization that its streams depend on. */
export interface Streaming {
  readonly removed?: boolean;
  readonly keys: readonly KeyEntry[];
  readonly streams?: readonly StreamEntry[];
}

/** Commands that are remembered; a repeat comes within seconds. */
const OPENED_MAX = 8;

export interface Opening {
  /** The command's. */
  readonly id: string;
  readonly streamId: string;
  readonly keyId: string;
  readonly name: string;
  readonly events: readonly string[];
}

/** A key that opens calls: neither removed nor revoked, nor expired. */
function goodKey({ keys, removed }: Streaming, keyId: string, now: number): KeyEntry | null {
  const key = keys.find(({ id }) => id === keyId);
  return key && removed !== true && isLive(key) && !isExpired(key, now) ? key : null;
}

function isRetained({ seenAt }: StreamEntry, now: number): boolean {
  return now - seenAt < EVENT_STREAM_RETENTION_MS;
}

/** A stream that gets events, with its key's channel; null scope is the whole organization. */
export interface LiveStream extends StreamEntry {
  readonly channelId: string | null;
  /** Of its key, epoch milliseconds; absent where it lasts. */
  readonly expiresAt?: number;
}

export function liveStreams(state: Streaming, now: number): readonly LiveStream[] {
  return (state.streams ?? []).flatMap((stream) => {
    const key = isRetained(stream, now) ? goodKey(state, stream.keyId, now) : null;
    return key ? [liveStream(stream, key)] : [];
  });
}

/** Clocks differ: a stream that has ended for this process may live for its owner, which decides. */
export const CLOCK_SKEW_MS = 60 * 60 * 1000;

function liveStream(stream: StreamEntry, { scope, channelId, expiresAt }: KeyEntry): LiveStream {
  const until = expiresAt === undefined ? {} : { expiresAt };
  return { ...stream, channelId: scope === 'channel' ? channelId : null, ...until };
}

/** Messages and conversations belong to a channel; contacts, deals and tasks to all (C1.4). */
export function hears(
  { channelId }: Pick<LiveStream, 'channelId'>,
  event: string,
  data: Readonly<Record<string, unknown>>,
): boolean {
  if (channelId === null) return true;
  if (event.startsWith('conversation.')) return channelOf(data.conversation) === channelId;
  return !event.startsWith('message.') || data.channelId === channelId;
}

/** Of a conversation as the API shows it. */
function channelOf(conversation: unknown): unknown {
  const { channel } = Object(conversation);
  return Object(channel).id;
}

interface Opened {
  /** Null where a repeat changes nothing. */
  readonly streams: readonly StreamEntry[] | null;
  readonly connection: number;
  readonly generation: number;
}

/** The streams after the connection, and its number. Ended streams are forgotten here. */
export function openStream(
  state: Streaming,
  { id: commandId, streamId, keyId, name, events }: Opening,
  now: number,
): Opened | Failure {
  if (!goodKey(state, keyId, now)) return failure('unauthorized');
  const live = liveStreams(state, now).map(({ channelId: _c, expiresAt: _e, ...stream }) => stream);
  const known = live.find(({ id }) => id === streamId);
  const generation = known?.createdAt ?? now;
  const repeated = known?.opened.find(({ id }) => id === commandId);
  if (repeated) return { streams: null, connection: repeated.connection, generation };
  const others = live.filter(({ id }) => id !== streamId);
  const ofKey = others.filter((stream) => stream.keyId === keyId).length;
  const isFull = ofKey >= EVENT_STREAMS_PER_KEY || others.length >= EVENT_STREAMS_PER_ORGANIZATION;
  if (!known && isFull) return failure('too_many_streams');
  const connection = (known?.connection ?? 0) + 1;
  const opened: StreamEntry = {
    ...{ id: streamId, keyId, name, events, connection },
    opened: [...(known?.opened ?? []), { id: commandId, connection }].slice(-OPENED_MAX),
    ...{ createdAt: generation, seenAt: now },
  };
  return { streams: [...others, opened], connection, generation };
}

/** The streams after a sign of the connection; null where there is no such stream. */
export function touchStream(
  state: Streaming,
  streamId: string,
  now: number,
): readonly StreamEntry[] | null {
  if (!liveStreams(state, now).some(({ id }) => id === streamId)) return null;
  return (state.streams ?? []).map((each) =>
    each.id === streamId ? { ...each, seenAt: now } : each,
  );
}

/**
 * The streams after an `apply`: those whose key had ended and is good again are not among them, for
 * they have recorded nothing meanwhile (D485). The next connection begins one that is empty.
 */
export function streamsAfter(
  { before, after }: { readonly before: Streaming; readonly after: Pick<Streaming, 'keys'> },
  now: number,
): readonly StreamEntry[] {
  const { streams = [] } = before;
  const renewed = new Set(
    after.keys.flatMap(({ id }) =>
      goodKey(before, id, now) === null && goodKey(after, id, now) !== null ? [id] : [],
    ),
  );
  const kept = streams.filter(({ keyId }) => !renewed.has(keyId));
  return kept.length === streams.length ? streams : kept;
}

/** Streams that a change of the organization has ended, or whose keys have other terms now. */
export function changedStreams(
  { before, after }: { readonly before: Streaming | null; readonly after: Streaming },
  now: number,
): readonly string[] {
  if (!before || before.streams === undefined) return [];
  const terms = new Map(liveStreams(after, now).map((stream) => [stream.id, stream]));
  return liveStreams(before, now).flatMap(({ id, channelId, expiresAt }) => {
    const known = terms.get(id);
    return known && known.channelId === channelId && known.expiresAt === expiresAt ? [] : [id];
  });
}
