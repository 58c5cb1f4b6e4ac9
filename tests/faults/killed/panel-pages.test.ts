/**
 * Open pages beside kill -9 of the panel, the actors and NATS. `npm run chaos -- --panel` makes the
 * same run longer.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPanel } from '../../support/panel/panel-fixture.ts';
import { useUntil } from '../../support/stack-hooks.ts';
import { ACT_KINDS } from './panel/acts.ts';
import { changeAndKill, sentenceOf } from './panel/kills.ts';

/** A kill for each act of a person, at least. */
const CHANGES = 112;

const panel = useUntil(startPanel, ({ stop }) => stop());

test('whoever was killed, every open page equals the lists of the API', async (t) => {
  const report = await changeAndKill(panel, {
    seed: Date.now() % 1_000_000,
    changes: CHANGES,
    tell: (sentence) => t.diagnostic(sentence),
  });
  t.diagnostic(sentenceOf(report));
  assert.deepEqual(report.differences, [], 'every page equals the API');
  assert.ok(report.kills > 0, 'a process was killed');
  assert.ok(report.refused < CHANGES / 2, 'most changes were made');
  assert.deepEqual([...report.acts].toSorted(), ACT_KINDS.toSorted(), 'every act met a kill');
  for (const made of Object.values(report.made)) assert.ok(made > 0, 'every origin made changes');
});
