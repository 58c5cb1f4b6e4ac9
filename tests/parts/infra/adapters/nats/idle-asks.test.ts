/** Cost of the asking side of the bus once everything is answered. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Mux } from '../../../../../infra/adapters/nats/mux.ts';
import { ASK_REPEAT_MS } from '../../../../../shared/limits.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import { nextTurn, Wire } from './wire-fixture.ts';

const STEP_MS = 5;
const ADDRESS = { kind: 'contact', key: 'somebody' } as const;

class CountingClock extends ManualClock {
  ticks = 0;

  override after(ms: number, run: () => void): () => void {
    return super.after(ms, () => {
      this.ticks++;
      run();
    });
  }

  pass(ms: number): void {
    for (let passed = 0; passed < ms; passed += STEP_MS) this.advance(STEP_MS);
  }
}

/** One ask has been answered. */
async function afterOneAsk() {
  const clock = new CountingClock();
  const wire = new Wire();
  const mux = new Mux(wire.connection(), clock, { processId: 'asker' });
  const asked = mux.ask(ADDRESS, {}, { deadline: clock.now() + 8_000 });
  await nextTurn();
  wire.answer(1);
  await asked;
  return { clock, wire, mux };
}

test('what has been answered is looked after once or twice, and then nothing ticks', async () => {
  const { clock } = await afterOneAsk();
  clock.pass(10_000);
  assert.ok(clock.ticks <= 3, `${clock.ticks} ticks`);
  assert.equal(clock.waiting, 0);
});

test('an ask after a rest is repeated as soon as any other', async () => {
  const { clock, wire, mux } = await afterOneAsk();
  clock.pass(100);
  const again = mux.ask(ADDRESS, {}, { deadline: clock.now() + 8_000 });
  await nextTurn();
  const before = wire.published.length;
  clock.pass(ASK_REPEAT_MS + 2 * STEP_MS + 25);
  await nextTurn();
  assert.equal(wire.published.length, before + 1);
  wire.answer(2);
  await again;
});
