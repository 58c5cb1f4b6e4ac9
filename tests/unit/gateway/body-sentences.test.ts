/** Every problem of a body is told in the API's own words, and never in the schema library's. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as v from 'valibot';
import { PANEL_ROUTES } from '../../../gateway/panel/routes.ts';
import { ROUTES } from '../../../gateway/routes.ts';

const WRONG = [0.5, -1, 1e300, 'x', 'ß'.repeat(5_000), {}, [], [0], [{}], { x: 0 }, true, null];
/** The library's sentences begin so. */
const ENGLISH = /^Invalid /;

function sentences(schema: v.GenericSchema, given: unknown): readonly string[] {
  const parsed = v.safeParse(schema, given);
  return (parsed.issues ?? []).map(({ message }) => message);
}

// The panel has rows of the API among its own.
for (const row of new Set([...ROUTES, ...PANEL_ROUTES])) {
  const body = 'body' in row ? row.body : null;
  if (!body || !('entries' in body)) continue;
  const names = Object.keys(Object(body.entries));
  if (names.length === 0) continue;
  test(`${row.operationId} refuses each field in Portuguese`, () => {
    for (const name of names) {
      for (const value of WRONG) {
        const told: readonly string[] = sentences(body, { [name]: value }).filter((text) =>
          ENGLISH.test(text),
        );
        assert.deepEqual(told, [], `${name}: ${JSON.stringify(value).slice(0, 40)}`);
      }
    }
  });
}
