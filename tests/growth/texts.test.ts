/** The searched texts against a naive model: every substring, in order, and the number of all. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { foldText } from '../../actors/contact/render.ts';
import { Texts } from '../../actors/search/texts.ts';

/** Few letters, so that what is sought is found; some take more than one byte. */
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

test('a search finds what a look at every text finds, in the order of the list', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const texts = new Texts();
      const kept = new Map<string, Kept>();
      for (const step of all) {
        if ('id' in step) {
          texts.put(step);
          kept.set(step.id, step);
          continue;
        }
        const { needle, skip, limit } = step;
        const ids = naive(kept, needle);
        const found = texts.search(needle, { skip, limit });
        assert.deepEqual(found, { ids: ids.slice(skip, skip + limit), total: ids.length });
      }
      assert.equal(texts.size, kept.size);
    }),
    { numRuns: 400 },
  );
});

test('so it does with more texts than one piece of memory holds, and frequent finds remembered', {
  timeout: 60_000,
}, () => {
  const texts = new Texts();
  const kept = new Map<string, Kept>();
  for (let n = 0; n < 10_000; n++) {
    const contact = {
      id: `ctc_${n % 9_000}`,
      text: `maria ${n % 7} silva\n55${n}\n`,
      updatedAt: n,
    };
    texts.put(contact);
    kept.set(contact.id, contact);
    if (n % 1_000 !== 999) continue;
    for (const needle of ['silva', 'maria 3', '55999', String(n), 'nobody']) {
      const ids = naive(kept, needle);
      const found = texts.search(needle, { skip: 50, limit: 50 });
      assert.deepEqual(found, { ids: ids.slice(50, 100), total: ids.length }, needle);
    }
  }
});
