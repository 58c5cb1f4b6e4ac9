/**
 * Jumps of wall clocks, in one world of ten: a process that an operator or a time server corrects.
 * Its monotonic clock goes on, and so does the store's own clock. Nobody sets it right again.
 */
import type { World } from '../world.ts';
import { SeededRandom } from './seeded-random.ts';

const SHARE_OF_WORLDS = 0.1;
const SALT = 0x0c10;
const PLAN_SALT = 0x0c11;
const JUMPS_MAX = 4;
/** Some seconds to a minute, forward or back, and once in a process. */
const JUMP_MS = { least: 3_000, most: 60_000 };
/** No clock of a world with jumps is further from the network's. */
export const CLOCK_OFF_MAX_MS = JUMP_MS.most + 2_000;

export function hasClockJumps(seed: number): boolean {
  return new SeededRandom(seed ^ SALT).happens(SHARE_OF_WORLDS);
}

/** Draws from chance of its own: which worlds have jumps is the seed's alone. */
export function startClockJumps(world: World, untilMs: number): void {
  const { scheduler } = world;
  if (!hasClockJumps(world.seed)) return;
  const random = new SeededRandom(world.seed ^ PLAN_SALT);
  world.coverage.count('happening world of jumping clocks');
  for (let jumps = random.below(JUMPS_MAX) + 1; jumps > 0; jumps--) {
    const afterMs = random.between(0, untilMs - scheduler.now);
    scheduler.after(afterMs, () => jump(world, random));
  }
}

function jump(world: World, random: SeededRandom): void {
  const { actors, gateways, coverage, trace, faults, scheduler } = world;
  const { machine } = random.happens(0.7) ? random.pick(actors) : random.pick(gateways);
  const isForward = random.happens(0.5);
  const ms = Math.round(random.between(JUMP_MS.least, JUMP_MS.most)) * (isForward ? 1 : -1);
  if (machine.dead || machine.hasJumped || faults.isPaused) return;
  coverage.count(`happening clock jumped ${isForward ? 'forward' : 'back'}`);
  trace.record(machine.name, `has its clock ${ms} ms further`);
  machine.jump(ms);
  world.clocksJumpedAt ??= scheduler.now;
}
