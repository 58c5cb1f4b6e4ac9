/** `GET /control`: what can be asked of the simulator (C14). */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as v from 'valibot';
import { useNetworkFixture } from '../../../../../support/infra/adapters/network/network-fixture.ts';

const ListSchema = v.object({
  data: v.array(
    v.strictObject({
      method: v.string(),
      path: v.string(),
      takes: v.array(v.string()),
      does: v.pipe(v.string(), v.minLength(10)),
    }),
  ),
});
const PAGE = join(import.meta.dirname, '../../../../../../docs/operations.md');

const fixture = useNetworkFixture();

test('every control is listed with what it takes', async () => {
  const { status, body } = await fixture.control('GET', '');
  assert.equal(status, 200);
  const { data } = v.parse(ListSchema, body);
  const takes = new Map(data.map((row) => [`${row.method} ${row.path}`, row.takes]));
  assert.deepEqual(takes.get('POST /control/restart'), ['session', 'repeat?']);
  assert.deepEqual(takes.get('GET /control/sent'), ['to?']);
  assert.ok(takes.get('POST /control/faults')?.includes('times?'));
  assert.ok(takes.get('POST /control/inbound')?.includes('from'));
  assert.deepEqual(takes.get('DELETE /control'), []);
  assert.deepEqual(takes.get('DELETE /control/faults'), ['to?']);
  assert.deepEqual(takes.get('GET /control'), []);
  const page = readFileSync(PAGE, 'utf8');
  for (const call of takes.keys()) assert.ok(page.includes(`| \`${call}`), `${call} has a row`);
});

test('a control that is not there is answered with where the list is', async () => {
  const { status, body } = await fixture.control('POST', '/nothing');
  assert.equal(status, 404);
  assert.deepEqual(body, {
    error: 'no such control: POST /control/nothing; GET /control lists them',
  });
});
