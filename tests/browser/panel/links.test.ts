/** Addresses, e-mails, phones and places in texts of others, in a real browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiOf, freshPhone } from '../../support/api.ts';
import { violations } from '../../support/browser.ts';
import { usePanel } from '../../support/panel/panel-fixture.ts';
import { assertHarmless } from './hostile-contents.ts';

const panel = usePanel();

const LINKS = [
  ['https://loja.example.com/pedido?id=1', 'https://loja.example.com/pedido?id=1'],
  ['ana@example.com', 'mailto:ana@example.com'],
  ['(11) 98765-4321', 'tel:+5511987654321'],
] as const;

for (const width of [1280, 390]) {
  test(`addresses, e-mails, phones and places are links that open elsewhere, at ${width} px`, async () => {
    const from = freshPhone();
    const { stack, shop } = panel;
    const name = `Caio ${width}`;
    const trap =
      'javascript:ran=1 https://banco.com@a.com/ https://\u202egro.live <b>https://b.com</b>';
    const text = `Veja ${LINKS.map(([shown]) => shown).join(', ')}.\n${trap}`;
    await stack.network.inbound({ channelId: shop.main, from, text, name });
    const location = { latitude: -23.55, longitude: -46.63, name: 'Loja' };
    await apiOf(stack.baseUrl).send(shop.key, { channelId: shop.main, phone: from, location });
    const { page, context } = await panel.signIn('ana', { width, height: 844 });
    await page.getByRole('list', { name: 'Conversas' }).getByRole('link', { name }).click();
    const log = page.getByRole('log', { name: 'Mensagens' });
    const links = log.getByRole('article').filter({ hasText: 'Veja' }).getByRole('link');
    await links.first().waitFor();
    for (const [shown, href] of LINKS) {
      const link = links.filter({ hasText: shown });
      assert.equal(await link.getAttribute('href'), href);
      assert.equal(await link.getAttribute('rel'), 'noopener noreferrer nofollow');
      assert.equal(await link.getAttribute('target'), '_blank');
    }
    const all = await links.all();
    const hrefs = await Promise.all(all.map((link) => link.getAttribute('href')));
    assert.deepEqual(hrefs, [...LINKS.map(([, href]) => href), 'https://b.com/']);
    const map = log
      .getByRole('article')
      .filter({ hasText: 'Loja' })
      .getByRole('link', { name: 'Ver no mapa' });
    assert.match((await map.getAttribute('href')) ?? '', /^https:\/\/.*-23\.55.*-46\.63/);
    await assertHarmless(page, 'links');
    await links.first().focus();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      assert.deepEqual(await violations(page), [], colorScheme);
    }
    await context.close();
  });
}
