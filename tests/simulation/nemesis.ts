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
  /** The same for a network that cannot be reached. */
  readonly networkAwayMs?: number;
}

export function strikeOnce(town: Town, { storeAwayMs, networkAwayMs }: Strength = {}): void {
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
    town.network.outages.turnAway(channel, ms * 3);
  }
  if (weather.strikes('network-unreachable', 0.3)) {
    const channel = chance.pick(town.channels());
    story.tell('network', `cannot be reached for ${channel}`);
    town.network.outages.cutOff(channel, networkAwayMs ?? ms * 3);
  }
  const [shop] = town.bridges();
  if (shop !== undefined && weather.strikes('number-restricted', 0.3)) restrict(town, shop, ms * 3);
}

/** Half of the bridges tell it; with the others a refused message is the first word of it. */
function restrict({ network, story, weather }: Town, channelId: string, ms: number): void {
  story.tell('network', `lets ${channelId} begin no conversations`);
  const news = network.moods.restrict(channelId, ms);
  if (weather.chance.happens(0.5)) void network.tell({ id: channelId, provider: 'web' }, [news]);
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
