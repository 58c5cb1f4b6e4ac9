/** Runs of one piece of work never overlap, and a request during one is never lost. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RunAgain } from '../../../../actors/runtime/repeat.ts';

const step = fc.constantFrom('request', 'end', 'fail');

async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
}

test('two runs never overlap, and a request during one causes exactly one more', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      let running: PromiseWithResolvers<void> | null = null;
      let runs = 0;
      const faults: unknown[] = [];
      const run = (): Promise<void> => {
        assert.equal(running, null, 'two runs overlap');
        runs++;
        running = Promise.withResolvers<void>();
        return running.promise.finally(() => {
          running = null;
        });
      };
      const subject = new RunAgain(run, (fault) => faults.push(fault));
      const model = { state: 'idle', runs: 0, faults: 0 };
      const begin = () => {
        model.state = 'running';
        model.runs++;
      };
      for (const each of steps) {
        const now = running as PromiseWithResolvers<void> | null;
        if (each === 'request') {
          void subject.request();
          if (model.state === 'idle') begin();
          else model.state = 'requested';
        } else if (now) {
          if (each === 'end') now.resolve();
          else now.reject(new Error('broken'));
          if (each === 'fail') model.faults++;
          if (model.state === 'requested') begin();
          else model.state = 'idle';
        }
        await settle();
        assert.deepEqual([runs, faults.length], [model.runs, model.faults]);
        assert.equal(subject.isRunning, model.state !== 'idle');
      }
    }),
  );
});

test('the request that begins the runs waits for them, another does not', async () => {
  const ends: (() => void)[] = [];
  const run = () => new Promise<void>((resolve) => ends.push(resolve));
  const subject = new RunAgain(run, () => undefined);
  let ended = false;
  const first = subject.request().then(() => {
    ended = true;
  });
  await subject.request();
  assert.equal(ended, false);
  ends[0]?.();
  await settle();
  assert.deepEqual([ended, ends.length], [false, 2]);
  ends[1]?.();
  await first;
  assert.equal(ended, true);
});
