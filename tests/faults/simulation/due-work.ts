/** Work that is still due in a world, by its kind: a world has ended when none is. */
import type { OrganizationState } from '../../../actors/domain/organization.ts';
import type { EntryDocument } from '../../../actors/model/conversation.ts';
import type { DeliveryDocument } from '../../../actors/model/subscription.ts';
import type { Document } from '../../support/plain-store.ts';
import type { Database } from './memory/database.ts';
import { unreadyChannels } from './unready-channels.ts';
import { CLOCK_OFF_MAX_MS, hasClockJumps } from './world/clock-jumps.ts';
import { EPOCH_MS } from './world/machine.ts';
import type { World } from './world.ts';

/**
 * Whether a part of its outbox has not been published. A late write may restore items that were
 * published and cleared already: the next owner of the partition clears them.
 */
function isUnpublished(
  { pending, outbox = [] }: EntryDocument,
  deliveries: readonly DeliveryDocument[],
): boolean {
  if (pending === undefined) return false;
  return outbox.some((item) => {
    if (item.type === 'command') return true;
    const named = `"messageId":"${item.data.messageId}"`;
    return !deliveries.some(({ event, body }) => event === item.event && body.includes(named));
  });
}

type Due = Readonly<Record<string, () => number>>;

/** Kinds of work that may be due, with a count for each. */
function dueOf(world: World): Due {
  const { database, network } = world;
  const entries = database.all('entries') as readonly EntryDocument[];
  const deliveries = postedDeliveries(database);
  const among = (wanted: (entry: EntryDocument) => unknown) => () => entries.filter(wanted).length;
  return {
    webhooks: () => network.deliveringCount,
    sends: among(({ send }) => send),
    scheduled: among(({ due }) => due),
    channels: () => unreadyChannels(database),
    arrivals: among(({ mediaDue }) => mediaDue),
    timers: among(({ timer }) => timer && timer.at <= latestClock(world)),
    deliveries: () => deliveries.filter(({ state }) => state.status === 'pending').length,
    parked: () => parked(world, deliveries),
    outboxes: () =>
      ['deals', 'tasks', 'contacts']
        .flatMap((name) => database.all(name))
        .filter((document) => 'pending' in document).length,
    reminders: () => database.all('tasks').filter((task) => isReminderDue(world, task)).length,
    stages: () => removedStages(database),
    untold: among((entry) => isUnpublished(entry, deliveries)),
  };
}

/** Removed ones whose deals still have to follow. */
function removedStages(database: Database): number {
  const organizations = database.all('organizations') as unknown as readonly OrganizationState[];
  const left = organizations.flatMap(({ leftStages = [] }) => leftStages);
  return left.filter(({ moving }) => moving === true).length;
}

/** Those of event streams wait for a connection: nothing is due. */
export function postedDeliveries(database: Database): readonly DeliveryDocument[] {
  return (database.all('deliveries') as readonly DeliveryDocument[]).filter(
    ({ order }) => order === undefined,
  );
}

/** After five minutes of faults its next try may be a quarter of an hour away. */
function isReminderDue(world: World, { remindAt }: Document): boolean {
  return remindAt !== undefined && (!world.slow || Number(remindAt) <= wallClock(world));
}

/** Deliveries of a disabled subscription are excluded: they wait until it is enabled. */
function parked(world: World, deliveries: readonly DeliveryDocument[]): number {
  const disabled = disabledIn(world);
  return deliveries.filter(
    ({ state, subscriptionId }) => state.status === 'parked' && !disabled.has(subscriptionId),
  ).length;
}

export function disabledIn({ database }: World): ReadonlySet<string> {
  return new Set(
    (database.all('organizations') as unknown as readonly OrganizationState[])
      .flatMap(({ subscriptions }) => subscriptions)
      .flatMap(({ id, enabled }) => (enabled ? [] : [id])),
  );
}

export function isAnythingDue(world: World): boolean {
  return Object.values(dueOf(world)).some((count) => count() > 0);
}

/** In a few words. */
export function due(world: World): string {
  return Object.entries(dueOf(world))
    .map(([name, count]) => [name, count()] as const)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');
}

/** A timer that a process ahead has set is due soon, although no other clock has come so far. */
function latestClock(world: World): number {
  return wallClock(world) + (hasClockJumps(world.seed) ? CLOCK_OFF_MAX_MS : 0);
}

function wallClock({ scheduler }: World): number {
  return EPOCH_MS + scheduler.now;
}
