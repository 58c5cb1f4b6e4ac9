/** Every problem of a body is told in the API's own words, and never in the schema library's. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as v from 'valibot';
import { PANEL_ROUTES } from '../../../gateway/panel/routes.ts';
import { ROUTES } from '../../../gateway/routes.ts';

const WRONG = [0.5, -1, 1e300, 'x', 'ß'.repeat(5_000), {}, [], [0], [{}], { x: 0 }, true, null];
/** The library's sentences begin so. */
const ENGLISH = /^Invalid /;

// The panel has rows of the API among its own.
for (const { operationId, body } of new Set([...ROUTES, ...PANEL_ROUTES])) {
  if (!body || !('entries' in body)) continue;
  const names = Object.keys(Object(body.entries));
  if (names.length === 0) continue;
  test(`${operationId} refuses each field in Portuguese`, () => {
    for (const name of names) {
      for (const value of WRONG) {
        const { issues = [] } = v.safeParse(body, { [name]: value });
        const told = issues.map(({ message }) => message).filter((text) => ENGLISH.test(text));
        assert.deepEqual(told, [], `${name}: ${JSON.stringify(value).slice(0, 40)}`);
      }
    }
  });
}
