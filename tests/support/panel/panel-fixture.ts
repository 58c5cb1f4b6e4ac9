/** A stack with a panel, one organization with a team, and a browser: one of each for a file. */
import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import * as v from 'valibot';
import { openBrowser } from '../../../infra/tools/chromium/chromium.ts';
import { type BrowserOptions, openPage, type PanelPage } from '../browser.ts';
import { type Organization, organizations } from '../organization.ts';
import { shareStack } from '../shared-stack.ts';
import type { Stack } from '../stack.ts';
import { useUntil } from '../test-hooks.ts';

const MEMBERS = [
  { ref: 'ana', name: 'Ana Souza', role: 'admin' },
  { ref: 'bia', name: 'Bia Reis', role: 'attendant' },
];

const LinkSchema = v.object({ url: v.string() });

export interface PanelFixture {
  readonly stack: Stack;
  readonly shop: Organization;
  readonly url: string;
  readonly browser: Browser;
  emailOf(member: string): string;
  link(member: string): Promise<string>;
  operatorLink(): Promise<string>;
  open(options?: BrowserOptions): Promise<PanelPage>;
  /** A page that a member's link has signed in. */
  signIn(member: string, options?: BrowserOptions): Promise<PanelPage>;
  /** Ends it all; fails if any page that was opened did what no page may do. */
  stop(): Promise<void>;
}

/** @param more arguments of the browser */
export async function startPanel(more: readonly string[] = []): Promise<PanelFixture> {
  const stack = await shareStack({ FORMATION: 'panel=1' });
  // A person of an earlier file has a passphrase: the people of a file are its own.
  const emailOf = (member: string) => `${stack.prefix}${member}@example.com`;
  const members = MEMBERS.map((member) => ({ ...member, email: emailOf(member.ref) }));
  const businessAccountId = `waba-${stack.prefix}panel`;
  const { shop } = await organizations(stack, { shop: { businessAccountId, more: { members } } });
  const url = stack.runFile().panelUrl;
  assert.ok(url !== null);
  const browser = await openBrowser(more);
  const link = async (member: string) => {
    const made = await stack.ask('panel', 'link', '--org', shop.ref, '--member', member);
    return v.parse(LinkSchema, made).url;
  };
  const operatorLink = async () =>
    v.parse(LinkSchema, await stack.ask('panel', 'link', '--operator')).url;
  const offences: (readonly string[])[] = [];
  const open = async (options?: BrowserOptions) => {
    const opened = await openPage(browser, url, options);
    offences.push(opened.offences);
    return opened;
  };
  return {
    ...{ stack, shop, url, browser, emailOf, link, operatorLink, open },
    signIn: async (member, options) => {
      const opened = await open(options);
      await opened.page.goto(await link(member));
      await opened.page.getByRole('button', { name: 'Agora não' }).click();
      await opened.page.getByRole('heading', { name: 'Conversas' }).waitFor();
      return opened;
    },
    stop: async () => {
      await browser.close();
      await stack.stop();
      assert.deepEqual(offences.flat(), [], 'no page broke its policy or left its origin');
    },
  };
}

export function usePanel(more: readonly string[] = []): PanelFixture {
  return useUntil(
    () => startPanel(more),
    (panel) => panel.stop(),
  );
}
