/**
 * Flows (I6): at most one runs in a conversation. Of all starts made while a conversation was free
 * exactly one is answered `started`, each has its run, and a run says each of its sentences once.
 * A message that is hours late starts none (D409).
 */
import { type Checker, callsOf, fromStore, grouped, outOf, type Rule } from './checker.ts';
import type { Call, Entry, Store } from './history.ts';

/** What contacts write in late messages only, and what a flow would say to it. */
export const LATE = { written: 'atrasada', answered: 'flow: tarde demais' } as const;

function logsOf({ entries }: Store): Map<string, Entry[]> {
  const logs = Map.groupBy(entries, ({ conversationId }) => conversationId);
  for (const log of logs.values()) log.sort((left, right) => left.seq - right.seq);
  return logs;
}

/** The runs of a log in order, each with its entries. */
function runsOf(log: readonly Entry[]): Map<string, Entry[]> {
  const runs = new Map<string, Entry[]>();
  let current: string | null = null;
  for (const entry of log) {
    const id: string | null = entry.run?.id ?? null;
    // The entry that ends a run still is its own.
    const of = id ?? current;
    if (of !== null) runs.set(of, [...(runs.get(of) ?? []), entry]);
    current = id;
  }
  return runs;
}

const oneRunAtATime = fromStore((store) => {
  const wrong: string[] = [];
  for (const [id, log] of logsOf(store)) {
    const over = new Set<string>();
    let current: string | null = null;
    for (const { seq, status, run: running } of log) {
      const run: string | null = running?.id ?? null;
      if (run !== current && current !== null) over.add(current);
      if (run !== null && over.has(run)) wrong.push(`${id} ${seq}: run ${run} has risen again`);
      if ((run !== null) !== (status === 'in_flow')) {
        wrong.push(`${id} ${seq}: ${status} with run ${run}`);
      }
      current = run;
    }
  }
  return wrong;
});

const everyStartHasItsRun = fromStore((store, history) => {
  const runs = new Set(store.entries.flatMap(({ run }) => run?.id ?? []));
  const sure = callsOf(history, 'flow-start').filter(didStart).length;
  const begun = [...runs].filter((id) => id.startsWith('run_')).length;
  return begun < sure ? [`${sure} starts were acknowledged, ${begun} runs began`] : [];
});

const eachSentenceOnce = fromStore((store) => {
  const wrong: string[] = [];
  for (const log of logsOf(store).values()) {
    for (const [run, its] of runsOf(log)) {
      const said = its.filter(({ isSaid }) => isSaid);
      for (const [text, all] of Map.groupBy(said, (entry) => entry.text)) {
        if (all.length > 1) wrong.push(`run ${run} says ${text} ${all.length} times`);
      }
    }
  }
  return wrong;
});

const lateStartsNothing = fromStore(({ entries }) =>
  entries.flatMap(({ conversationId, seq, isSaid, text }) =>
    isSaid && text === LATE.answered
      ? [`${conversationId} ${seq}: a late message was answered`]
      : [],
  ),
);

/** Once all is well no run is left with work that is due; a member's answer pauses it for long. */
const everyRunGoesOn = fromStore((store) => {
  return [...logsOf(store)].flatMap(([id, log]) => {
    const { run = null, timerAt = null } = log.at(-1) ?? {};
    const waits = timerAt !== null && timerAt > store.now;
    return run && !waits ? [`${id} still is in step ${run.stepId}`] : [];
  });
});

function didStart({ outcome, answer }: Call): boolean {
  return outcome === 'ok' && answer?.result !== 'skipped';
}

/** An unanswered start, also one of an interval before, may be the one that won. */
const oneStartWins: Rule = (history) => {
  const races = callsOf(history, 'flow-start').filter(({ request }) => request.greeting);
  return [...grouped(races, ({ request }) => request.phone ?? '').groups].flatMap(([phone, all]) =>
    [...Map.groupBy(all, ({ request }) => request.interval ?? 0)].flatMap(([interval, rivals]) => {
      const winners = rivals.filter(didStart).length;
      if (winners > 1) return [`${winners} starts of ${phone} won in its interval ${interval}`];
      const unanswered = all.some(
        ({ outcome, request }) => outcome === 'unknown' && (request.interval ?? 0) <= interval,
      );
      const answered = rivals.filter(({ outcome }) => outcome === 'ok').length;
      return winners === 0 && !unanswered && answered > 0
        ? [`none of ${answered} starts of ${phone} won in its interval ${interval}`]
        : [];
    }),
  );
};

const greetedOncePerStart: Rule = (history) => {
  const races = callsOf(history, 'flow-start').filter(({ request }) => request.greeting);
  const said = grouped(outOf(history), ({ phone, text }) => `${phone} ${text}`);
  const greeted = grouped(races, ({ request }) => `${request.phone} ${request.greeting}`);
  return [...greeted.groups].flatMap(([what, starts]) => {
    const { length } = said.of(what);
    const started = starts.filter(didStart).length;
    const perhaps = starts.filter(({ outcome }) => outcome === 'unknown').length;
    return length < started || length > started + perhaps
      ? [`${what} was said ${length} times: ${started} started, ${perhaps} unanswered`]
      : [];
  });
};

export const flows: Checker = {
  rules: {
    oneRunAtATime,
    everyStartHasItsRun,
    eachSentenceOnce,
    lateStartsNothing,
    everyRunGoesOn,
    oneStartWins,
    greetedOncePerStart,
  },
  counted: (history) => {
    const starts = callsOf(history, 'flow-start');
    const free = new Set(starts.map(({ request }) => `${request.phone} ${request.interval}`));
    return { starts: starts.length, intervals: free.size, started: starts.filter(didStart).length };
  },
};
