/** Lag of each agenda: the age of its oldest entry, read on request. */
import { BACKLOG_COUNTED_MAX } from '../../shared/limits.ts';
import type { Document } from '../../shared/ports/store.ts';
import type { ActorKind } from '../../shared/vocabulary.ts';
import type { AgendaBacklog } from '../../shared/wire/operator-queries.ts';
import { EVERY_PARTITION } from '../../shared/wire/subjects.ts';
import type { Filter, Order, PathOf, Store } from '../model/collections.ts';
import { orderBy, projectionOf, where } from '../runtime/computed.ts';
import { onShelves, SENDS_BY_URGENCY } from '../runtime/shelves.ts';

interface AgendaReading {
  readonly store: Store;
  /** The partitions of a kind that this process holds. */
  readonly numbersOf: (kind: ActorKind) => readonly number[];
  /** Epoch milliseconds. */
  readonly now: number;
}

type AgendaCollection = 'deliveries' | 'entries' | 'tasks';

interface Agenda {
  readonly name: string;
  readonly kind: ActorKind;
  readonly collection: AgendaCollection;
  /** Path of the time from which an entry waits. */
  readonly by: PathOf<AgendaCollection>;
  readonly filter: (numbers: readonly number[], now: number) => Filter<AgendaCollection>;
  /** Of these the age is told; absent: of all. */
  readonly aged?: Filter<AgendaCollection>;
  /** The index to walk, where the engine would keep to its choice of another. */
  readonly index?: Order<AgendaCollection>;
}

/** Of these every process reports its own part. */
const OWN_AGENDAS: readonly Agenda[] = [
  {
    ...{ name: 'sends', kind: 'channel', collection: 'entries', by: 'send.at' },
    // Named, the classes are as many ranges in the order of time; without them all would be sorted.
    filter: (numbers) => ({
      ...onShelves(numbers, 'send.'),
      'send.urgency': { $in: [null, 'reply', 'bulk'] },
      send: { $exists: true },
    }),
    // A bulk message may wait for days.
    aged: where<AgendaCollection>('send.urgency', { $in: [null, 'reply'] }),
    index: SENDS_BY_URGENCY,
  },
  {
    ...{ name: 'deliveries', kind: 'subscription', collection: 'deliveries' },
    by: 'state.nextAttemptAt',
    filter: (numbers, now) => ({
      'state.status': 'pending',
      ...onShelves(numbers),
      'state.nextAttemptAt': { $lte: now },
    }),
  },
];

const AGENDAS: readonly Agenda[] = [
  ...OWN_AGENDAS,
  {
    ...{ name: 'scheduled', kind: 'conversation', collection: 'entries', by: 'due.at' },
    filter: (numbers, now) => ({
      ...onShelves(numbers, 'due.'),
      'due.at': { $lte: now },
      due: { $exists: true },
    }),
  },
  {
    ...{ name: 'timers', kind: 'conversation', collection: 'entries', by: 'timer.at' },
    filter: (numbers, now) => ({
      ...onShelves(numbers, 'timer.'),
      'timer.at': { $lte: now },
      timer: { $exists: true },
    }),
  },
  {
    ...{ name: 'reminders', kind: 'task', collection: 'tasks', by: 'remindAt' },
    filter: (numbers, now) => ({ ...onShelves(numbers), remindAt: { $lte: now } }),
  },
];

/**
 * Milliseconds by agenda, 0 where no work waits. An agenda is left out if this process has no
 * partition of its kind. Each costs one read of the first key of the agenda's own index.
 */
export function agendaAges(reading: AgendaReading): Promise<ReadonlyMap<string, number>> {
  return agesOf(OWN_AGENDAS, reading);
}

/** Every agenda of the service, whoever owns its partitions, as `agendaAges` has them. */
export function everyAgendaAge(store: Store, now: number): Promise<ReadonlyMap<string, number>> {
  return agesOf(AGENDAS, { store, numbersOf: () => EVERY_PARTITION, now });
}

async function agesOf(
  agendas: readonly Agenda[],
  { store, numbersOf, now }: AgendaReading,
): Promise<ReadonlyMap<string, number>> {
  const ages = await Promise.all(
    agendas.map(async (agenda): Promise<readonly (readonly [string, number])[]> => {
      const { name, kind, collection, by, filter, aged, index } = agenda;
      const numbers = numbersOf(kind);
      if (numbers.length === 0) return [];
      const order = {
        ...{ sort: orderBy<AgendaCollection>([by], 1), project: projectionOf([by]) },
        ...(index ? { index } : {}),
      };
      const oldest = await store.findOne(collection, { ...filter(numbers, now), ...aged }, order);
      return [[name, ageOf(agenda, oldest, now)]];
    }),
  );
  return new Map(ages.flat());
}

/** Entries that wait in every agenda of the service, counted up to `BACKLOG_COUNTED_MAX`. */
export function countAgendas(store: Store, now: number): Promise<readonly AgendaBacklog[]> {
  const limit = BACKLOG_COUNTED_MAX + 1;
  return Promise.all(
    AGENDAS.map(async (agenda): Promise<AgendaBacklog> => {
      const { name, collection, by, filter, index } = agenda;
      const sort = orderBy<AgendaCollection>([by], 1);
      const walked = index ? { index } : {};
      const order = { sort, project: projectionOf([by]), limit, ...walked };
      const waiting = await store.find(collection, filter(EVERY_PARTITION, now), order);
      return {
        agenda: name,
        waiting: Math.min(waiting.length, BACKLOG_COUNTED_MAX),
        more: waiting.length > BACKLOG_COUNTED_MAX,
        oldestDueMs: ageOf(agenda, waiting[0] ?? null, now),
      };
    }),
  );
}

function ageOf({ by }: Agenda, entry: Document | null, now: number): number {
  const at = by
    .split('.')
    .reduce<unknown>((inner, name) => Reflect.get(Object(inner), name), entry);
  return typeof at === 'number' ? Math.max(0, now - at) : 0;
}
