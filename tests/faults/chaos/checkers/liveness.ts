/**
 * Liveness (I11): soon after the last fault every worker is answered, its last calls have answers,
 * and at the end no work is due. The run records how soon that must be: 15 s where it has a machine
 * of its own. The run also records when it saw all workers answered, and stops. A call that was
 * under way then may end unknown, three of a worker in a row may not. A worker that has done its
 * work calls no more, and is judged by its last answer.
 */
import * as v from 'valibot';
import { type History, type Recorded, seenOf } from '../history.ts';
import { grouped, type Verdict } from './checker.ts';

const LAST_ANSWERS = 3;

const Healed = v.object({ answeredWithinMs: v.number() });
const Answered = v.object({});
const Done = v.object({ worker: v.string() });
const Drained = v.object({ due: v.record(v.string(), v.number()), ms: v.number() });

export function checkLiveness(history: History): Verdict {
  const [healed] = seenOf(history, 'healed', Healed);
  const [drained] = seenOf(history, 'drained', Drained);
  if (healed === undefined) return { violations: [], counted: {} };
  const workers = workersOf(history.filter(({ t }) => t >= healed.t));
  const late = answersAfter(history, healed.t).filter(({ ms }) => !(ms <= healed.answeredWithinMs));
  const [answered] = seenOf(history, 'answered', Answered);
  const answeredAt = answered?.t ?? Number.POSITIVE_INFINITY;
  const done = new Set(seenOf(history, 'done', Done).map(({ worker }) => worker));
  const mute = workers.filter(([process, ends]) =>
    isMute(done.has(process) ? ends.slice(-1) : ends, answeredAt),
  );
  const due = Object.entries(drained?.due ?? {}).filter(([, count]) => count > 0);
  return {
    violations: [
      ...late.map(
        ({ process, ms }) => `${process} was answered ${Math.round(ms)} ms after the heal`,
      ),
      ...mute.map(([process]) => `${process} was not answered at last`),
      ...due.map(([what, count]) => `${count} ${what} were still due at the end`),
    ],
    counted: { workers: workers.length },
  };
}

export interface Recovery {
  readonly process: string;
  /** From the heal to its first answer; infinite where none came. */
  readonly ms: number;
}

/** Of every worker that called after the heal, or whose call was under way then. */
export function answersAfter(history: History, healedAt: number): Recovery[] {
  const later = history.filter(({ t }) => t >= healedAt);
  const calling = new Set([
    ...callsUnderWay(history, healedAt),
    ...later.filter(({ type }) => type === 'invoke').map(({ process }) => process),
  ]);
  const answered = new Map<string, number>();
  for (const { process, type, t } of later) {
    const answer = type === 'ok' || type === 'refused';
    if (answer && calling.has(process) && !answered.has(process))
      answered.set(process, t - healedAt);
  }
  return [...calling].map((process) => {
    return { process, ms: answered.get(process) ?? Number.POSITIVE_INFINITY };
  });
}

/** Processes whose last record before the moment is a call. */
function callsUnderWay(history: History, at: number): string[] {
  const last = new Map<string, Recorded>();
  for (const recorded of history) if (recorded.t < at) last.set(recorded.process, recorded);
  return [...last.values()].filter(({ type }) => type === 'invoke').map(({ process }) => process);
}

/** Of every process that calls, how its calls ended. */
function workersOf(history: History): (readonly [string, readonly Recorded[]])[] {
  const calling = new Set(
    history.filter(({ type }) => type === 'invoke').map(({ process }) => process),
  );
  const ends = history.filter(({ type, process }) => type !== 'invoke' && calling.has(process));
  return [...grouped(ends, ({ process }) => process).groups];
}

/** One unknown of the last answers until the run saw all answered; each of the last ones since. */
function isMute(ends: readonly Recorded[], answeredAt: number): boolean {
  const before = ends.filter(({ t }) => t <= answeredAt).slice(-LAST_ANSWERS);
  const last = ends.slice(-LAST_ANSWERS);
  return before.some(isUnknown) || (last.length === LAST_ANSWERS && last.every(isUnknown));
}

function isUnknown({ type }: Recorded): boolean {
  return type === 'info';
}
