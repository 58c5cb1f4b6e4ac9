/** The doctor's rows of the record, as a panel keeps them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordRows } from '../../../../../../infra/programs/cli/installation/record-rows.ts';
import type { Answer } from '../../../../../../shared/ports/bus.ts';
import { pluck } from '../../../../../support/pluck.ts';

const ROW = { name: 'disk', ok: true, detail: [{ code: 'of-another-release' }], remedy: null };
const WELL: Answer = { status: 200, body: JSON.stringify({ rows: [ROW] }) };

/** A panel a number of seconds after its first look. */
function asked(answers: readonly Answer[]) {
  const left = [...answers];
  let now = 0;
  const service = {
    query: async () => left.shift() ?? assert.fail('it was asked once more'),
  };
  const rows = recordRows(service, () => now);
  return async (seconds: number) => {
    now = seconds * 1_000;
    return pluck(await rows(), 'name');
  };
}

test('looks of one minute share one answer, with codes of another release too', async () => {
  const look = asked([WELL, { status: 200, body: JSON.stringify({ rows: [] }) }]);
  assert.deepEqual(await Promise.all([look(0), look(0)]), [['disk'], ['disk']]);
  assert.deepEqual(await look(59), ['disk']);
  assert.deepEqual(await look(60), []);
});

test('no failure is kept: the next look asks again', async () => {
  const look = asked([{ status: 503, body: JSON.stringify({ error: 'Aguarde.' }) }, WELL]);
  assert.deepEqual(await look(0), ['mongodb']);
  assert.deepEqual(await look(1), ['disk']);
});
