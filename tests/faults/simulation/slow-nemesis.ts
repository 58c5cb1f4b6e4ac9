/** Nemesis of a world of slow time: faults in its bursts, and its own schedules. */
import { injectOnce } from './nemesis.ts';
import { ALL_EVENTS, MESSAGE_EVENTS } from './organization.ts';
import type { Machine } from './world/machine.ts';
import type { LostStore, SlowPlan, SubscriberOutage } from './world/slow-time.ts';
import type { World } from './world.ts';

const INJECT_EVERY_MS = 4_000;
/** A store that is away may be so for as long as this. */
const STORE_AWAY_MAX_MS = 20_000;
const NETWORK_AWAY_MAX_MS = 90_000;
const URLS = { all: ALL_EVENTS, messages: MESSAGE_EVENTS } as const;

export function startSlowNemesis(world: World, plan: SlowPlan): void {
  const { scheduler, faults } = world;
  const { random } = faults;
  const at = (ms: number, run: () => void): void => {
    scheduler.after(ms - scheduler.now, run);
  };
  const isCalm = (): boolean =>
    plan.calm !== null && plan.calm.from <= scheduler.now && scheduler.now <= plan.calm.until;
  world.killsAtCalls = true;
  if (plan.calm) {
    const { from, until } = plan.calm;
    at(from, () => {
      world.killsAtCalls = false;
    });
    at(until, () => {
      world.killsAtCalls = true;
    });
  }
  for (const { from, until } of plan.bursts) {
    const inject = (): void => {
      if (scheduler.now >= until) return;
      const storeAwayMs = Math.min(random.around(6_000), STORE_AWAY_MAX_MS);
      // Some are longer than a failing send leaves its channel ready.
      const networkAwayMs = random.between(5_000, NETWORK_AWAY_MAX_MS);
      if (!isCalm()) injectOnce(world, { storeAwayMs, networkAwayMs });
      scheduler.after(random.around(INJECT_EVERY_MS), inject);
    };
    at(from + random.around(INJECT_EVERY_MS), inject);
  }
  for (const outage of plan.outages) outageOf(world, outage, at);
  for (const lost of plan.lostStores) at(lost.from, () => loseStore(world, lost));
}

type At = (ms: number, run: () => void) => void;

function outageOf(world: World, outage: SubscriberOutage, at: At): void {
  const { subscribers, trace, faults } = world;
  const { subscriber, from, until, ownerKilledAt } = outage;
  const url = URLS[subscriber];
  at(from, () => {
    faults.injected('subscriber-away');
    trace.record('subscriber', `${subscriber} is away`);
    subscribers.goAway(url);
  });
  at(until, () => {
    trace.record('subscriber', `${subscriber} is back`);
    subscribers.comeBack(url);
  });
  if (ownerKilledAt === null) return;
  at(ownerKilledAt, () => {
    const name = subscribers.lastPosterTo(url);
    const place = world.actors.findIndex(({ machine }) => machine.name === name);
    if (place >= 0) world.killActors(place, 2_000);
  });
}

function loseStore(world: World, lost: LostStore): void {
  const { actors, scheduler } = world;
  if (lost.place !== null) return cutOff(world, actors[lost.place]?.machine, lost);
  world.onAppended = (name) => {
    world.onAppended = () => undefined;
    const appending = actors.find(({ machine }) => machine.name === name)?.machine;
    scheduler.after(lost.afterMs, () => cutOff(world, appending, lost));
  };
}

/** The process serves its peers as before, and cannot renew its lease. */
function cutOff(world: World, machine: Machine | undefined, lost: LostStore): void {
  const { databaseLink, bus, faults, trace, scheduler } = world;
  const { forMs, shareHanging, muted } = lost;
  // It may have waited for an entry until all is healed.
  if (faults.isPaused || !machine?.up) return;
  faults.injected('store-unreachable');
  trace.record(machine.name, `does not reach the store for ${Math.round(forMs)} ms`);
  databaseLink.cutOff.set(machine, shareHanging);
  scheduler.after(forMs, () => databaseLink.cutOff.delete(machine));
  if (!muted) return;
  scheduler.after(muted.from - scheduler.now, () => bus.muted.add(machine));
  scheduler.after(muted.until - scheduler.now, () => bus.muted.delete(machine));
}
