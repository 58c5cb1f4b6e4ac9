/** Commands that are asked more than once, in any order of asks and answers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { AsksUnderWay } from '../../../../actors/runtime/asks-under-way.ts';
import type { Answer, CommandOf, IncomingAsk } from '../../../../shared/ports/bus.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const OK: Answer = { status: 200, body: '{}' };
const REFUSED: Answer = { status: 409, body: '{}' };

function askOf(id: string, answer: (answer: Answer | null) => void): IncomingAsk {
  return {
    address: { kind: 'deal', key: 'deal_1' },
    command: { id, type: 'change', orgId: 'org_1', origin: 'api' } as CommandOf,
    ...{ deadline: Number.POSITIVE_INFINITY, repeat: false, answer },
  };
}

const step = fc.record({
  id: fc.constantFrom('cmd_1', 'cmd_2', 'cmd_3'),
  done: fc.constantFrom('ask' as const, OK, REFUSED, null),
});

test('a command runs once at a time, and every ask of it has the answer of its run', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const asks = new AsksUnderWay(new ManualClock());
      const running = new Map<string, { readonly run: IncomingAsk; asked: number }>();
      const answers: (Answer | null)[] = [];
      for (const { id, done } of steps) {
        const known = running.get(id);
        if (done === 'ask') {
          const run = asks.join(askOf(id, (answer) => void answers.push(answer)));
          assert.equal(run === null, known !== undefined);
          if (run) running.set(id, { run, asked: 1 });
          else if (known) known.asked++;
        } else if (known) {
          running.delete(id);
          answers.length = 0;
          known.run.answer(done);
          assert.deepEqual(answers, Array(known.asked).fill(done));
        }
      }
    }),
  );
});

test('a refusal that callers have received is that of a late repeat too', () => {
  const asks = new AsksUnderWay(new ManualClock());
  const [done, refused] = ['cmd_1', 'cmd_2'].map((id) => askOf(id, () => undefined));
  assert.ok(done && refused);
  asks.join(done)?.answer(OK);
  asks.join(refused)?.answer(REFUSED);
  assert.equal(asks.refusalOf(done), null);
  assert.deepEqual(asks.refusalOf(refused), REFUSED);
});

test('an admission that is refused is kept, a command that it hindered is not', () => {
  const asks = new AsksUnderWay(new ManualClock());
  const admission = { outcome: 'unauthorized' } as const;
  const given: Answer = { status: 200, body: '', admission };
  const admit = askOf('adm_1', () => undefined);
  asks.join(admit)?.answer(given);
  assert.deepEqual(asks.refusalOf(admit), given);
  const command = askOf('cmd_1', () => undefined);
  const asked = { id: 'adm_2', type: 'admit', digest: 'd', knownVersion: null } as const;
  const attached = { orgId: 'org_1', command: asked };
  asks.join({ ...command, admission: attached })?.answer(given);
  assert.equal(asks.refusalOf(command), null);
});
