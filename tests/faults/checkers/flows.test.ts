/** Flows: well, and gone wrong. */
import {
  call,
  type Ended,
  entry,
  log,
  message,
  NOW,
  PHONE,
  show,
  store,
  type Told,
} from './fixture.ts';
import { flows, LATE } from './flows.ts';
import type { Entry } from './history.ts';

const run = (id: string, stepId = 'ola') => ({ run: { id, stepId } });
const says = (text: string) => ({ text, isSaid: true });
const stored = (...entries: readonly Entry[]) => ({ store: store({ entries }) });
const started = call('flow-start', {}, { result: 'started' });

const STARTED: Ended = { result: 'started' };
const SKIPPED: Ended = { result: 'skipped' };

/** Rivals of each free interval, and how often the contact was greeted. */
function races(intervals: readonly (readonly Ended[])[], greetings: number): Told {
  const calls = intervals.flatMap((rivals, interval) =>
    rivals.map((ended) => call('flow-start', { phone: PHONE, interval, greeting: 'oi' }, ended)),
  );
  const messages = log(...Array.from({ length: greetings }, (_, n) => `${n}`));
  return { calls, messages: messages.map((each) => message(each.id, { text: 'oi' })) };
}

const FAIR = [
  races([[STARTED, SKIPPED], [STARTED]], 2),
  races([[SKIPPED, 'unknown']], 1),
  // It started late.
  races([[STARTED, 'unknown'], [SKIPPED]], 2),
  races([['unknown']], 0),
];

show(flows, {
  oneRunAtATime: {
    well: [
      stored(
        entry('a', 1, run('run_1')),
        entry('b', 2, run('run_1')),
        entry('c', 3),
        entry('d', 4, run('run_2')),
        entry('e', 5),
      ),
    ],
    'cnv_1 3: run run_1 has risen again': [
      // A run goes on after another has begun.
      stored(entry('a', 1, run('run_1')), entry('b', 2, run('run_2')), entry('c', 3, run('run_1'))),
      // A run that has ended goes on.
      stored(entry('a', 1, run('run_1')), entry('b', 2), entry('c', 3, run('run_1'))),
    ],
    'cnv_1 1: in_flow with run null': [stored(entry('a', 1, { status: 'in_flow' }))],
  },
  everyStartHasItsRun: {
    well: [
      {
        calls: [started, call('flow-start', {}, 'unknown'), call('flow-start', {}, 409)],
        ...stored(entry('a', 1, run('run_1')), entry('b', 2)),
      },
    ],
    '2 starts were acknowledged, 1 runs began': [
      { calls: [started, started], ...stored(entry('a', 1, run('run_1'))) },
    ],
  },
  lateStartsNothing: {
    well: [stored(entry('a', 1, { text: LATE.answered }), entry('b', 2, says('flow: oi')))],
    'cnv_1 1: a late message was answered': [stored(entry('a', 1, says(LATE.answered)))],
  },
  eachSentenceOnce: {
    well: [
      stored(
        entry('a', 1, { ...run('run_1'), ...says('oi') }),
        entry('b', 2, { ...run('run_1'), ...says('tchau') }),
        entry('c', 3),
        entry('d', 4, { ...run('run_2'), ...says('oi') }),
      ),
    ],
    'run run_1 says oi 2 times': [
      stored(
        entry('a', 1, { ...run('run_1'), ...says('oi') }),
        entry('b', 2, { ...run('run_1'), ...says('oi') }),
      ),
    ],
    'run run_1 says tchau 2 times': [
      stored(entry('a', 1, { ...run('run_1'), ...says('tchau') }), entry('b', 2, says('tchau'))),
    ],
  },
  everyRunGoesOn: {
    well: [
      stored(
        entry('a', 1, run('run_1')),
        entry('b', 2, { ...run('run_1'), timerAt: NOW + 60_000 }),
        entry('x', 1, { conversationId: 'cnv_2', ...run('run_2') }),
        entry('y', 2, { conversationId: 'cnv_2' }),
      ),
    ],
    'cnv_1 still is in step espera': [stored(entry('a', 1, run('run_1', 'espera')))],
    'cnv_1 still is in step ola': [stored(entry('a', 1, { ...run('run_1'), timerAt: NOW - 1 }))],
  },
  oneStartWins: {
    well: FAIR,
    '2 starts of 5511987650001 won': [races([[STARTED, STARTED]], 2)],
    'none of 2 starts of 5511987650001 won in its interval 0': [races([[SKIPPED, SKIPPED]], 0)],
    'none of 1 starts of 5511987650001 won in its interval 1': [
      races([[STARTED], [SKIPPED], ['unknown']], 1),
    ],
  },
  greetedOncePerStart: {
    well: FAIR,
    'was said 0 times: 1 started': [races([[STARTED]], 0)],
    'was said 2 times: 1 started': [races([[STARTED, SKIPPED]], 2)],
  },
});
