/** Brings about what befalls a town's processes and ways while its clients are at work. */
import type { Town } from './town.ts';

const STRIKE_EVERY_MS = 1_800;

export function unleash(town: Town, untilMs: number): void {
  const { scheduler, weather } = town;
  const { chance } = weather;
  town.killsAtCalls = true;
  const strike = (): void => {
    if (scheduler.now >= untilMs) return;
    strikeOnce(town);
    scheduler.after(chance.around(STRIKE_EVERY_MS), strike);
  };
  scheduler.after(chance.around(STRIKE_EVERY_MS), strike);
}

interface Strength {
  /** For how long the store is away; as long as other things are by default. */
  readonly storeAwayMs?: number;
}

export function strikeOnce(town: Town, { storeAwayMs }: Strength = {}): void {
  const { weather, scheduler, office, way, story } = town;
  const { chance } = weather;
  const place = chance.below(town.actors.length);
  const ms = chance.around(1_200);
  if (weather.strikes('actors-killed', 0.5)) town.killActors(place, ms);
  if (weather.strikes('actors-paused', 0.5)) {
    // Longer than a lease more often than not.
    town.pauseActors(chance.below(town.actors.length), chance.between(500, 7_000));
  }
  if (weather.strikes('gateway-killed', 0.3)) {
    town.killGateway(chance.below(town.gateways.length), ms);
  }
  if (weather.strikes('cut-off', 0.3)) {
    const machine = town.actors[chance.below(town.actors.length)]?.machine;
    if (machine) {
      story.tell(machine.name, 'is cut off');
      office.cutOff.add(machine);
      scheduler.after(ms * 2, () => office.cutOff.delete(machine));
    }
  }
  if (weather.strikes('bus-down', 0.2)) {
    story.tell('bus', 'is down');
    office.down = true;
    scheduler.after(ms, () => {
      office.down = false;
    });
  }
  if (weather.strikes('store-refuses-before', 0.15)) {
    story.tell('record', 'is down');
    way.down = true;
    scheduler.after(storeAwayMs ?? ms * 2, () => {
      way.down = false;
    });
  }
  if (weather.strikes('network-not-ready', 0.3)) {
    const channel = chance.pick(town.channels());
    story.tell('network', `does not serve ${channel}`);
    town.network.turnAway(channel, ms * 3);
  }
}

/** Everything is well again and stays so. */
export function heal(town: Town): void {
  const { office, way, weather, story } = town;
  story.tell('nemesis', 'all is healed');
  weather.hold();
  town.killsAtCalls = false;
  office.down = false;
  office.cutOff.clear();
  office.muted.clear();
  way.down = false;
  way.cutOff.clear();
  town.subscribers.heal();
  town.network.heal();
  for (const { machine } of [...town.actors, ...town.gateways]) machine.goOn();
}
