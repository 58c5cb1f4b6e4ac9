/** Every NATS subject, built and parsed in one place (I15). */
import { PARTITIONS, SHELVES } from '../limits.ts';
import { HINT_KINDS, type HintKind } from '../ports/live.ts';
import { fnv1a } from '../text/fnv1a.ts';
import { ACTOR_KINDS, type ActorKind, CO_LOCATED_WITH } from '../vocabulary.ts';

/** First token of every subject; the adapter puts the installation's prefix in its place. */
export const SUBJECT_ROOT = 'recado';
export const PARTITIONS_PER_SHELF = PARTITIONS / SHELVES;

/** Kinds whose ids name their partition. */
const NAMED: ReadonlySet<string> = new Set(
  Object.entries(CO_LOCATED_WITH).flatMap(([kind, lead]) => (lead ? [kind, lead] : [])),
);

/** The partition of an actor, 0…1023. The number of partitions never changes. */
export function partitionOf(kind: ActorKind, key: string): number {
  if (!NAMED.has(kind)) return spread(fnv1a(`${kind}.${key}`));
  // Ids from before there were more partitions than shelves name none, or the shelf alone.
  return partitionIn(key) ?? (fnv1a(`${kind}.${key}`) % SHELVES) * PARTITIONS_PER_SHELF;
}

/** Each shelf has what one of the first 64 partitions had: a hash keeps its remainder. */
function spread(hash: number): number {
  const slot = Math.floor(hash / SHELVES) % PARTITIONS_PER_SHELF;
  return (hash % SHELVES) * PARTITIONS_PER_SHELF + slot;
}

/** The shelf of a partition, 0…63. */
export function shelfOf(partition: number): number {
  return Math.floor(partition / PARTITIONS_PER_SHELF);
}

/** Where documents name an actor: one without `place` is from before there were shelves. */
export interface Shelved {
  /** The shelf of its partition: the first field of an agenda's index. */
  readonly partition: number;
  /** Its partition. */
  readonly place?: number;
}

/** The shelf of an actor: where its unpublished events are found. */
export function shelfFor(kind: ActorKind, key: string): number {
  return shelfOf(partitionOf(kind, key));
}

export function shelved(kind: ActorKind, key: string): Required<Shelved> {
  const place = partitionOf(kind, key);
  return { partition: shelfOf(place), place };
}

/** The characters that ids are made of, one for each shelf. */
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_';
const NAMING_ID = /^[a-z]{3}_(?<shelf>[\w-])(?<slot>[0-9A-F])?_[0-9A-Za-z]{22}$/;

/** Prefix of the ids of channels made with this key. */
export function channelPrefix(prefix: string, key: string): string {
  return namingPrefix(prefix, spread(fnv1a(`channel.${key}`)));
}

/**
 * Prefix of ids of entities that are co-located with another actor: it contains that actor's
 * partition, which is theirs too (D115).
 */
export function coLocatedPrefix(prefix: string, kind: ActorKind, key: string): string {
  return namingPrefix(prefix, partitionOf(kind, key));
}

/** The first partition of a shelf has its character alone: so conversations keep their ids. */
function namingPrefix(prefix: string, partition: number): string {
  const slot = partition % PARTITIONS_PER_SHELF;
  return `${prefix}_${DIGITS[shelfOf(partition)]}${slot > 0 ? DIGITS[slot] : ''}`;
}

/** Ids from one to below another. */
export interface IdRange {
  readonly $gte: string;
  readonly $lt: string;
}

/**
 * Where the ids of a partition's entities lie. Null where they lie anywhere: ids of the kind are
 * hashes, or name no partition and are of the first one of their shelf.
 */
export function idRangeOf(prefix: string, { kind, number }: Partition): IdRange | null {
  if (!NAMED.has(kind) || number % PARTITIONS_PER_SHELF === 0) return null;
  const named = namingPrefix(prefix, number);
  return { $gte: `${named}_`, $lt: `${named}\`` };
}

/** The partition in an id; undefined in one that names none. */
function partitionIn(id: string): number | undefined {
  const { shelf, slot = '0' } = NAMING_ID.exec(id)?.groups ?? {};
  if (shelf === undefined) return undefined;
  return DIGITS.indexOf(shelf) * PARTITIONS_PER_SHELF + DIGITS.indexOf(slot);
}

export interface Partition {
  readonly kind: ActorKind;
  readonly number: number;
}

/** The numbers of a kind's shelves. */
export const EVERY_SHELF: readonly number[] = Array.from({ length: SHELVES }, (_, shelf) => shelf);

/** The numbers of a kind's partitions. */
export const EVERY_PARTITION: readonly number[] = Array.from(
  { length: PARTITIONS },
  (_, number) => number,
);

/** One string for each partition: as keys of maps the same strings are compared by identity. */
const NAMES: ReadonlyMap<ActorKind, readonly string[]> = new Map(
  ACTOR_KINDS.map((kind) => [kind, EVERY_PARTITION.map((number) => `${kind}.${number}`)]),
);

export function partitionName({ kind, number }: Partition): string {
  return NAMES.get(kind)?.[number] ?? `${kind}.${number}`;
}

const BY_NAME: ReadonlyMap<string, Partition> = new Map(
  ACTOR_KINDS.flatMap((kind) =>
    EVERY_PARTITION.map((number) => [partitionName({ kind, number }), { kind, number }] as const),
  ),
);

export function parsePartition(name: string): Partition | null {
  return BY_NAME.get(name) ?? null;
}

/** The subject in an installation's own space. One that is there already is left as it is. */
export function prefixed(subject: string, prefix: string): string {
  const isThere = prefix === SUBJECT_ROOT || !subject.startsWith(`${SUBJECT_ROOT}.`);
  return isThere ? subject : prefix + subject.slice(SUBJECT_ROOT.length);
}

/** What a process is answered comes below it. */
export function inboxSubject(role: string, processId: string): string {
  return `${SUBJECT_ROOT}.inbox.${role}.${processId}`;
}

/** Asks, or nudges, to the owner of a partition. */
export function ownerSubject(to: 'ask' | 'nudge', { kind, number }: Partition): string {
  return `${SUBJECT_ROOT}.${to}.${kind}.${shelfOf(number)}.${number % PARTITIONS_PER_SHELF}`;
}

/** Those to the owner of every partition of a shelf. */
export function shelfSubject(to: 'ask' | 'nudge', kind: ActorKind, shelf: number): string {
  return `${SUBJECT_ROOT}.${to}.${kind}.${shelf}.*`;
}

/** Asks to a process that is known to own the partition: they share envelopes. */
export function processSubject(processId: string): string {
  return `${SUBJECT_ROOT}.process.${processId}`;
}

export function querySubject(resource: string): string {
  return `${SUBJECT_ROOT}.query.${resource}`;
}

/** Sent to every process that answers queries: it tells who it is. */
export const RESPONDERS_WANTED = `${SUBJECT_ROOT}.responders-wanted`;

/** A topic's question goes to every process that answers it. */
export function topicSubject(topic: string): string {
  return `${SUBJECT_ROOT}.topic.${topic}`;
}

/** A process's metrics, as service discovery offers them. */
export function metricsSubject(role: string, processId: string): string {
  return `${SUBJECT_ROOT}.metrics.${role}.${processId}`;
}

/** Sent to every service that NATS's discovery knows: it answers who it is. */
export const SERVICES_PING = '$SRV.PING';

/** Sent to every process: ownership has changed, read the members again. */
export const MEMBERS_CHANGED = `${SUBJECT_ROOT}.members.changed`;

/** Sent to every asker: partitions have another owner, which hears asks from now on. */
export const OWNERS_CHANGED = `${SUBJECT_ROOT}.owners.changed`;

/** Live hints of an organization of one kind; `*` stands for all of either. */
export function liveSubject(orgId: string, kind: HintKind | '*'): string {
  return `${SUBJECT_ROOT}.live.${orgId}.${kind}`;
}

const LIVE_SUBJECT = /^[\w-]+\.live\.(?<orgId>[\w-]+)\.(?<name>\w+)$/;

/** Null for a kind that this version does not know. */
export function parseLiveSubject(
  subject: string,
): { readonly orgId: string; readonly kind: HintKind } | null {
  const { orgId, name } = LIVE_SUBJECT.exec(subject)?.groups ?? {};
  const kind = HINT_KINDS.find((each) => each === name);
  return orgId === undefined || kind === undefined ? null : { orgId, kind };
}

/** Pushes of an event stream to the process that has its connection. */
export function streamSubject(streamId: string): string {
  return `${SUBJECT_ROOT}.stream.${streamId}`;
}

/** Sent to every owner: a process and the organizations for which it listens. */
export const LIVE_LISTENERS = `${SUBJECT_ROOT}.live-listeners`;
/** Sent to every process that listens: announce it now. */
export const LIVE_LISTENERS_WANTED = `${SUBJECT_ROOT}.live-listeners-wanted`;
