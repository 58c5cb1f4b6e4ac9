/** Lag of each agenda: the age of its oldest entry, read on request. */
import type { Document, Filter, Store } from '../../shared/ports/store.ts';
import type { ActorKind } from '../../shared/vocabulary.ts';
import { EVERY_PARTITION } from '../../shared/wire/subjects.ts';
import type { EntryDocument } from '../conversation/api.ts';
import { onShelves } from '../runtime/shelves.ts';
import type { DeliveryDocument } from '../subscription/api.ts';

interface AgendaReading {
  readonly store: Store;
  /** The partitions of a kind that this process holds. */
  readonly numbersOf: (kind: ActorKind) => readonly number[];
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * Milliseconds by agenda, 0 where no work waits. An agenda is left out if this process has no
 * partition of its kind. Each costs one read of the first key of the agenda's own index.
 */
export async function agendaAges(reading: AgendaReading): Promise<ReadonlyMap<string, number>> {
  const { now } = reading;
  const [queued, due] = await Promise.all([
    oldest<EntryDocument>(reading, {
      kind: 'channel',
      collection: 'entries',
      by: 'send.at',
      filter: (numbers) => ({ ...onShelves(numbers, 'send.'), send: { $exists: true } }),
    }),
    oldest<DeliveryDocument>(reading, {
      kind: 'subscription',
      collection: 'deliveries',
      by: 'state.nextAttemptAt',
      filter: (numbers) => ({
        'state.status': 'pending',
        ...onShelves(numbers),
        'state.nextAttemptAt': { $lte: now },
      }),
    }),
  ]);
  const ages = new Map<string, number>();
  if (queued !== undefined) ages.set('sends', ageOf(now, queued?.send?.at));
  if (due !== undefined) ages.set('deliveries', ageOf(now, due?.state.nextAttemptAt));
  return ages;
}

interface RemindedDocument extends Document {
  readonly remindAt?: number;
}

/** Every agenda of the service, whoever owns its partitions, as `agendaAges` has them. */
export async function everyAgendaAge(
  store: Store,
  now: number,
): Promise<ReadonlyMap<string, number>> {
  const reading = { store, numbersOf: () => EVERY_PARTITION, now };
  const [ages, scheduled, timer, task] = await Promise.all([
    agendaAges(reading),
    oldest<EntryDocument>(reading, {
      kind: 'conversation',
      collection: 'entries',
      by: 'due.at',
      filter: (numbers) => ({
        ...onShelves(numbers, 'due.'),
        'due.at': { $lte: now },
        due: { $exists: true },
      }),
    }),
    oldest<EntryDocument>(reading, {
      kind: 'conversation',
      collection: 'entries',
      by: 'timer.at',
      filter: (numbers) => ({
        ...onShelves(numbers, 'timer.'),
        'timer.at': { $lte: now },
        timer: { $exists: true },
      }),
    }),
    oldest<RemindedDocument>(reading, {
      kind: 'task',
      collection: 'tasks',
      by: 'remindAt',
      filter: (numbers) => ({ ...onShelves(numbers), remindAt: { $lte: now } }),
    }),
  ]);
  return new Map([
    ...ages,
    ['scheduled', ageOf(now, scheduled?.due?.at)],
    ['timers', ageOf(now, timer?.timer?.at)],
    ['reminders', ageOf(now, task?.remindAt)],
  ]);
}

function ageOf(now: number, at: number | null | undefined): number {
  return at === null || at === undefined ? 0 : Math.max(0, now - at);
}

interface Agenda {
  readonly kind: ActorKind;
  readonly collection: string;
  readonly by: string;
  readonly filter: (numbers: readonly number[]) => Filter;
}

/** Undefined where this process has no partition of the kind; null where no entry waits. */
async function oldest<T extends Document>(
  { store, numbersOf }: AgendaReading,
  { kind, collection, by, filter }: Agenda,
): Promise<T | null | undefined> {
  const numbers = numbersOf(kind);
  if (numbers.length === 0) return undefined;
  return await store.findOne<T>(collection, filter(numbers), {
    sort: { [by]: 1 },
    project: { [by]: 1 },
  });
}
