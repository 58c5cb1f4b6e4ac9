/** Flows: well, and gone wrong. */
import type { StoredMessage } from '../../../../../shared/message.ts';
import { asked, entry, evidence, NOW, type Shown } from './evidence-fixture.ts';

const started = asked({ operation: 'flow-start', status: 200 });
const says = (text: string): Partial<StoredMessage> => ({
  text: `flow: ${text}`,
  author: { kind: 'automation', label: 'Enquete' },
});
const timer = (at: number) => ({ timer: { partition: 1, at, orgId: 'org_1' } });

export const FLOWS: Readonly<Record<string, Shown>> = {
  oneRunAtATime: {
    well: evidence({
      entries: [
        entry('a', 1, { run: 'run_1' }),
        entry('b', 2, { run: 'run_1' }),
        entry('c', 3),
        entry('d', 4, { run: 'run_2' }),
        entry('e', 5),
      ],
    }),
    wrong: {
      'a run goes on after another has begun': {
        evidence: evidence({
          entries: [
            entry('a', 1, { run: 'run_1' }),
            entry('b', 2, { run: 'run_2' }),
            entry('c', 3, { run: 'run_1' }),
          ],
        }),
        says: /cnv_1 3: run run_1 has risen again/,
      },
      'a run that has ended goes on': {
        evidence: evidence({
          entries: [
            entry('a', 1, { run: 'run_1' }),
            entry('b', 2),
            entry('c', 3, { run: 'run_1' }),
          ],
        }),
        says: /cnv_1 3: run run_1 has risen again/,
      },
      'a conversation is in a flow that does not run': {
        evidence: evidence({
          entries: [{ ...entry('a', 1), after: { ...entry('a', 1).after, status: 'in_flow' } }],
        }),
        says: /cnv_1 1: in_flow with run null/,
      },
    },
  },
  startedOnceEach: {
    well: evidence({
      history: [started, { ...started, status: 503, outcome: 'unknown' }],
      entries: [entry('a', 1, { run: 'run_1' }), entry('b', 2)],
    }),
    wrong: {
      'a start was acknowledged and no run began': {
        evidence: evidence({
          history: [started, started],
          entries: [entry('a', 1, { run: 'run_1' })],
        }),
        says: /2 starts were acknowledged \(0 unknown\), 1 runs began/,
      },
    },
  },
  eachSentenceOnce: {
    well: evidence({
      entries: [
        entry('a', 1, { run: 'run_1', message: says('oi') }),
        entry('b', 2, { run: 'run_1', message: says('tchau') }),
        entry('c', 3),
        entry('d', 4, { run: 'run_2', message: says('oi') }),
      ],
    }),
    wrong: {
      'a run says a sentence twice': {
        evidence: evidence({
          entries: [
            entry('a', 1, { run: 'run_1', message: says('oi') }),
            entry('b', 2, { run: 'run_1', message: says('oi') }),
          ],
        }),
        says: /run run_1 says flow: oi 2 times/,
      },
      'a run says its last sentence twice as it ends': {
        evidence: evidence({
          entries: [
            entry('a', 1, { run: 'run_1', message: says('tchau') }),
            entry('b', 2, { message: says('tchau') }),
          ],
        }),
        says: /run run_1 says flow: tchau 2 times/,
      },
    },
  },
  everyRunGoesOn: {
    well: evidence({
      entries: [
        entry('a', 1, { run: 'run_1' }),
        entry('b', 2, { run: 'run_1', ...timer(NOW + 60_000) }),
        entry('x', 1, { conversationId: 'cnv_2', run: 'run_2' }),
        entry('y', 2, { conversationId: 'cnv_2' }),
      ],
    }),
    wrong: {
      'a run has been forgotten in its step': {
        evidence: evidence({ entries: [entry('a', 1, { run: 'run_1', stepId: 'espera' })] }),
        says: /cnv_1 still is in step espera/,
      },
      'a run’s time has come and gone': {
        evidence: evidence({ entries: [entry('a', 1, { run: 'run_1', ...timer(NOW - 1) })] }),
        says: /cnv_1 still is in step ola/,
      },
    },
  },
};
