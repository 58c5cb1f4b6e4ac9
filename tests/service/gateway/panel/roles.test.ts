/** The table of roles, call by call, through HTTP: a refused call changes no byte. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { before, describe, test } from 'node:test';
import * as v from 'valibot';
import type { PanelRoute } from '../../../../gateway/panel/panel.ts';
import { PANEL_ROUTES } from '../../../../gateway/panel/routes.ts';
import { isAllowed } from '../../../../shared/panel/roles.ts';
import { type MEMBER_ROLES, ROLES, type Role } from '../../../../shared/vocabulary.ts';
import type { Browser, PanelCall } from '../../../support/gateway/panel/browser.ts';
import { panel, rows, startPanel } from '../../../support/gateway/panel/people-fixture.ts';
import type { StoreDigest } from '../../../support/gateway/panel/store-digest.ts';
import { pluck } from '../../../support/pluck.ts';

before(startPanel);

const SessionSchema = v.object({ data: v.object({ id: v.string() }) });

async function asOperator(): Promise<Browser> {
  const browser = await panel().useLink(await panel().stack.ask('panel', 'link', '--operator'));
  browser.headers['x-recado-organization'] = panel().shop.id;
  return browser;
}

function pathOf({ path }: PanelRoute): string {
  return path.replace(/\{\w+\}/g, 'none_1234');
}

const ASKED = PANEL_ROUTES.filter(({ entrance }) => entrance === 'api' || entrance === 'session');

/** Bodies that would change something. */
const SAMPLES: Readonly<Record<string, unknown>> = {
  inviteMember: { name: 'Zé', email: 'ze@example.com', role: 'viewer' },
  changeMember: { role: 'viewer', disabled: true },
  setPassphrase: { passphrase: 'uma frase bem comprida', current: 'outra' },
  enableFlow: { enabled: false },
  publishFlow: { yaml: 'ref: outro' },
  requestLink: { email: 'ana@example.com' },
};

interface Verdict {
  readonly operation: string;
  readonly status: number;
}

/** Every call as one caller; signing out would end the caller. */
async function callAll(browser: Browser, wanted: readonly PanelRoute[], call: PanelCall = {}) {
  const verdicts: Verdict[] = [];
  for (const route of wanted.filter(({ operationId }) => operationId !== 'signOut')) {
    const body = SAMPLES[route.operationId] ?? ('bodyExample' in route ? route.bodyExample : {});
    const { status } = await browser.call(route.method, pathOf(route), { body, ...call });
    verdicts.push({ operation: route.operationId, status });
  }
  return verdicts;
}

interface Refused {
  readonly wanted: readonly PanelRoute[];
  readonly status: number;
  readonly call?: PanelCall;
}

async function assertRefused(
  store: StoreDigest,
  browser: Browser,
  { wanted, status, call }: Refused,
): Promise<void> {
  const earlier = await store.read();
  const verdicts = await callAll(browser, wanted, call);
  const others = verdicts.filter((each) => each.status !== status);
  assert.deepEqual(others, [], `every refusal is ${status}`);
  assert.equal(await store.read(), earlier, 'no byte has changed');
}

describe('the table of roles', () => {
  const members: Readonly<Record<(typeof MEMBER_ROLES)[number], string>> = {
    admin: 'ana',
    attendant: 'bia',
    viewer: 'caio',
  };
  const signIns: Readonly<Record<Role, () => Promise<Browser>>> = {
    operator: () => asOperator(),
    admin: () => panel().signedInAs(members.admin),
    attendant: () => panel().signedInAs(members.attendant),
    viewer: () => panel().signedInAs(members.viewer),
  };

  test('has a row for every call', () => {
    const without = ASKED.filter(
      ({ operationId }) => !ROLES.some((role) => isAllowed(role, operationId)),
    );
    assert.deepEqual(pluck(without, 'operationId'), [
      'getMe',
      'receiveInbound',
      'streamEvents',
      'acknowledgeEvents',
    ]);
  });

  for (const [role, signIn] of Object.entries(signIns) as [Role, () => Promise<Browser>][]) {
    test(`says what ${role} may`, async () => {
      const browser = await signIn();
      const allowed = ASKED.filter(({ operationId }) => isAllowed(role, operationId));
      const refused = ASKED.filter(({ operationId }) => !isAllowed(role, operationId));
      await assertRefused(panel().store, browser, { wanted: refused, status: 403 });
      const verdicts = await callAll(browser, allowed);
      const wrong = verdicts.filter(
        ({ operation, status }) =>
          // A present passphrase that is wrong is a 401 as well.
          [403, 500].includes(status) || (status === 401 && operation !== 'setPassphrase'),
      );
      assert.deepEqual(wrong, []);
    });
  }

  test('lets nobody in without a session', async () => {
    await assertRefused(panel().store, panel().browserElsewhere(), { wanted: ASKED, status: 401 });
  });

  test('lets no API key in', async () => {
    const headers = { authorization: `Bearer ${panel().shop.key}`, 'x-api-key': panel().shop.key };
    await assertRefused(panel().store, panel().browserElsewhere(), {
      wanted: ASKED,
      status: 401,
      call: { headers },
    });
  });

  test('lets no expired session in', async () => {
    const [name = ''] = (await panel().signedInAs('ana')).cookie.split('=');
    const secret = 'x'.repeat(43);
    const member = panel().shop.applied.members.ana ?? '';
    await panel().store.insert('sessions', {
      ...{ _id: createHash('sha256').update(secret).digest('base64url'), id: 'ses_old' },
      ...{ orgId: panel().shop.id, memberId: member, personId: 'none', way: 'link', address: '' },
      ...{ createdAt: 1, seenAt: 1, until: 2 },
    });
    await assertRefused(
      panel().store,
      panel().browserElsewhere(`${name}=${panel().shop.id}.${secret}`),
      { wanted: ASKED, status: 401 },
    );
  });

  test('lets no other origin change anything', async () => {
    const browser = await panel().signedInAs('ana');
    const changing = PANEL_ROUTES.filter(({ method }) => method === 'POST');
    const headers: readonly Readonly<Record<string, string>>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': '', origin: 'http://evil.test' },
      { 'sec-fetch-site': '' },
      { 'x-recado-panel': '' },
    ];
    for (const each of headers)
      await assertRefused(panel().store, browser, {
        wanted: changing,
        status: 403,
        call: { headers: each },
      });
    const own = { headers: { 'sec-fetch-site': '', origin: panel().url } };
    assert.equal((await browser.call('POST', '/panel/api/sign-out', own)).status, 200);
  });

  test('changes nothing for a page of another session', async () => {
    const [ana, bia] = [await panel().signedInAs('ana'), await panel().signedInAs('bia')];
    const { data } = v.parse(SessionSchema, (await ana.call('GET', '/panel/api/session')).json);
    const headers = { 'x-recado-session': data.id };
    const changing = ASKED.filter(({ method }) => method === 'POST');
    const refused = { wanted: changing, status: 412, call: { headers } };
    await assertRefused(panel().store, bia, refused);
    assert.equal((await ana.call('POST', '/panel/api/sign-out', { headers })).status, 200);
  });

  test('shows an admin nothing of another organization', async () => {
    const eve = await panel().signedInAs('eve', panel().other.ref);
    const ids = new Set(
      (await rows(await panel().signedInAs('ana'), '/panel/api/members')).map(({ id }) => id),
    );
    assert.deepEqual(
      (await rows(eve, '/panel/api/members')).filter(({ id }) => ids.has(id)),
      [],
    );
    const earlier = await panel().store.read();
    const [ana] = ids;
    const change = { body: { role: 'viewer' } };
    assert.equal((await eve.call('POST', `/panel/api/members/${ana}`, change)).status, 404);
    assert.equal(await panel().store.read(), earlier);
  });
});
