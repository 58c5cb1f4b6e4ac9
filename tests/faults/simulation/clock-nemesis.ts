/** Nemesis of wall clocks, in worlds that have jumps (`world/clock-jumps`). */
import { hasClockJumps, JUMP_MS } from './world/clock-jumps.ts';
import { SeededRandom } from './world/seeded-random.ts';
import type { World } from './world.ts';

const PLAN_SALT = 0x0c11;
const JUMPS_MAX = 4;

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
