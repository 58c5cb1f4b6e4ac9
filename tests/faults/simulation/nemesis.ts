/** Nemesis: causes faults of a world's processes and links while its clients are at work. */
import type { World } from './world.ts';

const INJECT_EVERY_MS = 1_800;

export function startNemesis(world: World, untilMs: number): void {
  const { scheduler, faults } = world;
  const { random } = faults;
  world.killsAtCalls = true;
  const inject = (): void => {
    if (scheduler.now >= untilMs) return;
    injectOnce(world);
    scheduler.after(random.around(INJECT_EVERY_MS), inject);
  };
  scheduler.after(random.around(INJECT_EVERY_MS), inject);
}

interface Strength {
  /** How long the store is away; by default as long as other faults last. */
  readonly storeAwayMs?: number;
  /** The same for a network that cannot be reached. */
  readonly networkAwayMs?: number;
}

export function injectOnce(world: World, { storeAwayMs, networkAwayMs }: Strength = {}): void {
  const { faults, scheduler, bus, databaseLink, trace } = world;
  const { random } = faults;
  const place = random.below(world.actors.length);
  const ms = random.around(1_200);
  if (faults.injects('actors-killed', 0.5)) world.killActors(place, ms);
  if (faults.injects('actors-paused', 0.5)) {
    // Longer than a lease more often than not.
    world.pauseActors(random.below(world.actors.length), random.between(500, 7_000));
  }
  if (faults.injects('gateway-killed', 0.3)) {
    world.killGateway(random.below(world.gateways.length), ms);
  }
  if (faults.injects('cut-off', 0.3)) {
    const machine = world.actors[random.below(world.actors.length)]?.machine;
    if (machine) {
      trace.record(machine.name, 'is cut off');
      bus.cutOff.add(machine);
      scheduler.after(ms * 2, () => bus.cutOff.delete(machine));
    }
  }
  if (faults.injects('bus-down', 0.2)) {
    trace.record('bus', 'is down');
    bus.down = true;
    scheduler.after(ms, () => {
      bus.down = false;
    });
  }
  if (faults.injects('store-refuses-before', 0.15)) {
    trace.record('record', 'is down');
    databaseLink.down = true;
    scheduler.after(storeAwayMs ?? ms * 2, () => {
      databaseLink.down = false;
    });
  }
  if (faults.injects('network-not-ready', 0.3)) {
    const channel = random.pick(world.channels());
    trace.record('network', `does not serve ${channel}`);
    world.network.outages.turnAway(channel, ms * 3);
  }
  if (faults.injects('network-unreachable', 0.3)) {
    const channel = random.pick(world.channels());
    trace.record('network', `cannot be reached for ${channel}`);
    world.network.outages.cutOff(channel, networkAwayMs ?? ms * 3);
  }
  const [shop] = world.bridges();
  if (shop === undefined) return;
  if (faults.injects('number-restricted', 0.3)) restrict(world, shop, ms * 3);
  if (faults.injects('bridge-proxied', 0.3)) {
    trace.record('network', `is hidden by a proxy for ${shop}`);
    // Longer than the wait for a status.
    world.network.outages.proxy(shop, random.between(1_000, 16_000));
  }
  if (faults.injects('other-number', 0.2)) {
    trace.record('network', `works as another number for ${shop}`);
    world.network.outages.reconnect(shop, ms * 3);
  }
}

/** Half of the bridges tell it; with the others a refused message is the first word of it. */
function restrict({ network, trace, faults }: World, channelId: string, ms: number): void {
  trace.record('network', `lets ${channelId} begin no conversations`);
  const news = network.behaviour.restrict(channelId, ms);
  if (faults.random.happens(0.5)) void network.deliver({ id: channelId, provider: 'web' }, [news]);
}

/** Everything is well again and stays so. */
export function heal(world: World): void {
  const { bus, databaseLink, faults, trace } = world;
  trace.record('nemesis', 'all is healed');
  faults.pause();
  world.killsAtCalls = false;
  bus.down = false;
  bus.cutOff.clear();
  bus.muted.clear();
  databaseLink.down = false;
  databaseLink.cutOff.clear();
  world.subscribers.heal();
  world.network.heal();
  for (const { machine } of [...world.actors, ...world.gateways]) machine.goOn();
}
