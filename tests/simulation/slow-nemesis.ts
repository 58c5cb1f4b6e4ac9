/** Brings about what befalls a world of slow time: strikes in its bursts, and its own schedules. */
import { strikeOnce } from './nemesis.ts';
import { ALL_EVENTS, MESSAGE_EVENTS } from './organization.ts';
import type { Town } from './town.ts';
import type { Machine } from './world/machine.ts';
import type { LostStore, SlowPlan, SubscriberOutage } from './world/slow-time.ts';

const STRIKE_EVERY_MS = 4_000;
/** A store that is away may be so for as long as this. */
const STORE_AWAY_MAX_MS = 20_000;
const NETWORK_AWAY_MAX_MS = 90_000;
const URLS = { all: ALL_EVENTS, messages: MESSAGE_EVENTS } as const;

export function unleashSlowly(town: Town, plan: SlowPlan): void {
  const { scheduler, weather } = town;
  const { chance } = weather;
  const at = (ms: number, run: () => void): void => {
    scheduler.after(ms - scheduler.now, run);
  };
  const isCalm = (): boolean =>
    plan.calm !== null && plan.calm.from <= scheduler.now && scheduler.now <= plan.calm.until;
  town.killsAtCalls = true;
  if (plan.calm) {
    const { from, until } = plan.calm;
    at(from, () => {
      town.killsAtCalls = false;
    });
    at(until, () => {
      town.killsAtCalls = true;
    });
  }
  for (const { from, until } of plan.bursts) {
    const strike = (): void => {
      if (scheduler.now >= until) return;
      const storeAwayMs = Math.min(chance.around(6_000), STORE_AWAY_MAX_MS);
      // Some are longer than a failing send leaves its channel ready.
      const networkAwayMs = chance.between(5_000, NETWORK_AWAY_MAX_MS);
      if (!isCalm()) strikeOnce(town, { storeAwayMs, networkAwayMs });
      scheduler.after(chance.around(STRIKE_EVERY_MS), strike);
    };
    at(from + chance.around(STRIKE_EVERY_MS), strike);
  }
  for (const outage of plan.outages) outageOf(town, outage, at);
  for (const lost of plan.lostStores) at(lost.from, () => loseStore(town, lost));
}

type At = (ms: number, run: () => void) => void;

function outageOf(town: Town, outage: SubscriberOutage, at: At): void {
  const { subscribers, story, weather } = town;
  const { subscriber, from, until, ownerKilledAt } = outage;
  const url = URLS[subscriber];
  at(from, () => {
    weather.struck('subscriber-away');
    story.tell('subscriber', `${subscriber} is away`);
    subscribers.goAway(url);
  });
  at(until, () => {
    story.tell('subscriber', `${subscriber} is back`);
    subscribers.comeBack(url);
  });
  if (ownerKilledAt === null) return;
  at(ownerKilledAt, () => {
    const name = subscribers.lastPosterTo(url);
    const place = town.actors.findIndex(({ machine }) => machine.name === name);
    if (place >= 0) town.killActors(place, 2_000);
  });
}

function loseStore(town: Town, lost: LostStore): void {
  const { actors, scheduler } = town;
  if (lost.place !== null) return cutOff(town, actors[lost.place]?.machine, lost);
  town.onAppended = (name) => {
    town.onAppended = () => undefined;
    const appending = actors.find(({ machine }) => machine.name === name)?.machine;
    scheduler.after(lost.afterMs, () => cutOff(town, appending, lost));
  };
}

/** The process serves its peers as before, and cannot renew its lease. */
function cutOff(town: Town, machine: Machine | undefined, lost: LostStore): void {
  const { way, office, weather, story, scheduler } = town;
  const { forMs, shareHanging, muted } = lost;
  // It may have waited for an entry until all is healed.
  if (weather.fair || !machine?.up) return;
  weather.struck('store-unreachable');
  story.tell(machine.name, `does not reach the store for ${Math.round(forMs)} ms`);
  way.cutOff.set(machine, shareHanging);
  scheduler.after(forMs, () => way.cutOff.delete(machine));
  if (!muted) return;
  scheduler.after(muted.from - scheduler.now, () => office.muted.add(machine));
  scheduler.after(muted.until - scheduler.now, () => office.muted.delete(machine));
}
