/** A flow's `send` with a file of the library (docs/flows.md), on the real service. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { contactFixtureOf } from '../../../../support/actors/conversation/flow/contact-fixture.ts';
import { pluckRows } from '../../../../support/pluck.ts';
import { useOrganizations, useStack } from '../../../../support/stack-hooks.ts';

const folder = mkdtempSync(join(tmpdir(), 'recado-flow-file-'));
const STEPS = [
  { id: 'offer', do: 'send', file: 'price-list', text: 'Olá {{contact.phone}}', next: 'bare' },
  { id: 'bare', do: 'send', file: 'price-list', next: 'end' },
  { id: 'end', do: 'end' },
];

const stack = useStack();
const { org } = useOrganizations(stack, () => {
  const path = join(folder, 'prices.txt');
  writeFileSync(path, 'coffee 10\n');
  const files = [{ ref: 'price-list', name: 'prices.txt', path, mimeType: 'text/plain' }];
  const flows = [{ ref: 'prices', name: 'Preços', steps: STEPS }];
  return { org: { more: { files, flows } } };
});
after(() => rmSync(folder, { recursive: true, force: true }));

test('a file goes with the rendered text as its caption, and alone without one', async () => {
  const fixture = contactFixtureOf(stack, org);
  assert.equal((await fixture.start('prices')).status, 201);
  await fixture.untilReceived(2);
  const sent = await stack.network.sent(fixture.phone);
  assert.deepEqual(pluckRows(sent, 'kind', 'text'), [
    ['document', `Olá ${fixture.phone}`],
    ['document', null],
  ]);
  await fixture.untilStatus('open');
});
