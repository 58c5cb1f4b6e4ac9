/**
 * Open pages beside kill -9 of the panel, the actors and NATS: afterwards each page shows what the
 * API lists, without a reload. `PANEL_CHANGES` makes the run longer than in `npm test`.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { killHard } from '../chaos/load-fixture.ts';
import { freshPhone } from '../support/api.ts';
import { waitFor } from '../support/wait-for.ts';
import { type PanelFixture, startPanel } from './panel-fixture.ts';

const CHANGES = Number(process.env.PANEL_CHANGES ?? 100);
const CHANGES_BETWEEN_KILLS = 12;
const CONTACTS = 6;
const SHOWN_AT_LEAST = 8;
const KILLED = ['panel', 'actors', 'nats'] as const;
/** Every page is right so long after the last fault (contract of the panel). */
const RIGHT_WITHIN_MS = 15_000;

let panel: PanelFixture;

before(async () => {
  panel = await startPanel();
});
after(() => panel?.stop());

interface Row {
  readonly name: string;
  readonly preview: string;
}

async function listed(): Promise<readonly Row[]> {
  const { data } = await panel.stack.conversations(panel.shop.key, '?limit=50');
  return data.map(({ contact, lastMessagePreview }) => ({
    name: contact.name ?? '',
    preview: lastMessagePreview ?? '',
  }));
}

/** Differences of the page's list, row by row. */
async function differences(page: Page): Promise<readonly string[]> {
  const wanted = await listed();
  const items = page.getByRole('list', { name: 'Conversas' }).getByRole('listitem');
  const shown = await items.allInnerTexts();
  const different = wanted.flatMap(({ name, preview }, index) => {
    const text = shown[index] ?? '';
    return text.startsWith(name) && text.includes(preview) ? [] : [`${name}, ${preview}: ${text}`];
  });
  return shown.length === wanted.length ? different : [...different, `${shown.length} rows`];
}

/** Differences of the newest messages: the page draws as many as fit beside its screen. */
async function threadDifferences(page: Page, conversationId: string): Promise<readonly string[]> {
  const history = await panel.stack.history(panel.shop.key, conversationId);
  const articles = page.getByRole('log', { name: 'Mensagens' }).getByRole('article');
  const shown = await articles.allInnerTexts();
  if (shown.length < SHOWN_AT_LEAST) return [`${shown.length} messages`];
  const newest = history.slice(0, shown.length).reverse();
  return newest.flatMap(({ text }, index) => {
    const drawn = shown[index] ?? '';
    return drawn.includes(text ?? '') ? [] : [`${text}: ${drawn}`];
  });
}

/** A change may be refused while a process is away. */
async function change(n: number, phones: readonly string[]): Promise<void> {
  const from = phones[n % CONTACTS] ?? '';
  const { stack, shop } = panel;
  const name = `Pessoa ${n % CONTACTS}`;
  const text = `mudança número ${n}.`;
  if (n % 3 === 0) await stack.send(shop.key, { channelId: shop.main, phone: from, text });
  else await stack.network.inbound({ channelId: shop.main, from, text, name });
}

test('whoever was killed, every open page equals the lists of the API', {
  timeout: 240_000,
}, async (t) => {
  const phones = Array.from({ length: CONTACTS }, freshPhone);
  for (let n = 1; n <= CONTACTS; n++) await change(1_000 + n, phones);
  const pages: Page[] = [];
  for (const member of ['ana', 'bia']) {
    const { page } = await panel.signIn(member);
    await page.evaluate("globalThis.mark = 'not reloaded'");
    pages.push(page);
  }
  const { data } = await panel.stack.conversations(panel.shop.key, '?limit=50');
  const [watched] = data;
  assert.ok(watched);
  const [, thread] = pages;
  assert.ok(thread);
  await thread.getByRole('link', { name: watched.contact.name ?? '' }).click();
  let refused = 0;
  for (let n = 1; n <= CHANGES; n++) {
    await change(n, phones).catch(() => {
      refused += 1;
    });
    if (n % CHANGES_BETWEEN_KILLS !== 0) continue;
    const role = KILLED[(n / CHANGES_BETWEEN_KILLS) % KILLED.length] ?? 'panel';
    void killHard(panel.stack, role);
  }
  t.diagnostic(`${refused} of ${CHANGES} changes were refused`);
  assert.ok(refused < CHANGES / 2, 'most changes were made');
  const wrong = async (): Promise<readonly string[]> => [
    ...(await Promise.all(pages.map(differences))).flat(),
    ...(await threadDifferences(thread, watched.id)),
  ];
  let last: readonly string[] = [];
  await waitFor(
    async () => {
      last = await wrong().catch((fault: unknown) => [String(fault)]);
      return last.length === 0 || null;
    },
    { what: 'every page is right', timeoutMs: RIGHT_WITHIN_MS + 15_000 },
  ).catch(() => assert.deepEqual(last, [], 'every page equals the API'));
  for (const page of pages) assert.equal(await page.evaluate('globalThis.mark'), 'not reloaded');
});
