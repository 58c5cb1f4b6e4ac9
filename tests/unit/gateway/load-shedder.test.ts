/** Shedding load (D78): how much may be open, whatever was answered. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LoadShedder, openAsksAllowed } from '../../../gateway/bus.ts';
import {
  ASK_DEADLINE_MS,
  ASK_REPEAT_MS,
  OPEN_ASKS_ALWAYS,
  OPEN_ASKS_MAX,
  SHED_WAIT_MS,
} from '../../../shared/limits.ts';
import { errorOf, MAIN, startGateway } from '../../support/gateway/gateway-fixture.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { waitFor } from '../../support/wait-for.ts';

const rateArb = fc.double({ min: 0, max: 1e7, noNaN: true });
const stepArb = fc.record({
  asked: fc.nat(300),
  answered: fc.nat(300),
  failed: fc.nat(20),
  gapMs: fc.nat(600),
  slow: fc.boolean(),
});

/** Asks as callers do: a refused call asks nothing. */
class Callers {
  readonly clock = new ManualClock();
  readonly loadShedder = new LoadShedder(this.clock);
  readonly open: PromiseWithResolvers<number>[] = [];
  shed = 0;

  ask(count: number, slow = false): void {
    for (let n = 0; n < count; n++) {
      if (this.loadShedder.isOverloaded('api')) this.shed++;
      else {
        const pending = Promise.withResolvers<number>();
        const deadline = this.clock.now() + (slow ? 2 : 1) * ASK_DEADLINE_MS;
        this.loadShedder.track(deadline, () => pending.promise).catch(() => undefined);
        this.open.push(pending);
      }
    }
  }

  async answer(count: number): Promise<void> {
    for (const { resolve } of this.open.splice(0, count)) resolve(200);
    await settled();
  }

  async fail(count: number): Promise<void> {
    for (const { reject } of this.open.splice(0, count)) reject(new Error('nobody answers'));
    await settled();
  }
}

/** Everything that a promise sets off has happened. */
function settled(): Promise<void> {
  return new Promise((resume) => setImmediate(resume));
}

test('the bound rises with what is answered, between what is always taken and the most', () => {
  fc.assert(
    fc.property(rateArb, rateArb, (one, other) => {
      const [less, more] = [Math.min(one, other), Math.max(one, other)];
      const bound = openAsksAllowed(more);
      assert.ok(bound >= OPEN_ASKS_ALWAYS && bound <= OPEN_ASKS_MAX);
      assert.ok(openAsksAllowed(less) <= bound);
      // Little: beyond what is always taken, the last one let in waits no longer than this.
      if (bound > OPEN_ASKS_ALWAYS) assert.ok(bound / more <= SHED_WAIT_MS / 1_000);
    }),
    { numRuns: 5_000 },
  );
  assert.ok(SHED_WAIT_MS < ASK_REPEAT_MS, 'who waits is not asked for again');
});

test('whatever happens, no more than the most is open, and an idle service refuses nobody', () =>
  fc.assert(
    fc.asyncProperty(fc.array(stepArb, { maxLength: 30 }), async (steps) => {
      const callers = new Callers();
      for (const { asked, answered, failed, gapMs, slow } of steps) {
        callers.ask(asked, slow);
        assert.ok(callers.open.length <= OPEN_ASKS_MAX);
        callers.clock.advance(gapMs);
        await callers.answer(answered);
        await callers.fail(failed);
      }
      await callers.answer(callers.open.length);
      const before = callers.shed;
      callers.ask(OPEN_ASKS_ALWAYS);
      assert.equal(callers.shed, before);
    }),
    { numRuns: 100 },
  ));

test('a service that stands still takes so many and no more, networks twice that', () => {
  const callers = new Callers();
  callers.ask(OPEN_ASKS_ALWAYS + 100);
  assert.equal(callers.shed, 100);
  assert.equal(callers.loadShedder.isOverloaded('network'), false);
});

test('a service that answers a lot takes more, until it stands still again', async () => {
  const callers = new Callers();
  for (let window = 0; window < 10; window++) {
    callers.ask(1_000);
    await callers.answer(1_000);
    callers.clock.advance(250);
  }
  callers.ask(3_000);
  const taken = callers.open.length;
  assert.ok(taken > OPEN_ASKS_ALWAYS && taken <= 4_000 * (SHED_WAIT_MS / 1_000), `${taken}`);
  for (let window = 0; window < 20; window++) {
    callers.clock.advance(250);
    callers.ask(1);
  }
  assert.equal(callers.open.length, taken, 'nothing was answered, so nothing more is taken');
});

test('what takes its time by nature is no sign of a queue', async () => {
  const callers = new Callers();
  callers.ask(OPEN_ASKS_ALWAYS * 2, true);
  assert.equal(callers.shed, 0);
  callers.ask(OPEN_ASKS_ALWAYS);
  assert.equal(callers.shed, 0);
});

test('beyond capacity a call is refused at once with a sentence, and health still answers', async () => {
  await using gateway = await startGateway();
  const { onAsk } = gateway.bus;
  const { promise, resolve } = Promise.withResolvers<void>();
  gateway.bus.onAsk = async (asked) => {
    if (asked.command.type !== 'admit') await promise;
    return onAsk(asked);
  };
  const body = { channelId: MAIN, phone: '+55 11 98888-7777', text: 'olá' };
  const waiting = Array.from({ length: OPEN_ASKS_ALWAYS }, () =>
    gateway.send('/api/v1/messages', { body }),
  );
  await waitFor(() => gateway.bus.commands().length === OPEN_ASKS_ALWAYS, { what: 'all wait' });
  const refused = await gateway.send('/api/v1/messages', { body });
  assert.equal(refused.status, 500);
  assert.match((await errorOf(refused)).error ?? '', /^Serviço sobrecarregado\. /);
  assert.equal(gateway.bus.commands().length, OPEN_ASKS_ALWAYS, 'nobody was asked');
  for (const path of ['/healthz', '/openapi.json']) {
    assert.equal((await gateway.send(path, { key: null })).status, 200);
  }
  resolve();
  for (const answer of await Promise.all(waiting)) assert.equal(answer.status, 201);
  assert.equal((await gateway.send('/api/v1/messages', { body })).status, 201);
});
