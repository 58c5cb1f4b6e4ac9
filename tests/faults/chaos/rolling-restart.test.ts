/** A rolling restart by SIGTERM under load fails no call (I24). */
import assert from 'node:assert/strict';
import { runs } from '../../support/processes.ts';
import { waitFor } from '../../support/wait-for.ts';
import { testUnderLoad } from './under-load.ts';

testUnderLoad('actors restarted one after the other answer every call', {
  settings: { FORMATION: 'gateway=1,actors=2' },
  progress: 5,
  happens: async ({ stack, load }) => {
    for (const [index, pid] of (stack.runFile().pids.actors ?? []).entries()) {
      if (index > 0) await load.progress(5);
      process.kill(pid, 'SIGTERM');
      await waitFor(
        () => !runs(pid) && (stack.runFile().pids.actors ?? []).filter(runs).length === 2,
        { what: 'the process is replaced', timeoutMs: 90_000 },
      );
    }
  },
  judged: ({ unanswered }) => assert.equal(unanswered, 0, 'no call failed'),
});
