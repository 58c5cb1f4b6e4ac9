/** Envelopes in parts (infra/adapters/nats/envelope): many parts that never become whole. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byOwnClock, pack, Unpacker, withClock } from '../../../infra/adapters/nats/envelope.ts';
import { ASK_DEADLINE_MS } from '../../../shared/limits.ts';

const TRANSFERS = 64;
const LONG = 'x'.repeat(800 * 1024);

test('beyond 64 transfers the oldest is forgotten, and no other', () => {
  const unpacker = new Unpacker();
  const sent = Array.from({ length: TRANSFERS + 1 }, (_, n) => pack({ n, text: LONG }));
  for (const [first = Buffer.alloc(0), ...others] of sent) {
    assert.equal(others.length, 1);
    assert.equal(unpacker.unpack(first, 'peer'), undefined);
  }
  const last = sent.map(([, second = Buffer.alloc(0)]) => second);
  for (const [n, part] of last.slice(1).entries()) {
    assert.equal(Reflect.get(Object(unpacker.unpack(part, 'peer')), 'n'), n + 1);
  }
  assert.equal(unpacker.unpack(last[0] ?? Buffer.alloc(0), 'peer'), undefined);
});

test('a deadline is by the clock of its reader, unless the ask has only waited', () => {
  const asks = [{ n: 1, kind: '', key: '', command: null, deadline: 8_000 }];
  const deadlineAt = (now: number) => byOwnClock(withClock(asks, 0), now)[0]?.deadline;
  assert.equal(deadlineAt(3_999), 8_000);
  assert.equal(deadlineAt(3_600_000), 3_608_000);
  assert.equal(deadlineAt(-3_600_000), -3_592_000);
  assert.equal(byOwnClock(asks, 3_600_000)[0]?.deadline, 8_000, 'without its clock');
});

test('a reader whose clock is ahead has half of the time of an ask at least', () => {
  const asks = [{ n: 1, kind: '', key: '', command: null, deadline: ASK_DEADLINE_MS }];
  for (let aheadMs = 0; aheadMs < 60_000; aheadMs += 500) {
    const [ask] = byOwnClock(withClock(asks, 0), aheadMs);
    assert.ok((ask?.deadline ?? 0) - aheadMs >= ASK_DEADLINE_MS / 2, `${aheadMs} ms ahead`);
  }
});
