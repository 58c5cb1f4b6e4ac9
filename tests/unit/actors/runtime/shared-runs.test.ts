/** Runs for which callers wait: none that began before the call is enough. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SharedRuns } from '../../../../actors/runtime/repeat.ts';

const step = fc.constantFrom('request' as const, 'end' as const, 'fail' as const);

async function settle(): Promise<void> {
  for (let turn = 0; turn < 8; turn++) await Promise.resolve();
}

test('a call has the end of a run that began after it, and shares it with all others', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      let running: PromiseWithResolvers<void> | null = null;
      let runs = 0;
      const subject = new SharedRuns(() => {
        assert.equal(running, null, 'two runs overlap');
        runs++;
        running = Promise.withResolvers<void>();
        return running.promise.finally(() => {
          running = null;
        });
      });
      const model = { runs: 0, isRunning: false, isRequested: false };
      const begin = () => {
        model.runs++;
        model.isRunning = true;
        model.isRequested = false;
      };
      /** By the run that the call waits for, how it ended. */
      const seen: (readonly [number, 'end' | 'fail'])[] = [];
      const expected: (readonly [number, 'end' | 'fail'])[] = [];
      const calls = new Map<number, number>();
      for (const each of steps) {
        const now = running as PromiseWithResolvers<void> | null;
        if (each === 'request') {
          if (model.isRunning) model.isRequested = true;
          else begin();
          const awaited = model.isRunning && model.isRequested ? model.runs + 1 : model.runs;
          calls.set(awaited, (calls.get(awaited) ?? 0) + 1);
          subject.request().then(
            () => seen.push([awaited, 'end']),
            () => seen.push([awaited, 'fail']),
          );
        } else if (now) {
          if (each === 'end') now.resolve();
          else now.reject(new Error('broken'));
          for (let n = calls.get(model.runs) ?? 0; n > 0; n--) expected.push([model.runs, each]);
          model.isRunning = false;
          if (model.isRequested) begin();
        }
        await settle();
        assert.equal(runs, model.runs);
        assert.deepEqual(seen, expected);
      }
    }),
  );
});
