/**
 * Capacity model: the part of an installation that saturates first, from the cost of a message.
 * Every limit is the rate at which one part has used up the share of its cores that it should be
 * run at:
 *
 * 1. cores: all parts, each with its share of them.
 * 2. partitions: the busiest actors process, which has the odd partition of every kind.
 * 3. MongoDB: its primaries. A message's writes go to one of them each.
 * 4. NATS: its servers. In a cluster a message passes two servers, unless both ends happen to be at
 *    the same one.
 * 5. one subscription: its owner is one process, which makes all of its deliveries. An organization's
 *    calls are admitted, and its events recorded, by every process (D346, D347).
 */
import { PARTITIONS } from '../../../shared/limits.ts';

/** Milliseconds of one core for one message. */
export interface Costs {
  readonly gateway: number;
  /** All kinds of actors, in one process. */
  readonly actors: number;
  /** All kinds, where nearly every ask goes to another process. */
  readonly actorsApart: number;
  readonly nats: number;
  readonly natsApart: number;
  readonly mongo: number;
  readonly byKind: Readonly<Record<string, number>>;
}

export interface Parts {
  readonly cores: number;
  /** Primaries that accept writes, with or without shards. */
  readonly primaries: number;
  readonly coresPerPrimary: number;
  readonly natsServers: number;
  readonly coresPerNatsServer: number;
  /** Of a core, at which it is to be run: above it queues grow. */
  readonly share: number;
}

export interface Limits {
  readonly processes: number;
  /** Messages per second, by the part that reaches its limit. */
  readonly perSecond: Readonly<Record<string, number>>;
  /** The least of all limits but one subscription's, and its name. */
  readonly first: string;
  readonly rate: number;
}

const MS = 1000;

/** The share of asks that leaves the process, when an actor may be in any process. */
export function shareApart(processes: number): number {
  return 1 - 1 / processes;
}

/** From one process, in which every ask is local, to many. */
function between(together: number, apart: number, processes: number): number {
  return together + (apart - together) * shareApart(processes);
}

export function limitsOf(costs: Costs, parts: Parts): Limits {
  const { cores, share } = parts;
  const processes = processesOf(costs, parts);
  const { actors, nats, whole } = costsAt(costs, processes);
  const natsHops = 2 - 1 / parts.natsServers;
  const subscription = costs.byKind.subscription ?? Number.NaN;
  const perSecond = {
    cores: (cores * share * MS) / whole,
    partitions: (processes * share * MS) / actors / unevenness(processes),
    mongodb: (parts.primaries * parts.coresPerPrimary * share * MS) / costs.mongo,
    nats: (parts.natsServers * parts.coresPerNatsServer * share * MS) / (nats * natsHops),
    subscription: (share * MS) / subscription,
  };
  const shared = Object.entries(perSecond).filter(([name]) => name !== 'subscription');
  const [first = '', rate = Number.NaN] = shared.toSorted(([, a], [, b]) => a - b)[0] ?? [];
  return { processes, perSecond, first, rate };
}

/** Milliseconds of a core a message, with so many actors processes. */
export function costsAt(costs: Costs, processes: number) {
  const actors = between(costs.actors, costs.actorsApart, processes);
  const nats = between(costs.nats, costs.natsApart, processes);
  return { actors, nats, whole: costs.gateway + actors + nats + costs.mongo };
}

/** Actors processes, one core each: the actors' share of all cores. */
function processesOf(costs: Costs, { cores }: Parts): number {
  const { actors, whole } = costsAt(costs, Math.max(1, cores / 2));
  return Math.max(1, Math.round((cores * actors) / whole));
}

/** How much more than an even part the busiest of so many processes has, of one weight each. */
export function unevenness(processes: number): number {
  return (Math.ceil(PARTITIONS / processes) * processes) / PARTITIONS;
}
