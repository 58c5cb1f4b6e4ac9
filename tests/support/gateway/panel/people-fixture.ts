/** A real service with two panels, of one process of tests: two organizations, their people. */
import assert from 'node:assert/strict';
import * as v from 'valibot';
import { parseAnswer } from '../../api/answers.ts';
import { atEndOfProcess } from '../../end-of-process.ts';
import { type Organization, organizations } from '../../organization.ts';
import { type Stack, startStack } from '../../stack.ts';
import { Browser, SignedInSchema, tokenOf } from './browser.ts';
import { tokenMailed, tokensMailed } from './mails.ts';
import { openStoreDigest, type StoreDigest } from './store-digest.ts';

const MEMBERS = [
  { ref: 'ana', name: 'Ana', email: 'Ana@example.com', role: 'admin' },
  { ref: 'bia', name: 'Bia', email: 'bia@example.com' },
  { ref: 'caio', name: 'Caio', email: 'caio@example.com', role: 'viewer' },
  { ref: 'duda', name: 'Duda', email: 'duda@example.com' },
];
/** A member of the other organization, with the e-mail of one in the first. */
const EVE = { ref: 'eve', name: 'Eve', email: 'duda@example.com', role: 'admin' };

export const PASSPHRASE = 'correto cavalo bateria grampo';

export interface PanelFixture {
  readonly stack: Stack;
  readonly shop: Organization;
  readonly other: Organization;
  readonly url: string;
  readonly store: StoreDigest;
  /** A browser at an address that no other has. */
  browserElsewhere(cookie?: string): Browser;
  /** The printed link of a member. */
  linkOf(member: string, org?: string): Promise<unknown>;
  useLink(printed: unknown): Promise<Browser>;
  signedInAs(member: string, org?: string): Promise<Browser>;
  /** Over a mailed link, which proves the mailbox. */
  signedInByMail(email: string, org?: string): Promise<Browser>;
  stop(): Promise<void>;
}

let started: PanelFixture | null = null;

/** Only after `startPanel`. */
export function panel(): PanelFixture {
  assert.ok(started !== null);
  return started;
}

let starting: Promise<void> | null = null;

/** The panel of this process, for a test file's `before`. */
export function startPanel(): Promise<void> {
  starting ??= open();
  return starting;
}

async function open(): Promise<void> {
  const settings = { FORMATION: 'panel=2', PANEL_TRUSTED_PROXIES: '127.0.0.0/8' };
  const stack = await startStack({ settings });
  const made = { shop: { more: { members: MEMBERS } }, other: { more: { members: [EVE] } } };
  const { shop, other } = await organizations(stack, made);
  const store = await openStoreDigest(stack.runFile().mongodbUrl);
  started = fixtureOf({ stack, shop, other, url: stack.runFile().panelUrl ?? '', store });
  atEndOfProcess(started.stop);
}

type Started = Pick<PanelFixture, 'stack' | 'shop' | 'other' | 'url' | 'store'>;

function fixtureOf({ stack, shop, other, url, store }: Started): PanelFixture {
  let addresses = 0;
  const fixture: PanelFixture = {
    ...{ stack, shop, other, url, store },
    browserElsewhere(cookie = '') {
      addresses += 1;
      return new Browser(url, cookie, { 'x-forwarded-for': `198.51.100.${addresses}` });
    },
    linkOf: (member, org = shop.ref) =>
      stack.ask('panel', 'link', '--org', org, '--member', member),
    async useLink(printed) {
      const browser = fixture.browserElsewhere();
      const body = { token: tokenOf(printed) };
      const answer = await browser.call('POST', '/panel/api/link', { body });
      assert.equal(answer.status, 200, answer.text);
      return browser;
    },
    signedInAs: async (member, org) => fixture.useLink(await fixture.linkOf(member, org)),
    async signedInByMail(email, orgId = shop.id) {
      const known = new Set(tokensMailed(stack.dataDir, email));
      const browser = fixture.browserElsewhere();
      await browser.call('POST', '/panel/api/link-requests', { body: { email } });
      const token = await tokenMailed(stack.dataDir, email, known);
      const answer = await browser.call('POST', '/panel/api/link', { body: { token } });
      const { data } = parseAnswer(answer, SignedInSchema);
      if (data.session) return browser;
      const chosen = { ticket: data.ticket, organizationId: orgId };
      const opened = await browser.call('POST', '/panel/api/sessions', { body: chosen });
      assert.equal(opened.status, 201, opened.text);
      return browser;
    },
    async stop() {
      await store.close();
      await stack.stop();
    },
  };
  return fixture;
}

const DataSchema = v.object({ data: v.array(v.looseObject({ id: v.string() })) });

export async function rows(browser: Browser, path: string) {
  const answer = await browser.call('GET', path);
  assert.equal(answer.status, 200, answer.text);
  return v.parse(DataSchema, answer.json).data;
}
