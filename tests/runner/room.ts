/**
 * Room on the machine for one more file of tests. Files work in bursts: a fixed number beside each
 * other leaves cores idle at one time, and makes each other late at another.
 */
import { type CpuInfo, cpus } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

/** A look is this long at least, at most twice as long: processes do not look in step. */
const LOOK_MS = 150;
/** Of all cores. Work in the background gives way, and counts as idle. */
const IDLE_SHARE = 0.15;
/** The others may be at work for minutes: one more beside them would make all of them late. */
const LONGEST_WAIT_MS = 300_000;

/** Ways of files that share a process. */
export const EACH_WITH_ROOM = 'each-with-room';
export const EACH_AT_ONCE = 'each-at-once';

interface CoreTimes {
  readonly idle: number;
  readonly all: number;
}

/** Resolves when cores have been idle for a part of the last moment, or after five minutes. */
export async function waitForRoom(): Promise<void> {
  const until = performance.now() + LONGEST_WAIT_MS;
  for (let before = coreTimesOf(cpus()); performance.now() < until; ) {
    await pause(LOOK_MS * (1 + Math.random()));
    const now = coreTimesOf(cpus());
    if (idleShare(before, now) >= IDLE_SHARE) return;
    before = now;
  }
}

/** Milliseconds since the start of the machine, of all cores together. */
export function coreTimesOf(cores: readonly Pick<CpuInfo, 'times'>[]): CoreTimes {
  const sum = (of: (times: CpuInfo['times']) => number): number =>
    cores.reduce((total, { times }) => total + of(times), 0);
  return {
    idle: sum(({ idle, nice }) => idle + nice),
    all: sum(({ user, nice, sys, idle, irq }) => user + nice + sys + idle + irq),
  };
}

/** 1 where no time has passed. */
export function idleShare(before: CoreTimes, now: CoreTimes): number {
  const all = now.all - before.all;
  return all <= 0 ? 1 : (now.idle - before.idle) / all;
}
