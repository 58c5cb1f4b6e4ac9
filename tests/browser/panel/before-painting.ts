/** A key that comes before the page has painted what an act made of it, as where it is busy. */
import type { Page } from 'playwright-core';

/**
 * Whatever was to come behind the painting has come when it resolves.
 * @param act a statement of the page, which has the focused element as `focused`
 */
export async function pressBeforePainting(page: Page, act: string, key: string): Promise<void> {
  await page.evaluate(`(async () => {
    const focused = document.activeElement;
    ${act}
    await new Promise((resume) => setTimeout(resume));
    focused.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', bubbles: true }));
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
    await new Promise((resume) => setTimeout(resume));
  })()`);
}
