/** Names on one line, without characters that nobody reads (docs/security.md, people). */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import * as v from 'valibot';
import { UpsertContactBody } from '../../../shared/api/contact.ts';
import { nameBetween } from '../../../shared/api/fields.ts';
import { InboundBody } from '../../../shared/api/inbound.ts';
import { SENTENCES } from '../../../shared/api/sentences.ts';
import { newKeySchema } from '../../../shared/provisioning/commands.ts';
import { readOrganization } from '../../../shared/provisioning/organization.ts';
import { NOT_PRINTABLE } from '../../../shared/provisioning/values.ts';

const NAMES = [
  ...['Ana\u001b]52;c;bWFs\u0007', 'fatura\u202egpj.exe', 'Ana\nBcc: x', '\u2066Ana'],
  ...['A\u061cna', 'Ana\u2028Bcc: x'],
];
const PHONE = '+55 11 98888-7777';

function issuesOf(schema: v.GenericSchema, input: unknown) {
  const { issues = [] } = v.safeParse(schema, input);
  return issues.map((issue) => [v.getDotPath(issue) ?? '', issue.message]);
}

it('the API and the panel refuse a control character at the name', () => {
  for (const name of NAMES) {
    const problem = SENTENCES.controlCharacters;
    const contact = issuesOf(UpsertContactBody, { phone: PHONE, name });
    assert.deepEqual(contact, [['name', problem]]);
    assert.deepEqual(issuesOf(nameBetween(1, 120), name), [['', problem]]);
    assert.deepEqual(issuesOf(newKeySchema, { name, scope: 'account' }), [['name', NOT_PRINTABLE]]);
  }
});

it('a provisioning file is refused at each name', () => {
  for (const name of NAMES) {
    const { issues } = readOrganization({
      ...{ ref: 'shop', name, members: [{ ref: 'a', name }], keys: [{ ref: 'k', name }] },
      ...{ channels: [{ ref: 'c', label: name }], flows: [{ ref: 'f', name }] },
      files: [{ ref: 'd', name }],
    });
    assert.deepEqual(
      issues.map(({ path, problem }) => [path, problem]).toSorted(),
      [
        'channels.0.label',
        'files.0.name',
        'flows.0.name',
        'keys.0.name',
        'members.0.name',
        'name',
      ].map((path) => [path, { code: 'controlCharacters', params: {} }]),
    );
  }
});

it('a form that strangers fill loses the characters, and keeps the person', () => {
  const read = (name: string) => v.parse(InboundBody, { phone: PHONE, name }).name;
  const kept = ['Ana]52;c;bWFs', 'faturagpj.exe', 'AnaBcc: x', 'Ana', 'Ana', 'AnaBcc: x'];
  assert.deepEqual(NAMES.map(read), kept);
  assert.equal(read(`${'a'.repeat(120)}\u0000`), 'a'.repeat(120), 'counted without them');
});
