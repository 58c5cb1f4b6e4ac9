/** Every NATS subject, built and parsed in one place (I15). */
import { PARTITIONS } from '../limits.ts';
import { HINT_KINDS, type HintKind } from '../ports/live.ts';
import { fnv1a } from '../text/fnv1a.ts';
import { ACTOR_KINDS, type ActorKind, CO_LOCATED_WITH } from '../vocabulary.ts';

const ROOT = 'recado';

/** The partition of an actor, 0…63. The number of partitions never changes. */
export function partitionOf(kind: ActorKind, key: string): number {
  const coLocated = CO_LOCATED_WITH[kind] && partitionIn(key);
  return coLocated ?? fnv1a(`${kind}.${key}`) % PARTITIONS;
}

/** One for each partition, of the characters that ids are made of. */
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_';
const CO_LOCATED_ID = /^[a-z]{3}_(?<digit>[\w-])_[0-9A-Za-z]{22}$/;

/**
 * Prefix of ids of entities that are co-located with another actor: it contains that actor's
 * partition, which is theirs too (D115).
 */
export function coLocatedPrefix(prefix: string, kind: ActorKind, key: string): string {
  return `${prefix}_${DIGITS[partitionOf(kind, key)]}`;
}

/** The partition in an id; undefined in a name that is no id of ours. */
function partitionIn(id: string): number | undefined {
  const digit = CO_LOCATED_ID.exec(id)?.groups?.digit;
  return digit === undefined ? undefined : DIGITS.indexOf(digit);
}

export interface Partition {
  readonly kind: ActorKind;
  readonly number: number;
}

const NUMBERS = Array.from({ length: PARTITIONS }, (_, number) => number);

/** One string for each partition: as keys of maps the same strings are compared by identity. */
const NAMES: ReadonlyMap<ActorKind, readonly string[]> = new Map(
  ACTOR_KINDS.map((kind) => [kind, NUMBERS.map((number) => `${kind}.${number}`)]),
);

export function partitionName({ kind, number }: Partition): string {
  return NAMES.get(kind)?.[number] ?? `${kind}.${number}`;
}

const BY_NAME: ReadonlyMap<string, Partition> = new Map(
  ACTOR_KINDS.flatMap((kind) =>
    NUMBERS.map((number) => [partitionName({ kind, number }), { kind, number }] as const),
  ),
);

export function parsePartition(name: string): Partition | null {
  return BY_NAME.get(name) ?? null;
}

/** Asks to the owner of a partition. */
export function askSubject(partition: Partition): string {
  return `${ROOT}.ask.${partitionName(partition)}`;
}

/** Asks to a process that is known to own the partition: they share envelopes. */
export function processSubject(processId: string): string {
  return `${ROOT}.process.${processId}`;
}

export function nudgeSubject(partition: Partition): string {
  return `${ROOT}.nudge.${partitionName(partition)}`;
}

export function querySubject(resource: string): string {
  return `${ROOT}.query.${resource}`;
}

/** Sent to every process that answers queries: it tells who it is. */
export const RESPONDERS_WANTED = `${ROOT}.responders-wanted`;

/** A topic's question goes to every process that answers it. */
export function topicSubject(topic: string): string {
  return `${ROOT}.topic.${topic}`;
}

/** A process's metrics, as service discovery offers them. */
export function metricsSubject(processId: string): string {
  return `${ROOT}.metrics.${processId}`;
}

/** Sent to every service that NATS's discovery knows: it answers who it is. */
export const SERVICES_PING = '$SRV.PING';

/** Sent to every process: ownership has changed, read the members again. */
export const MEMBERS_CHANGED = `${ROOT}.members.changed`;

/** Live hints of an organization of one kind; `*` stands for all of either. */
export function liveSubject(orgId: string, kind: HintKind | '*'): string {
  return `${ROOT}.live.${orgId}.${kind}`;
}

const LIVE_SUBJECT = /^\w+\.live\.(?<orgId>[\w-]+)\.(?<name>\w+)$/;

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
  return `${ROOT}.stream.${streamId}`;
}

/** Sent to every owner: a process and the organizations for which it listens. */
export const LIVE_LISTENERS = `${ROOT}.live-listeners`;
/** Sent to every process that listens: announce it now. */
export const LIVE_LISTENERS_WANTED = `${ROOT}.live-listeners-wanted`;
