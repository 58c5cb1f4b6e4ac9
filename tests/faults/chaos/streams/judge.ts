/**
 * Judge of the sightings of a stream's consumer, by the record (`docs/events.md`, "Streams"). Pure.
 *
 * 1. Everything recorded is seen at least once, and nothing else.
 * 2. Each sighting has the recorded name and bytes.
 * 3. An entity's events are first seen in the order of its commits, over all lives and in each one.
 *    A life writes everything unacknowledged again.
 * 4. One connection writes an event once. So does one life of the client, over its connections.
 * 5. An event that precedes the `Last-Event-ID` of a connection does not come again.
 * 6. A receiver takes an entity's events in their order, those that it has refused before too.
 */
import type { Consumer, Life, Sighting } from './sighting.ts';

export interface Recorded {
  readonly event: string;
  readonly body: string;
  /** Of the commit, among those of its entity. */
  readonly number: string;
  /** Of the last attempt that is recorded; null without one. */
  readonly lastStatus: number | null;
  /** How it came to its position, for whoever asks why it stands behind another. */
  readonly place: string;
}

export type RecordedById = ReadonlyMap<string, Recorded>;

type Judged = Pick<Consumer, 'name' | 'reading' | 'lives' | 'faults'>;

/** Violations, in words. */
export function violationsOf(consumer: Judged, recorded: RecordedById): readonly string[] {
  const { lives, reading, faults } = consumer;
  const all = lives.flatMap(({ sightings }) => sightings);
  const seen = new Set(all.map(({ id }) => id));
  const found = [
    ...faults,
    ...[...recorded.keys()].filter((id) => !seen.has(id)).map((id) => `${id} was never seen`),
    ...[...new Set(all.flatMap((each) => differences(each, recorded)))],
    ...disorder(all, recorded).map(({ id, behind }) => `${id} was first seen too late: ${behind}`),
    ...lives.flatMap(({ sightings }, life) =>
      disorder(sightings, recorded).map(
        ({ id, behind }) => `${id} came too late in life ${life}: ${behind}`,
      ),
    ),
    ...(reading === 'forwarded' ? takenTooLate(all, recorded) : lives.flatMap(repeatsIn)),
    ...settledAgain(lives),
  ];
  return found.map((violation) => `${consumer.name}: ${violation}`);
}

function differences({ id, event, data }: Sighting, recorded: RecordedById): readonly string[] {
  const known = recorded.get(id);
  if (!known) return [`${id} is not recorded for this stream: ${event}`];
  if (known.event !== event) return [`${id} was named ${event}`];
  return known.body === data ? [] : [`${id} came with other bytes`];
}

/** The record whose events have an order among them; an event without one has only its own. */
export function entityOf(data: string): string {
  const told: unknown = Object(JSON.parse(data)).data;
  const { conversationId, deal, task, contact } = Object(told);
  return String(conversationId ?? deal?.id ?? task?.id ?? contact?.id);
}

interface Late {
  readonly id: string;
  /** Both places in words. */
  readonly behind: string;
}

/** First sightings that come behind that of a later event of their entity. */
function disorder(sightings: readonly Sighting[], recorded: RecordedById): readonly Late[] {
  const known = new Set<string>();
  const last = new Map<string, Recorded>();
  return sightings.flatMap(({ id, data }) => {
    const each = recorded.get(id);
    if (each === undefined || known.has(id)) return [];
    known.add(id);
    const entity = entityOf(data);
    const before = last.get(entity);
    if (before && before.number > each.number) {
      return [{ id, behind: `${placeOf(each)} came behind ${placeOf(before)}` }];
    }
    last.set(entity, each);
    return [];
  });
}

function placeOf({ event, number, place }: Recorded): string {
  return `${event} ${number} (${place})`;
}

function takenTooLate(all: readonly Sighting[], recorded: RecordedById): readonly string[] {
  const taken = all.filter(({ isTaken }) => isTaken);
  return disorder(taken, recorded).map(({ id, behind }) => `${id} was taken too late: ${behind}`);
}

function repeatsIn({ sightings }: Life, life: number): readonly string[] {
  const known = new Set<string>();
  return sightings.flatMap(({ id }) =>
    known.size === known.add(id).size ? [`${id} came twice in life ${life}`] : [],
  );
}

/** A connection that has written something has read its `Last-Event-ID` before. */
function settledAgain(lives: readonly Life[]): readonly string[] {
  const settled = new Set<string>();
  return lives.flatMap(({ after, sightings }, life) => {
    if (sightings.length === 0) return [];
    for (const earlier of lives.slice(0, life)) {
      const at = earlier.sightings.findIndex(({ id }) => id === after);
      for (const { id } of earlier.sightings.slice(0, at + 1)) settled.add(id);
    }
    const again = sightings.filter(({ id }) => settled.has(id));
    return again.map(({ id }) => `${id} came again in life ${life}, behind its acknowledgement`);
  });
}
