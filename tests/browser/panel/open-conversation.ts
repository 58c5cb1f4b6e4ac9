/** A conversation that a contact begins, opened from the list. */
import type { Page } from 'playwright-core';
import { freshPhone } from '../../support/api.ts';
import type { usePanel } from '../../support/panel/panel-fixture.ts';

/** @returns the phone of the contact, who has written `Oi` */
export async function openWith(
  { stack, shop }: Pick<ReturnType<typeof usePanel>, 'stack' | 'shop'>,
  page: Page,
  name: string,
  channel: 'main' | 'shop' = 'main',
): Promise<string> {
  const from = freshPhone();
  await stack.network.inbound({ channelId: shop[channel], from, text: 'Oi', name });
  await page.getByRole('list', { name: 'Conversas' }).getByRole('link', { name }).click();
  const log = page.getByRole('log', { name: 'Mensagens' });
  await log.getByText('Oi', { exact: true }).waitFor();
  return from;
}
