/**
 * Flows (I6): at most one runs in a conversation. A start that was answered `started` has its run,
 * and each run sends each of its sentences once.
 */
import type { EntryDocument } from '../../../../actors/conversation/api.ts';
import type { Checker } from './evidence.ts';

function logsOf(entries: readonly EntryDocument[]): Map<string, EntryDocument[]> {
  const logs = Map.groupBy(entries, ({ conversationId }) => conversationId);
  for (const log of logs.values()) log.sort((left, right) => left.seq - right.seq);
  return logs;
}

/** The runs of a log in order, each with its entries. */
function runsOf(log: readonly EntryDocument[]): Map<string, EntryDocument[]> {
  const runs = new Map<string, EntryDocument[]>();
  let current: string | null = null;
  for (const entry of log) {
    const id: string | null = entry.after.run?.id ?? null;
    // The entry that ends a run still is its own.
    const of = id ?? current;
    if (of !== null) runs.set(of, [...(runs.get(of) ?? []), entry]);
    current = id;
  }
  return runs;
}

export const oneRunAtATime: Checker = ({ entries }) => {
  const wrong: string[] = [];
  for (const [id, log] of logsOf(entries)) {
    const over = new Set<string>();
    let current: string | null = null;
    for (const { seq, after } of log) {
      const run = after.run?.id ?? null;
      if (run !== current && current !== null) over.add(current);
      if (run !== null && over.has(run)) wrong.push(`${id} ${seq}: run ${run} has risen again`);
      if ((run !== null) !== (after.status === 'in_flow')) {
        wrong.push(`${id} ${seq}: ${after.status} with run ${run}`);
      }
      current = run;
    }
  }
  return wrong;
};

export const startedOnceEach: Checker = ({ history, entries }) => {
  const runs = new Set(entries.flatMap(({ after }) => after.run?.id ?? []));
  const starts = history.filter(({ operation }) => operation === 'flow-start');
  const acknowledged = starts.filter(({ outcome }) => outcome === 'done');
  const sure = acknowledged.length;
  const perhaps = starts.filter(({ outcome }) => outcome === 'unknown').length;
  const begun = [...runs].filter((id) => id.startsWith('run_')).length;
  return begun < sure
    ? [`${sure} starts were acknowledged (${perhaps} unknown), ${begun} runs began`]
    : [];
};

export const eachSentenceOnce: Checker = ({ entries }) => {
  const wrong: string[] = [];
  for (const log of logsOf(entries).values()) {
    for (const [run, its] of runsOf(log)) {
      const said = Map.groupBy(
        its.filter(
          ({ message }) =>
            message?.author.kind === 'automation' && message.text?.startsWith('flow: '),
        ),
        ({ message }) => message?.text,
      );
      for (const [text, all] of said) {
        if (all.length > 1) wrong.push(`run ${run} says ${text} ${all.length} times`);
      }
    }
  }
  return wrong;
};

/** Once all is well no run is left with work that is due; a member's answer pauses it for long. */
export const everyRunGoesOn: Checker = ({ entries, now }) => {
  const wrong: string[] = [];
  for (const [id, log] of logsOf(entries)) {
    const last = log.at(-1);
    const run = last?.after.run;
    if (run && !(last.timer && last.timer.at > now))
      wrong.push(`${id} still is in step ${run.stepId}`);
  }
  return wrong;
};
