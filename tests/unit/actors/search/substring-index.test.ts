/** Substring index against a naive model: every substring, in order, and the number of all. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { HitListCache } from '../../../../actors/search/hit-list-cache.ts';
import { type PageRange, SubstringIndex } from '../../../../actors/search/substring-index.ts';
import type { TimeSlice } from '../../../../actors/search/time-slice.ts';
import { foldText } from '../../../../shared/text/fold.ts';

/** Few letters, so that searches find something; some take more than one byte. */
const letters = fc.constantFrom('a', 'b', 'ã', 'É', 'ß', '漢', '😀', '9', '@', '.', '*', ' ', '\n');
const text = fc.array(letters, { maxLength: 40 }).map((each) => foldText(each.join('')));
const put = fc.record({
  id: fc.integer({ min: 0, max: 60 }).map((n) => `ctc_${n}`),
  text,
  updatedAt: fc.integer({ min: 0, max: 20 }),
});
const sought = fc.record({
  needle: fc.array(letters, { minLength: 1, maxLength: 6 }).map((each) => foldText(each.join(''))),
  skip: fc.integer({ min: 0, max: 30 }),
  limit: fc.integer({ min: 1, max: 30 }),
});
const steps = fc.array(fc.oneof({ weight: 4, arbitrary: put }, { weight: 1, arbitrary: sought }), {
  maxLength: 300,
});

interface Kept {
  readonly id: string;
  readonly text: string;
  readonly updatedAt: number;
}

function naive(kept: ReadonlyMap<string, Kept>, needle: string): readonly string[] {
  return [...kept.values()]
    .filter((each) => each.text.includes(needle))
    .toSorted((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1))
    .map(({ id }) => id);
}

/** Pauses whenever it is asked, and lets something happen meanwhile. */
function pausing(meanwhile: () => void): TimeSlice {
  return {
    isOver: () => true,
    async next() {
      await Promise.resolve();
      meanwhile();
    },
  };
}
const NEVER: TimeSlice = { isOver: () => false, next: () => Promise.reject(new Error('a pause')) };

class Pair {
  readonly findings: HitListCache;
  readonly texts: SubstringIndex;
  readonly #kept = new Map<string, Kept>();

  constructor(maxBytes?: number) {
    this.findings = new HitListCache(maxBytes);
    this.texts = new SubstringIndex(this.findings);
  }

  get size(): number {
    return this.#kept.size;
  }

  put(contact: Kept): void {
    this.texts.put(contact);
    this.#kept.set(contact.id, contact);
  }

  async search(needle: string, { skip, limit }: PageRange, pace: TimeSlice): Promise<void> {
    const found = await this.texts.search(needle, { skip, limit }, pace);
    const ids = naive(this.#kept, needle);
    assert.deepEqual(found, { ids: ids.slice(skip, skip + limit), total: ids.length }, needle);
  }
}

test('a search finds what a look at every text finds, in the order of the list', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const pair = new Pair();
      for (const step of all) {
        if ('id' in step) pair.put(step);
        else await pair.search(step.needle, step, NEVER);
      }
      assert.equal(pair.texts.size, pair.size);
    }),
    { numRuns: 400 },
  );
});

function contactOf(n: number, of: number): Kept {
  return { id: `ctc_${n % of}`, text: `maria ${n % 7} silva\n55${n}\n`, updatedAt: n };
}

test('so it does with more texts than one piece of memory holds, and frequent finds remembered', {
  timeout: 180_000,
}, async () => {
  const pair = new Pair();
  for (let n = 0; n < 10_000; n++) {
    pair.put(contactOf(n, 9_000));
    if (n % 1_000 !== 999) continue;
    for (const needle of ['silva', 'maria 3', '55999', String(n), 'nobody']) {
      await pair.search(needle, { skip: 50, limit: 50 }, NEVER);
      await pair.search(needle, { skip: 2_500, limit: 50 }, NEVER);
    }
  }
});

test('a search that pauses is true at its end, whatever has changed meanwhile', {
  timeout: 180_000,
}, async () => {
  const pair = new Pair();
  for (let n = 0; n < 20_000; n++) pair.put(contactOf(n, 20_000));
  let pauses = 0;
  const pace = pausing(() => {
    pauses += 1;
    // An old one is renamed, an old one is touched, a new one comes.
    pair.put({ ...contactOf(pauses, 20_000), text: 'joana', updatedAt: 30_000 + pauses });
    pair.put({ ...contactOf(10_000 + pauses, 20_000), updatedAt: 40_000 + pauses });
    pair.put({ ...contactOf(20_000 + pauses, 90_000), updatedAt: 50_000 + pauses });
  });
  for (const skip of [0, 10, 5_000]) {
    await pair.search('silva', { skip, limit: 50 }, pace);
    await pair.search(`${skip}`, { skip, limit: 50 }, pace);
    await Promise.all([
      pair.texts.search('joana', { skip: 0, limit: 9 }, pace),
      pair.texts.search('silva', { skip: 0, limit: 9 }, pace),
    ]);
    await pair.search('silva', { skip, limit: 50 }, pace);
  }
  assert.ok(pauses > 20, `${pauses} pauses`);
});

test('what searches have found is remembered in so many bytes and no more (decisions: D126)', async () => {
  const maxBytes = 50_000;
  const pair = new Pair(maxBytes);
  for (let n = 0; n < 10_000; n++) pair.put(contactOf(n, 10_000));
  for (let at = 0; at < 100; at++) {
    await pair.search(`55${at}`, { skip: 0, limit: 5 }, NEVER);
    await pair.search('silva', { skip: 0, limit: 5 }, NEVER);
    assert.ok(pair.findings.bytes <= maxBytes, `${pair.findings.bytes} bytes`);
  }
  assert.ok(pair.findings.bytes > maxBytes / 2);
  const perText = pair.texts.bytes / pair.size;
  assert.ok(perText < 200, `${perText} bytes a contact`);
});

test('a finding of more bytes than all may have is not remembered', async () => {
  const pair = new Pair(10_000);
  for (let n = 0; n < 5_000; n++) pair.put(contactOf(n, 5_000));
  await pair.search('silva', { skip: 0, limit: 5 }, NEVER);
  assert.equal(pair.findings.bytes, 0);
  await pair.search('silva', { skip: 9, limit: 5 }, NEVER);
});
