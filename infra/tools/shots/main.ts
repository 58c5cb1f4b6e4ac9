/**
 * `npm run shots`: the pictures in docs/pictures, from the demo on a service of its own.
 * `npm run shots -- --every FOLDER` takes every screen there, light and dark, wide and narrow.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openStack } from '../../../tests/support/stack.ts';
import { openBrowser } from '../chromium/chromium.ts';
import { ROOT } from '../source.ts';
import { everyPicture, PICTURES } from './pictures.ts';
import { play } from './play.ts';
import { ShownTimes } from './shown-times.ts';
import { take } from './take.ts';

const { values } = parseArgs({ options: { every: { type: 'string' } } });
const folder = resolve(values.every ?? join(ROOT, 'docs', 'pictures'));
const pictures = values.every === undefined ? PICTURES : everyPicture();

/** Each picture is painted whole: corners that are painted in parts differ by a shade. */
const WHOLE_PICTURES = ['--disable-partial-raster', '--num-raster-threads=1'];

mkdirSync(folder, { recursive: true });
const times = new ShownTimes(Date.now);
// A failed delivery waits for its next attempt while the pictures are taken.
const settings = { FORMATION: 'panel=1', EVENT_RETRY_SCHEDULE: '1h,1h,1h,1h,1h,1h' };
const stack = await openStack({ settings });
const browser = await openBrowser(WHOLE_PICTURES);
try {
  const panelUrl = stack.runFile().panelUrl ?? assert.fail('the panel runs');
  const played = await play({ stack, browser, times });
  try {
    for (const picture of pictures) {
      const bytes = await take({ browser, panelUrl, played, times, folder }, picture);
      console.log(`${picture.name}.png  ${Math.ceil(bytes / 1000)} kB`);
    }
  } finally {
    await played.close();
  }
} finally {
  await browser.close();
  await stack.stop();
}
