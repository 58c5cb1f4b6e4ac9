/** A process that comes to rest gives the garbage of its rush back. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import fc from 'fast-check';
import { isWorthCollecting } from '../../../../../infra/adapters/heap/idle-collector.ts';

const MEBI = 2 ** 20;

test('only a grown heap of a process at rest is worth a collection', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  const bytes = fc.integer({ min: 0, max: 2 ** 32 });
  fc.assert(
    fc.property(share, bytes, bytes, (utilization, heapBytes, leastBytes) => {
      const worth = isWorthCollecting({ utilization, heapBytes, baselineBytes: leastBytes });
      if (utilization >= 0.1) assert.equal(worth, false, 'busy');
      else assert.equal(worth, heapBytes >= leastBytes + 48 * MEBI);
    }),
  );
});

/** Fills the heap for a second at least, without a pause between two rounds, then rests. */
const RUSH = `
import { collectWhenIdle } from './infra/adapters/heap/idle-collector.ts';
const tell = (what, fields = {}) => console.log(JSON.stringify({ what, ...fields }));
collectWhenIdle({ windowMs: 50, onCollected: (collected) => tell('collected', collected) });
let kept = [];
const until = performance.now() + 1_000;
const rush = () => {
  for (let n = 0; n < 20_000; n++) kept.push({ n, text: String(n) });
  if (performance.now() < until || kept.length < 2_000_000) return setImmediate(rush);
  kept = [];
  tell('rests');
};
rush();
process.stdin.resume();
`;

interface Line {
  readonly what: string;
  readonly beforeBytes?: number;
  readonly afterBytes?: number;
}

test('a rush is collected once it is over, and once only', async () => {
  const args = ['--input-type=module', '--eval', RUSH];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines: Line[] = [];
  for await (const line of createInterface(child.stdout)) {
    lines.push(JSON.parse(line));
    if (lines.at(-1)?.what === 'collected') break;
  }
  const told = lines.map(({ what }) => what);
  assert.deepEqual(told, ['rests', 'collected'], 'not while it rushes');
  const [, { beforeBytes = 0, afterBytes = 0 } = {}] = lines;
  assert.ok(beforeBytes - afterBytes > 48 * MEBI, `${beforeBytes} to ${afterBytes}`);
  child.stdin.end();
  await once(child, 'exit');
  assert.equal(lines.length, 2);
});
