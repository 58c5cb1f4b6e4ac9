/**
 * Races to start a flow (I6). Of all starts made while a conversation was free exactly one is
 * answered `started`, and each run sends its greeting once.
 */
import * as v from 'valibot';
import { type Call, callsOf, type History } from '../history.ts';
import { grouped, type Verdict } from './checker.ts';
import { conversationsRead } from './facts.ts';

const SHAPE = {
  /** `interval` counts a conversation's free intervals from 0. */
  request: v.object({ phone: v.string(), interval: v.number(), greeting: v.string() }),
  answer: v.object({ result: v.picklist(['started', 'skipped']) }),
};
type Start = Call<v.InferOutput<typeof SHAPE.request>, v.InferOutput<typeof SHAPE.answer>>;

export function checkFlows(history: History): Verdict {
  const starts = callsOf(history, 'flow-start', SHAPE);
  const read = new Map(conversationsRead(history).map((each) => [each.phone, each]));
  const violations: string[] = [];
  let intervals = 0;
  for (const [phone, mine] of grouped(starts, ({ request }) => request.phone).groups) {
    const free = grouped(mine, ({ request }) => String(request.interval)).groups;
    intervals += free.size;
    for (const [interval, rivals] of free) violations.push(...raceFaults(rivals, mine, interval));
    const said = (read.get(phone)?.messages ?? []).filter(
      ({ direction, text }) => direction === 'out' && text === mine[0]?.request.greeting,
    );
    const started = mine.filter(didStart).length;
    const perhaps = mine.filter(({ outcome }) => outcome === 'info').length;
    if (said.length < started || said.length > started + perhaps) {
      const calls = `${started} started, ${perhaps} unanswered`;
      violations.push(`${phone} was greeted ${said.length} times: ${calls}`);
    }
  }
  const started = starts.filter(didStart).length;
  return { violations, counted: { starts: starts.length, intervals, started } };
}

function didStart({ answer }: Start): boolean {
  return answer?.result === 'started';
}

/** An unanswered start, also one of an interval before, may be the one that won. */
function raceFaults(rivals: readonly Start[], all: readonly Start[], interval: string): string[] {
  const { phone = '' } = rivals[0]?.request ?? {};
  const winners = rivals.filter(didStart).length;
  if (winners > 1) return [`${winners} starts of ${phone} won in its interval ${interval}`];
  const unanswered = all.some(
    ({ outcome, request }) => outcome === 'info' && request.interval <= Number(interval),
  );
  const answered = rivals.filter(({ outcome }) => outcome === 'ok').length;
  return winners === 0 && !unanswered && answered > 0
    ? [`none of ${answered} starts of ${phone} won in its interval ${interval}`]
    : [];
}
