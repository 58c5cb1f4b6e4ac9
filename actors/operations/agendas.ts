/** Lag of each agenda: the age of its oldest entry, read on request. */
import { PARTITIONS } from '../../shared/limits.ts';
import type { Document, Filter, Store } from '../../shared/ports/store.ts';
import { ACTOR_KINDS, type ActorKind } from '../../shared/vocabulary.ts';
import { parsePartition, partitionName } from '../../shared/wire/subjects.ts';
import type { EntryDocument } from '../conversation/api.ts';
import type { DeliveryDocument } from '../subscription/api.ts';

interface AgendaReading {
  readonly store: Store;
  /** The partitions that this process holds, by name. */
  readonly names: readonly string[];
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
      filter: (numbers) => ({ 'send.partition': { $in: numbers }, send: { $exists: true } }),
    }),
    oldest<DeliveryDocument>(reading, {
      kind: 'subscription',
      collection: 'deliveries',
      by: 'state.nextAttemptAt',
      filter: (numbers) => ({
        'state.status': 'pending',
        partition: { $in: numbers },
        'state.nextAttemptAt': { $lte: now },
      }),
    }),
  ]);
  const ages = new Map<string, number>();
  if (queued !== undefined) ages.set('sends', ageOf(now, queued?.send?.at));
  if (due !== undefined) ages.set('deliveries', ageOf(now, due?.state.nextAttemptAt));
  return ages;
}

const NUMBERS: readonly number[] = Array.from({ length: PARTITIONS }, (_, number) => number);

interface RemindedDocument extends Document {
  readonly remindAt?: number;
}

/** Every agenda of the service, whoever owns its partitions, as `agendaAges` has them. */
export async function everyAgendaAge(
  store: Store,
  now: number,
): Promise<ReadonlyMap<string, number>> {
  const names = ACTOR_KINDS.flatMap((kind) =>
    NUMBERS.map((number) => partitionName({ kind, number })),
  );
  const reading = { store, names, now };
  const [ages, scheduled, timer, task] = await Promise.all([
    agendaAges(reading),
    oldest<EntryDocument>(reading, {
      kind: 'conversation',
      collection: 'entries',
      by: 'due.at',
      filter: (numbers) => ({
        'due.partition': { $in: numbers },
        'due.at': { $lte: now },
        due: { $exists: true },
      }),
    }),
    oldest<EntryDocument>(reading, {
      kind: 'conversation',
      collection: 'entries',
      by: 'timer.at',
      filter: (numbers) => ({
        'timer.partition': { $in: numbers },
        'timer.at': { $lte: now },
        timer: { $exists: true },
      }),
    }),
    oldest<RemindedDocument>(reading, {
      kind: 'task',
      collection: 'tasks',
      by: 'remindAt',
      filter: (numbers) => ({ partition: { $in: numbers }, remindAt: { $lte: now } }),
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
  { store, names }: AgendaReading,
  { kind, collection, by, filter }: Agenda,
): Promise<T | null | undefined> {
  const numbers = names.flatMap((name) => {
    const partition = parsePartition(name);
    return partition?.kind === kind ? [partition.number] : [];
  });
  if (numbers.length === 0) return undefined;
  return await store.findOne<T>(collection, filter(numbers), {
    sort: { [by]: 1 },
    project: { [by]: 1 },
  });
}
