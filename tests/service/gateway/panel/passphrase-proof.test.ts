/**
 * An organization's links and member list reach nobody's other organizations (D315): A lists an
 * e-mail of B's, makes links for it by the command line, and tries every way in to B.
 */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { assertStatus, parseAnswer } from '../../../support/api/answers.ts';
import { type Browser, SignedInSchema, tokenOf } from '../../../support/gateway/panel/browser.ts';
import { mailsTo } from '../../../support/gateway/panel/mails.ts';
import { panel, rows, startPanel } from '../../../support/gateway/panel/people-fixture.ts';
import { waitFor } from '../../../support/wait-for.ts';

before(startPanel);

const BY_A = 'quatro palavras do atacante';
const OWN = 'quatro palavras da vítima';
const EMAIL = 'victim@b.example';
const ADMIN = { name: 'Chefe', role: 'admin' };

/** Organizations of this file, and their ids. */
async function made() {
  const orgs = ['mala', 'boa'].map((ref) => ({
    ...{ ref, name: ref },
    members: [{ ref: 'chefe', email: `chefe@${ref}.example`, ...ADMIN }],
  }));
  const applied = await panel().stack.apply({ orgs });
  return { mala: applied.orgs.mala?.id ?? '', boa: applied.orgs.boa?.id ?? '' };
}

/** The victim's entry in an organization's file. */
function list(ref: string, entry: object = {}) {
  const member = { ref: 'v', name: 'Vítima', email: EMAIL, ...entry };
  return panel().stack.apply({ orgs: [{ ref, members: [member] }] });
}

async function guess(passphrase: string) {
  const browser = panel().browserElsewhere();
  const call = { body: { email: EMAIL, passphrase } };
  return { browser, answer: await browser.call('POST', '/panel/api/sign-in', call) };
}

async function opens(passphrase: string): Promise<readonly string[]> {
  const { answer } = await guess(passphrase);
  if (answer.status === 401) return [];
  const { data } = parseAnswer(answer, SignedInSchema);
  return data.choices.map(({ organizationName }) => organizationName).toSorted();
}

const set = (browser: Browser, passphrase: string, current?: string) => {
  const body = { passphrase, ...(current === undefined ? {} : { current }) };
  return browser.call('POST', '/panel/api/passphrase', { body });
};

test('a link of one organization opens none of the person’s others', async () => {
  const ids = await made();
  await list('mala');
  const attacker = await panel().signedInAs('v', 'mala');
  assertStatus(await set(attacker, BY_A), 200);
  assert.deepEqual(await opens(BY_A), ['mala']);
  const inA = await guess(BY_A);
  await list('boa');

  assert.deepEqual(await opens(BY_A), [], 'a second membership makes it void');
  for (const browser of [attacker, inA.browser]) {
    const [name = '', value = ''] = browser.cookie.split('=');
    const forged = panel().browserElsewhere(`${name}=${ids.boa}.${value.split('.')[1] ?? ''}`);
    assertStatus(await forged.call('GET', '/panel/api/session'), 401);
    const looking = { headers: { 'x-recado-organization': ids.boa } };
    const shown = await browser.call('GET', '/panel/api/session', looking);
    assert.match(shown.text, new RegExp(ids.mala), 'the header is the operator’s alone');
  }
  const link = { body: { token: tokenOf(await panel().linkOf('v', 'mala')) } };
  const again = panel().browserElsewhere();
  const { data } = parseAnswer(await again.call('POST', '/panel/api/link', link), SignedInSchema);
  assert.deepEqual([data.choices.length, data.ticket, data.offersPassphrase], [1, null, false]);
  const ticket = `${link.body.token.split('.')[0] ?? ''}.${link.body.token.split('.')[1] ?? ''}`;
  const choice = { body: { ticket, organizationId: ids.boa } };
  assertStatus(await again.call('POST', '/panel/api/sessions', choice), 401);
  for (const current of [undefined, BY_A]) {
    assertStatus(await set(again, `${BY_A} 2`, current), 403);
  }

  const victim = await panel().signedInByMail(EMAIL, ids.boa);
  assertStatus(await set(victim, OWN), 200);
  assert.deepEqual([await opens(OWN), await opens(BY_A)], [['boa', 'mala'], []]);
  assertStatus(await again.call('GET', '/panel/api/session'), 401);
  const third = await panel().signedInAs('v', 'mala');
  assertStatus(await set(third, BY_A), 422);
  assert.deepEqual(await opens(OWN), ['boa', 'mala'], 'it is not replaced');
  assertStatus(await victim.call('GET', '/panel/api/session'), 200);

  const told = () => mailsTo(panel().stack.dataDir, EMAIL, /senha nova/).length === 2;
  await waitFor(told, { what: 'a mail for each new passphrase' });
  const log = await rows(await panel().signedInAs('chefe', 'boa'), '/panel/api/audit?limit=50');
  const entries = log.filter(({ operation }) => operation === 'setPassphrase');
  assert.deepEqual(
    entries.map(({ details }) => details),
    [{ provenBy: 'mailbox' }],
  );
});

test('an e-mail that moves between members takes no passphrase along', async () => {
  await made();
  const email = 'moved@b.example';
  await list('mala', { email });
  const attacker = await panel().signedInAs('v', 'mala');
  assertStatus(await set(attacker, BY_A), 200);
  await list('mala', { email: 'other@a.example' });
  assertStatus(await attacker.call('GET', '/panel/api/session'), 401);
  await list('boa', { email });
  const sign = { body: { email, passphrase: BY_A } };
  assertStatus(await panel().browserElsewhere().call('POST', '/panel/api/sign-in', sign), 401);
  const linked = await panel().signedInAs('v', 'boa');
  assertStatus(await set(linked, OWN), 200);
  const own = { body: { email, passphrase: OWN } };
  assertStatus(await panel().browserElsewhere().call('POST', '/panel/api/sign-in', own), 200);
});

test('an invitation answers with a link that proves no mailbox, and says that no mail left', async () => {
  const ids = await made();
  const chefe = await panel().signedInAs('chefe', 'mala');
  const body = { name: 'Gil', email: 'gil@b.example', role: 'attendant' };
  const invited = await chefe.call('POST', '/panel/api/members', { body });
  assertStatus(invited, 201);
  assert.match(invited.text, /"mailed":false/);
  const [, token = ''] = /entrar#([\w.-]+)"/.exec(invited.text) ?? [];
  const [mail = ''] = mailsTo(panel().stack.dataDir, 'gil@b.example');
  assert.match(mail, /Chefe convidou você para a equipe de mala/);
  assert.doesNotMatch(mail, new RegExp(token));
  await panel().stack.apply({
    orgs: [{ ref: 'boa', members: [{ ref: 'g', name: 'Gil', email: body.email }] }],
  });
  const again = ['--org', 'mala', '--member', 'helo', '--name', 'Helo', '--email', 'h@b.example'];
  const printed = await panel().stack.ask('members', 'invite', ...again);
  const helo = await panel().useLink(printed);
  assertStatus(await helo.call('GET', '/panel/api/session'), 200);
  assert.equal(Reflect.get(Object(printed), 'mailed'), false);
  const gil = panel().browserElsewhere();
  const used = await gil.call('POST', '/panel/api/link', { body: { token } });
  const { data } = parseAnswer(used, SignedInSchema);
  assert.equal(data.session?.organization?.id, ids.mala);
  assertStatus(await set(gil, BY_A), 403);
  assertStatus(
    await chefe.call('POST', '/panel/api/members', { body: { ...body, name: 'A\u001bB' } }),
    422,
  );
});
