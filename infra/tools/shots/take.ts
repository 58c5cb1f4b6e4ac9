/** One picture: a page of its own, the story's times in it, and the panel at rest. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { openPage } from '../../../tests/support/browser.ts';
import { waitFor } from '../../../tests/support/wait-for.ts';
import type { Picture } from './pictures.ts';
import type { Played } from './play.ts';
import type { ShownTimes } from './shown-times.ts';
import { NOW } from './story.ts';

export interface Studio {
  readonly browser: Browser;
  readonly panelUrl: string;
  readonly played: Played;
  readonly times: ShownTimes;
  readonly folder: string;
}

const WIDE = { width: 1280, height: 800 };
const NARROW = { width: 390, height: 780 };
/** Differs from run to run, and says nothing about the panel. */
const ANSWER_MS = 38;
const SUBSCRIBER = 'https://erp.lojademo.example';

/** @returns the size of the written file in bytes */
export async function take(studio: Studio, picture: Picture): Promise<number> {
  const { browser, panelUrl, played, folder } = studio;
  const { name, screen, dark = false, narrow = false, prepare } = picture;
  const { page, context, offences } = await openPage(browser, panelUrl, {
    ...(narrow ? NARROW : WIDE),
    dark,
  });
  await context.clock.setFixedTime(NOW);
  await showStory(page, studio);
  if (screen === 'Operação') await page.goto(await played.operatorLink());
  else await played.signIn(page, 'ana');
  await page.getByRole('navigation').getByRole('link', { name: screen }).click();
  await page.getByRole('heading', { name: screen, level: 1 }).waitFor();
  await prepare?.(page);
  const bytes = await still(page);
  assert.deepEqual(offences, []);
  writeFileSync(join(folder, `${name}.png`), bytes);
  await context.close();
  return bytes.length;
}

/** The service's answers with the story's times, and without what differs from run to run. */
async function showStory(page: Page, { times, played }: Studio): Promise<void> {
  await page.route(/\/api\/(?!events)/, async (route) => {
    const response = await route.fetch();
    const original = await response.text();
    const body = times
      .in(original)
      .replaceAll(played.subscriberUrl, SUBSCRIBER)
      .replace(/"ms":\d+/g, `"ms":${ANSWER_MS}`);
    await route.fulfill({ response, body });
  });
}

/** A picture of the page at rest: two in a row are the same. */
async function still(page: Page): Promise<Buffer> {
  await page.getByText('Carregando…').first().waitFor({ state: 'detached' });
  let last: Buffer = Buffer.alloc(0);
  return waitFor(
    async () => {
      const before = last;
      last = await page.screenshot({ animations: 'disabled', caret: 'hide' });
      return last.equals(before) ? last : null;
    },
    { what: 'the page stands still' },
  );
}
