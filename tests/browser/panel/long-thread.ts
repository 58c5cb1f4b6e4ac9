/** A thread of many messages, and the wheel that moves through it. */
import type { Locator, Page } from 'playwright-core';
import { waitFor } from '../../support/wait-for.ts';

export const MESSAGES = 10_000;
export const NODES_MAX = 2_000;

/** A history of so many messages, in the public API's own shape. */
export function historyPage(url: string, word = 'palavra '): string {
  const { searchParams } = new URL(url);
  const page = Number(searchParams.get('page'));
  const limit = Number(searchParams.get('limit'));
  const newest = MESSAGES - 1 - (page - 1) * limit;
  const data = Array.from({ length: Math.min(limit, newest + 1) }, (_, index) => ({
    id: `msg_${newest - index}`,
    direction: index % 3 === 0 ? 'out' : 'in',
    kind: 'text',
    text: `mensagem ${newest - index} ${word.repeat((newest - index) % 40)}`,
    media: null,
    author: { kind: 'contact', label: 'Eva' },
    status: index % 3 === 0 ? 'read' : 'received',
    receipts: { sent: null, delivered: null, read: null },
    externalId: null,
    replyToId: null,
    transcript: null,
    createdAt: new Date(Date.UTC(2026, 0, 1) + (newest - index) * 60_000).toISOString(),
  }));
  return JSON.stringify({ conversationId: 'x', data, page, limit, total: MESSAGES });
}

/** One turn of the wheel upwards, unless the message is in the middle of the log. */
export async function scrolledTo(page: Page, log: Locator, wanted: Locator): Promise<boolean> {
  const isNear = (await wanted.count()) > 0;
  const [box, room] = [isNear ? await wanted.boundingBox() : null, await log.boundingBox()];
  if (box && room && box.y > room.y + room.height / 3) return true;
  await page.mouse.wheel(0, isNear ? -100 : -600);
  return false;
}

/** Turns the wheel upwards until the message is there: pages that arrive hold the place. */
export async function reach(page: Page, wanted: Locator): Promise<void> {
  const turn = async () => {
    await page.mouse.wheel(0, -900_000);
    return (await wanted.count()) > 0;
  };
  await waitFor(turn, { what: 'an old message is shown' });
}
