/**
 * Events of an entity that go ahead of others in a stream. They are published in any order: a
 * delivery names those that were not known to be recorded when its event was published.
 *
 * 1. Where one is not in the page, the outbox of its entity is read, then its own delivery. What is
 *    in neither does not belong to the stream: an event leaves its outbox once it is recorded.
 * 2. What is still in the outbox is recorded here, under the id that its publication gives it too.
 *    So a stream waits for no publication, however long that takes.
 */
import { deliveryId } from '../../../shared/entity-ids.ts';
import type { OutboxEvent } from '../../../shared/wire/outbox.ts';
import { shelfFor } from '../../../shared/wire/subjects.ts';
import type { LiveStream } from '../../domain/organization/streams.ts';
import type { OutboxLocation, Predecessors } from '../../domain/published-event.ts';
import type { Environment } from '../../environment.ts';
import type { Filter } from '../../model/collections.ts';
import type { DeliveryDocument } from '../../model/subscription.ts';
import { isFor } from '../deliveries/recorded-delivery.ts';
import { insertAll, streamDelivery } from './recorder.ts';

type PredecessorEnvironment = Pick<Environment, 'store' | 'ids' | 'clock'>;

/** In the `order` of those that were sent again: they stand behind all others. */
export const AGAIN = '~';

interface Page {
  readonly stream: LiveStream;
  /** In the order in which they were recorded. */
  readonly found: readonly DeliveryDocument[];
  /** Of a delivery: it has its position. */
  readonly isPositioned: (id: string) => boolean;
}

/** The page in the order of each entity's commits, with what was missing from it. */
export async function withPredecessors(
  environment: PredecessorEnvironment,
  { stream, found, isPositioned }: Page,
): Promise<readonly DeliveryDocument[]> {
  const idOf = (eventId: string) => deliveryId(environment.ids, eventId, stream.id);
  const byId = new Map(found.map((each) => [each._id, each]));
  const missing = new Map<string, Missing>();
  for (const before of found) {
    for (const eventId of predecessorsOf(before)) {
      const id = idOf(eventId);
      if (before.after && !byId.has(id) && !isPositioned(id)) {
        missing.set(id, { eventId, before, predecessors: before.after });
      }
    }
  }
  if (missing.size > 0) {
    for (const each of await findMissing(environment, stream, missing)) byId.set(each._id, each);
  }
  const placed = new Set<DeliveryDocument>();
  for (const delivery of found) {
    for (const eventId of predecessorsOf(delivery)) {
      const before = byId.get(idOf(eventId));
      if (before && !isAgain(before)) placed.add(before);
    }
    placed.add(delivery);
  }
  return [...placed];
}

function predecessorsOf(delivery: DeliveryDocument): readonly string[] {
  return isAgain(delivery) ? [] : (delivery.after?.events ?? []);
}

function isAgain({ order = '' }: DeliveryDocument): boolean {
  return order.includes(AGAIN);
}

/** An event that is not in the page, and one that it precedes. */
interface Missing {
  readonly eventId: string;
  readonly before: DeliveryDocument;
  readonly predecessors: Predecessors;
}

/** Those that wait for their position, by the ids of their deliveries. */
async function findMissing(
  environment: PredecessorEnvironment,
  stream: LiveStream,
  missing: ReadonlyMap<string, Missing>,
): Promise<readonly DeliveryDocument[]> {
  const { store, ids } = environment;
  const unpublished = await readUnpublished(environment, [...missing.values()]);
  const recorded = await store.find('deliveries', { _id: { $in: [...missing.keys()] } });
  const known = new Set(recorded.map(({ _id }) => _id));
  const others = unpublished.flatMap((event) => {
    const id = deliveryId(ids, event.id, stream.id);
    const { before, predecessors } = missing.get(id) ?? {};
    if (!before || !predecessors || known.has(id) || !isFor(stream, event)) return [];
    const { orgId, order = '' } = before;
    // It may be positioned in a later page, where `before` is not.
    const events = predecessors.events.slice(0, predecessors.events.indexOf(event.id));
    const published = {
      ...event,
      ...(events.length > 0 ? { after: { ...predecessors, events } } : {}),
    };
    const recording = { orgId, subscriptionId: stream.id, event: published, order };
    return [streamDelivery(environment, stream, recording)];
  });
  await insertAll(environment, others);
  const isOfStream = ({ generation }: DeliveryDocument) => generation === stream.createdAt;
  return [...recorded.filter((each) => isNew(each) && isOfStream(each)), ...others];
}

/** It waits for its first position. */
export function isNew(delivery: DeliveryDocument): boolean {
  const { status, position } = delivery.state;
  return status === 'pending' && position === undefined && !isAgain(delivery);
}

/** The events that are still in the outboxes of their entities. */
async function readUnpublished(
  { store }: PredecessorEnvironment,
  missing: readonly Missing[],
): Promise<readonly OutboxEvent[]> {
  const collections = Map.groupBy(missing, ({ predecessors }) => predecessors.collection);
  const read = [...collections].map(([collection, each]) =>
    store.find(collection, outboxesOf(collection, each), { project: { outbox: 1 } }),
  );
  const items = (await Promise.all(read)).flat().flatMap(({ outbox = [] }) => outbox);
  return items.filter((item) => item.type === 'event');
}

function outboxesOf(
  collection: OutboxLocation['collection'],
  missing: readonly Missing[],
): Filter<OutboxLocation['collection']> {
  const ids = [...new Set(missing.map(({ predecessors }) => predecessors.id))];
  if (collection !== 'entries') return { _id: { $in: ids } };
  return {
    pending: { $in: [...new Set(ids.map((id) => shelfFor('conversation', id)))] },
    conversationId: { $in: ids },
    'outbox.id': { $in: missing.map(({ eventId }) => eventId) },
  };
}
