/** Sessions, members and the audit log (docs/security.md, people). */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import * as v from 'valibot';
import { assertStatus } from '../../../support/api/answers.ts';
import { freshPhone } from '../../../support/api.ts';
import { tokenOf } from '../../../support/gateway/panel/browser.ts';
import { panel, rows, startPanel } from '../../../support/gateway/panel/people-fixture.ts';
import { waitUntil } from '../../../support/wait-for.ts';

before(startPanel);

const OrganizationsSchema = v.object({
  data: v.array(v.looseObject({ id: v.string(), name: v.string() })),
});

describe('the team', () => {
  test('a session that has ended is refused at its next call', async () => {
    const [ana, bia] = [await panel().signedInAs('ana'), await panel().signedInAs('bia')];
    assert.equal((await bia.call('GET', '/api/v1/conversations')).status, 200);
    const shown = await bia.call('GET', '/panel/api/session');
    const { data } = v.parse(v.object({ data: v.object({ id: v.string() }) }), shown.json);
    assert.equal((await ana.call('POST', `/panel/api/sessions/${data.id}/end`)).status, 200);
    const calls = Array.from({ length: 8 }, () => bia.call('GET', '/api/v1/conversations'));
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    assert.deepEqual(new Set(statuses), new Set([401]), 'by every process');
  });

  test('the operator’s session is of no organization, and ends as others do', async () => {
    const operator = await panel().useLink(await panel().stack.ask('panel', 'link', '--operator'));
    const shown = await operator.call('GET', '/panel/api/session');
    assert.match(shown.text, /"role":"operator","member":null,"organization":null/);
    assert.equal((await operator.call('GET', '/api/v1/conversations')).status, 404);
    assert.equal((await operator.call('POST', '/panel/api/passphrase')).status, 403);
    await panel().stack.apply({ orgs: [{ ref: 'gone', name: 'Passageira' }] });
    const listed = await operator.call('GET', '/panel/api/organizations');
    const { data } = v.parse(OrganizationsSchema, listed.json);
    const { id = '' } = data.find((each) => each.name === 'Passageira') ?? {};
    await panel().stack.apply({ orgs: [{ ref: 'gone', remove: true }] });
    const looking = { headers: { 'x-recado-organization': id } };
    for (const path of ['/api/v1/conversations', '/panel/api/events', '/panel/api/audit']) {
      const absent = await operator.call('GET', path, looking);
      assert.equal(absent.status, 404, path);
      assert.equal(absent.headers.get('x-recado-organization'), 'absent');
    }
    assert.equal((await operator.call('GET', '/panel/api/session', looking)).status, 200);
    const { cookie } = operator;
    assert.equal((await operator.call('POST', '/panel/api/sign-out')).status, 200);
    const again = panel().browserElsewhere(cookie);
    assert.equal((await again.call('GET', '/panel/api/session')).status, 401);
  });

  test('a disabled member is refused at its next call, and cannot sign in', async () => {
    const bia = await panel().signedInAs('bia');
    const printed = await panel().linkOf('bia');
    await panel().stack.ask('members', 'disable', '--org', panel().shop.ref, '--member', 'bia');
    assert.equal((await bia.call('GET', '/api/v1/conversations')).status, 401);
    const body = { token: tokenOf(printed) };
    assert.equal(
      (await panel().browserElsewhere().call('POST', '/panel/api/link', { body })).status,
      401,
    );
    await panel().stack.ask('members', 'enable', '--org', panel().shop.ref, '--member', 'bia');
    assert.equal((await bia.call('GET', '/api/v1/conversations')).status, 401, 'it stays ended');
    await panel().signedInAs('bia');
  });

  test('a member who was taken away and comes back signs in anew', async () => {
    const duda = await panel().signedInAs('duda');
    const change = (entry: object) =>
      panel().stack.apply({
        orgs: [{ ref: panel().shop.ref, members: [{ ref: 'duda', ...entry }] }],
      });
    await change({ remove: true });
    assert.equal((await duda.call('GET', '/panel/api/session')).status, 401);
    await change({ name: 'Duda', email: 'duda@example.com' });
    assert.equal((await duda.call('GET', '/panel/api/session')).status, 401);
    await panel().signedInAs('duda');
  });

  test('a changed role counts at the next call', async () => {
    const caio = await panel().signedInAs('caio');
    const contact = { body: { phone: freshPhone(), name: 'Maria' } };
    assert.equal((await caio.call('POST', '/api/v1/contacts', contact)).status, 403);
    const of = ['--org', panel().shop.ref, '--member', 'caio'];
    for (const [role, status] of [
      ['attendant', 201],
      ['viewer', 403],
    ] as const) {
      await panel().stack.ask('members', 'role', ...of, '--role', role);
      assert.equal((await caio.call('POST', '/api/v1/contacts', contact)).status, status, role);
    }
  });

  test('the last admin is neither demoted nor disabled', async () => {
    const ana = await panel().signedInAs('ana');
    const members = await rows(ana, '/panel/api/members');
    const id = members.find((member) => member.ref === 'ana')?.id ?? '';
    for (const body of [{ role: 'viewer' }, { disabled: true }]) {
      assertStatus(await ana.call('POST', `/panel/api/members/${id}`, { body }), 409);
    }
    const file = { orgs: [{ ref: panel().shop.ref, members: [{ ref: 'ana', role: 'viewer' }] }] };
    const applied = await panel().stack.recado(['apply', '-'], JSON.stringify(file));
    assert.equal(applied.code, 2, applied.stderr);
    assert.match(applied.stderr, /members\[?\.?0.*last admin/);
  });

  test('an invited member signs in by the mailed link', async () => {
    const ana = await panel().signedInAs('ana');
    const body = { name: 'Gil', email: 'gil@example.com', role: 'attendant' };
    assertStatus(await ana.call('POST', '/panel/api/members', { body }), 201);
    assertStatus(await ana.call('POST', '/panel/api/members', { body }), 409);
    const folder = join(panel().stack.dataDir, 'mail');
    await waitUntil('the invitation', () =>
      readdirSync(folder).some((name) =>
        readFileSync(join(folder, name), 'utf8').includes('gil@example.com'),
      ),
    );
  });
});

describe('the audit log', () => {
  test('has every change of a person, with its author, and origin panel', async () => {
    const bia = await panel().signedInAs('bia');
    const phone = freshPhone();
    const send = { body: { channelId: panel().shop.main, phone, text: 'Olá!' } };
    const sent = await bia.call('POST', '/api/v1/messages', send);
    assert.equal(sent.status, 201, sent.text);
    assertStatus(await bia.call('POST', '/api/v1/deals', { body: { phone, title: 'Venda' } }), 201);
    const ana = await panel().signedInAs('ana');
    const entries = await waitUntil('the entries of the changes', async () => {
      const all = await rows(ana, '/panel/api/audit?limit=200');
      const written = all.filter(({ name }) => name === 'Bia').map(({ operation }) => operation);
      return written.includes('sendMessage') && written.includes('createDeal') ? all : null;
    });
    const operations = new Set(entries.map(({ operation }) => operation));
    for (const operation of ['signIn', 'endSession', 'changeMember', 'inviteMember']) {
      assert.ok(operations.has(operation), operation);
    }
    const mine = entries.find(({ operation }) => operation === 'sendMessage');
    assert.match(String(mine?.address), /^198\.51\.100\.\d+$/);
    assert.equal(mine?.role, 'attendant');
    const { data } = v.parse(
      v.object({ data: v.object({ conversationId: v.string(), messageId: v.string() }) }),
      sent.json,
    );
    const [message] = await panel().stack.history(panel().shop.key, data.conversationId);
    assert.deepEqual(message?.author, { kind: 'member', label: 'Bia' });
    const saved = await bia.call('POST', '/api/v1/contacts', { body: { phone: freshPhone() } });
    assert.match(saved.text, /"source":"panel"/);
  });
});
