/** Files of templates' headers: fetched as a message's own file is, after the template's check. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useShop } from '../../../../support/api/templates-fixture.ts';
import { freshPhone, issuePaths } from '../../../../support/api.ts';
import { useStack } from '../../../../support/stack-hooks.ts';
import { waitUntil } from '../../../../support/wait-for.ts';
import { bytesOf, sentTo, useFiles } from './media-fixture.ts';

const stack = useStack();
const shop = useShop(stack, 'headers');
const files = useFiles();

type Body = Readonly<Record<string, unknown>>;

const PNG = { 'content-type': 'image/png' };
const PROMOTION = { name: 'promocao_semana', language: 'pt_BR', body: ['Ana'] };

function post(body: Body) {
  const call = { key: shop.key, body: { channelId: shop.main, ...body } };
  return stack.call('POST', '/api/v1/messages', call);
}

test('the header’s file goes with the template, and is shown as the message’s', async () => {
  const phone = freshPhone();
  const header = { mediaUrl: files.file('/oferta.png', bytesOf('a picture'), PNG) };
  const sent = await stack.send(shop.mainKey, { phone, template: { ...PROMOTION, header } });
  const message = await stack.messageIn(shop.key, sent, 'read');
  assert.deepEqual([message.kind, message.media?.mimeType], ['image', 'image/png']);
  assert.deepEqual(message.template, { name: PROMOTION.name, language: 'pt_BR' });
  assert.equal((await sentTo(stack, phone)).length, 1);
});

test('a template that is refused costs no download', async () => {
  const header = { mediaUrl: files.file('/cedo.png', bytesOf('a picture'), PNG) };
  const rows: readonly (readonly [Body, string])[] = [
    [{ template: { ...PROMOTION, header, body: [] } }, 'template.body.0'],
    [{ template: { ...PROMOTION, header, name: 'nenhum' } }, 'template.name'],
    [
      { text: 'oi', fallbackTemplate: { ...PROMOTION, header, body: [] } },
      'fallbackTemplate.body.0',
    ],
  ];
  for (const [body, path] of rows) {
    const paths = issuePaths(await post({ phone: freshPhone(), ...body }));
    assert.ok(paths.includes(path), paths.join());
  }
  const web = { channelId: shop.web, text: 'oi', fallbackTemplate: { ...PROMOTION, header } };
  assert.equal((await post({ phone: freshPhone(), ...web })).status, 201);
  assert.equal(files.asked('/cedo.png'), 0);
});

test('a file of another kind, and one that does not come, are refused at the field', async () => {
  const text = { 'content-type': 'application/pdf' };
  const pdf = { mediaUrl: files.file('/nota.pdf', bytesOf('a page'), text) };
  const missing = { mediaUrl: `${files.url}/nada.png` };
  for (const header of [pdf, missing]) {
    const body = { phone: freshPhone(), template: { ...PROMOTION, header } };
    assert.deepEqual(issuePaths(await post(body)), ['template.header.mediaUrl']);
  }
  const unknown = { template: { ...PROMOTION, header: { mediaId: 'med_nenhum' } } };
  assert.equal((await post({ phone: freshPhone(), ...unknown })).status, 404);
});

test('the file of a fallback waits with its message, and goes in its place', async () => {
  const phone = freshPhone();
  await stack.network.inbound({ channelId: shop.main, from: phone, text: 'oi' });
  const { phoneNumberId } = shop;
  await stack.network.fault({ phoneNumberId, to: phone, code: 131047, times: 1 });
  const header = { mediaUrl: files.file('/depois.png', bytesOf('a picture'), PNG) };
  const body = { phone, text: 'tarde', fallbackTemplate: { ...PROMOTION, header } };
  const sent = await stack.send(shop.mainKey, body);
  const replaced = await waitUntil('the template is read', async () =>
    (await stack.history(shop.key, sent.conversationId)).find(
      ({ replacesId, status }) => replacesId === sent.messageId && status === 'read',
    ),
  );
  assert.equal(replaced.media?.mimeType, 'image/png');
  assert.equal(files.asked('/depois.png'), 1);
});
