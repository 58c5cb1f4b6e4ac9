/**
 * Content other than text and files: sent, seen by the contact, shown in the history, and refused
 * at the field that is wrong (C4.9, D288).
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { contactDoes, lastRow, rowsTo, untilRows } from '../../support/api/content-fixture.ts';
import { listUntil, setTemplate, useShop } from '../../support/api/templates-fixture.ts';
import { freshPhone, issuePaths } from '../../support/api.ts';
import { useStack } from '../../support/stack-hooks.ts';
import { waitUntil } from '../../support/wait-for.ts';

const stack = useStack();
const shop = useShop(stack, 'content');

type Body = Readonly<Record<string, unknown>>;

const send = (body: Body) => stack.send(shop.key, { channelId: shop.main, ...body });
const refused = (body: Body) =>
  stack.call('POST', '/api/v1/messages', {
    key: shop.key,
    body: { channelId: shop.main, phone: freshPhone(), ...body },
  });

const ORDER = {
  name: 'pedido_enviado',
  language: 'pt_BR',
  header: { text: '77' },
  body: ['Ana', '77'],
};
const BUTTONS = {
  type: 'buttons',
  text: 'Podemos entregar amanhã?',
  footer: 'Loja',
  buttons: [
    { id: 'sim', title: 'Sim' },
    { id: 'nao', title: 'Outro dia' },
  ],
};
const LIST = {
  type: 'list',
  text: 'Qual assunto?',
  button: 'Ver',
  sections: [{ rows: [{ id: 'entrega', title: 'Entrega', description: 'Prazo' }] }],
};
const LINK = { type: 'url', text: 'Acompanhe.', title: 'Abrir', url: 'https://example.com/77' };

describe('a template', { concurrency: true }, () => {
  test('is sent with its values, and shown as the contact reads it', async () => {
    const phone = freshPhone();
    const sent = await send({ phone, template: ORDER });
    const message = await stack.messageIn(shop.key, sent, 'read');
    assert.deepEqual(message.template, { name: 'pedido_enviado', language: 'pt_BR' });
    assert.equal(message.kind, 'text');
    const { kind, text, template } = await lastRow(stack, phone);
    assert.equal(kind, 'template');
    assert.match(message.text ?? '', /77/);
    assert.ok(message.text?.includes(String(text)), `${message.text} has ${text}`);
    assert.equal(Object(template).name, 'pedido_enviado');
    const [conversation] = (await stack.conversations(shop.key, `?channelId=${shop.main}`)).data;
    assert.ok(conversation);
  });

  test('takes its variables by name', async () => {
    const phone = freshPhone();
    const body = { nome: 'Ana', data: '24/12', hora: '9h' };
    const template = { name: 'lembrete_consulta', language: 'pt_BR', body };
    const message = await stack.messageIn(shop.key, await send({ phone, template }), 'read');
    for (const value of Object.values(body)) assert.ok(message.text?.includes(value), value);
  });

  test('is checked before its file is looked at', async () => {
    const header = { mediaUrl: 'http://127.0.0.1:9/a.png' };
    const bad = { ...ORDER, name: 'nenhum' };
    const byPath = async (template: Body) => issuePaths(await refused({ template }));
    assert.deepEqual(await byPath({ ...bad, header: { text: '1' } }), ['template.name']);
    assert.deepEqual(await byPath({ ...ORDER, header }), ['template.header.mediaUrl']);
  });

  test('is refused at what is wrong of it, and no contact is made', async () => {
    const phone = freshPhone();
    const rows: readonly (readonly [Body, string])[] = [
      [{ ...ORDER, name: 'nenhum' }, 'template.name'],
      [{ ...ORDER, language: 'en_US' }, 'template.language'],
      [{ ...ORDER, body: ['Ana'] }, 'template.body.1'],
      [{ ...ORDER, body: { nome: 'Ana' } }, 'template.body'],
      [{ name: 'oferta_relampago', language: 'pt_BR' }, 'template.name'],
      [{ name: 'cupom_retorno', language: 'pt_BR', body: ['x'] }, 'template.name'],
    ];
    for (const [template, path] of rows) {
      const paths = issuePaths(await refused({ phone, template }));
      assert.ok(paths.includes(path), `${JSON.stringify(template)}: ${paths.join()}`);
    }
    assert.equal(await stack.contact(shop.key, phone), null);
    assert.deepEqual(await rowsTo(stack, phone), []);
  });

  test('that the network refuses all the same fails, and the account is read again', async () => {
    const name = 'sumiu';
    const components = [{ type: 'BODY', text: 'Olá.' }];
    await setTemplate(stack, shop, { name, components });
    const isListed = { what: 'it is listed', is: hasTemplate(name) };
    await listUntil(stack, shop.key, isListed);
    const { businessAccountId } = shop;
    const gone = { businessAccountId, language: 'pt_BR', name, remove: true, silent: true };
    await stack.network.control('POST /templates', gone);
    const template = { name, language: 'pt_BR' };
    const message = await stack.messageIn(
      shop.key,
      await send({ phone: freshPhone(), template }),
      'failed',
    );
    assert.equal(message.error?.code, '132001');
    const isGone = (all: Parameters<ReturnType<typeof hasTemplate>>[0]) => !hasTemplate(name)(all);
    await listUntil(stack, shop.key, { what: 'it is gone', is: isGone });
    assert.deepEqual(issuePaths(await refused({ template })), ['template.name']);
  });
});

function hasTemplate(name: string) {
  return ({ data }: { readonly data: readonly { readonly name: string }[] }) =>
    data.some((each) => each.name === name);
}

describe('an interactive message', { concurrency: true }, () => {
  for (const interactive of [BUTTONS, LIST, LINK]) {
    test(`of type ${interactive.type} is sent and shown`, async () => {
      const phone = freshPhone();
      const message = await stack.messageIn(shop.key, await send({ phone, interactive }), 'read');
      assert.deepEqual(message.interactive, interactive);
      assert.ok(message.text?.startsWith(interactive.text));
      const seen = await lastRow(stack, phone);
      assert.equal(seen.kind, 'interactive');
      assert.equal(seen.text, interactive.text);
    });
  }

  test('is answered with the id of the button or of the row; the title is the text', async () => {
    const rows = [
      [BUTTONS, 'nao', { type: 'button', id: 'nao', title: 'Outro dia' }],
      [LIST, 'entrega', { type: 'row', id: 'entrega', title: 'Entrega', description: 'Prazo' }],
    ] as const;
    for (const [interactive, id, shown] of rows) {
      const phone = freshPhone();
      const sent = await send({ phone, interactive });
      const [row] = await untilRows(stack, phone, 1);
      await stack.messageIn(shop.key, sent, 'read');
      const reply = { to: row?.externalId, id };
      await contactDoes(stack, { channelId: shop.main, from: phone, reply });
      const [answer] = await stack.history(shop.key, sent.conversationId);
      assert.ok(answer);
      assert.deepEqual(answer.interactive, shown);
      assert.deepEqual([answer.kind, answer.text], ['text', shown.title]);
      assert.equal(answer.replyToId, sent.messageId);
    }
  });

  test('and a template are refused on web, at their field', async () => {
    const body = { channelId: shop.web };
    for (const [field, value] of [
      ['interactive', BUTTONS],
      ['template', ORDER],
    ] as const) {
      assert.deepEqual(issuePaths(await refused({ ...body, [field]: value })), [field]);
    }
  });
});

describe('places and cards', { concurrency: true }, () => {
  const location = { latitude: -23.5613, longitude: -46.6565, name: 'Loja', address: 'Av. A, 1' };
  const contacts = [{ name: 'Ana Souza', phones: ['+55 11 97777-6666'] }];

  for (const channel of ['main', 'web'] as const) {
    test(`are sent and shown on ${channel}`, async () => {
      const channelId = shop[channel];
      const phone = freshPhone();
      const place = await send({ channelId, phone, location });
      const shown = await stack.messageIn(shop.key, place, 'read');
      assert.deepEqual([shown.kind, shown.location], ['location', location]);
      assert.equal(shown.text, 'Loja, Av. A, 1 (-23.5613, -46.6565)');
      const seen = await lastRow(stack, phone);
      assert.equal(seen.kind, 'location');
      const cards = await stack.messageIn(
        shop.key,
        await send({ channelId, phone, contacts }),
        'read',
      );
      assert.deepEqual([cards.kind, cards.contacts], ['contact', contacts]);
      assert.equal(cards.text, 'Ana Souza +55 11 97777-6666');
      assert.equal((await lastRow(stack, phone, 2)).kind, 'contacts');
    });
  }
});

describe('reactions and quotes', { concurrency: true }, () => {
  for (const channel of ['main', 'web'] as const) {
    test(`name a message of the conversation on ${channel}`, async () => {
      const channelId = shop[channel];
      const phone = freshPhone();
      const first = await send({ channelId, phone, text: 'um' });
      await stack.messageIn(shop.key, first, 'read');
      const inboundId = await contactDoes(stack, { channelId, from: phone, text: 'dois' });
      const [theirs] = await stack.history(shop.key, first.conversationId);
      const to = { channelId, conversationId: first.conversationId };
      const reaction = { messageId: theirs?.id, emoji: '👍' };
      const reacted = await send({ ...to, reaction });
      const shown = await stack.messageIn(shop.key, reacted, 'sent');
      assert.deepEqual([shown.kind, shown.text, shown.replyToId], ['reaction', '👍', theirs?.id]);
      assert.deepEqual(shown.reaction, reaction);
      const rows = await untilRows(stack, phone, 2);
      const [, seen] = rows;
      assert.equal(seen?.kind, 'reaction');
      const target = Object(seen?.reaction);
      assert.ok(String(target.messageId).includes(inboundId), `${target.messageId}`);
      const quotes = await send({ ...to, text: 'três', replyToId: first.messageId });
      const quoted = await stack.messageIn(shop.key, quotes, 'read');
      assert.equal(quoted.replyToId, first.messageId);
      const [own, , quote] = await untilRows(stack, phone, 3);
      assert.ok(own && String(quote?.replyTo).includes(own.externalId), `${quote?.replyTo}`);
    });
  }

  test('of another conversation, of none, and of a note are refused at their field', async () => {
    const phone = freshPhone();
    const other = await send({ phone: freshPhone(), text: 'outra' });
    const { conversationId } = await send({ phone, text: 'um' });
    const to = { phone: undefined, conversationId };
    for (const messageId of [other.messageId, 'msg_nenhuma']) {
      const reaction = { messageId, emoji: '👍' };
      assert.deepEqual(issuePaths(await refused({ ...to, reaction })), ['reaction.messageId']);
      const quote = { text: 'x', replyToId: messageId };
      assert.deepEqual(issuePaths(await refused({ ...to, ...quote })), ['replyToId']);
    }
    const first = { text: 'x', replyToId: other.messageId };
    assert.deepEqual(issuePaths(await refused(first)), ['replyToId'], 'nor of a new conversation');
  });

  test('a message that is still queued may be quoted; the network names it when it goes', async () => {
    const { phoneNumberId } = shop;
    const phone = freshPhone();
    const first = await send({ phone, text: 'um' });
    const { conversationId, messageId: replyToId } = first;
    await send({ conversationId, text: 'dois', replyToId });
    const [own, quote] = await untilRows(stack, phone, 2);
    assert.equal(quote?.replyTo, own?.externalId);
    const failing = freshPhone();
    // The pair limit keeps it in the queue until it is quoted; then it fails.
    for (const code of [131056, 131026]) {
      await stack.network.fault({ phoneNumberId, to: failing, code, times: 1 });
    }
    const lost = await send({ phone: failing, text: 'um' });
    const follows = { conversationId: lost.conversationId, replyToId: lost.messageId };
    const after = await send({ ...follows, text: 'dois' });
    await stack.messageIn(shop.key, lost, 'failed');
    const sent = await stack.messageIn(shop.key, after, 'read');
    assert.equal(sent.replyToId, lost.messageId);
    assert.equal((await lastRow(stack, failing)).replyTo ?? null, null, 'without the quote');
  });
});

test('each content stands alone: the issue is at the field to drop', async () => {
  const location = { latitude: 1, longitude: 1 };
  const both = { location, interactive: LIST, text: 'x', caption: 'y', replyToId: undefined };
  assert.deepEqual(issuePaths(await refused(both)), ['caption', 'location', 'text']);
  const moment = { text: 'x', sendAt: '2026-02-30T12:00:00Z' };
  assert.deepEqual(issuePaths(await refused(moment)), ['sendAt']);
});

test('a call under one Idempotency-Key keeps its answer when the template changes', async () => {
  const name = 'uma_vez';
  const components = [{ type: 'BODY', text: 'Olá.' }];
  await setTemplate(stack, shop, { name, components });
  await listUntil(stack, shop.key, { what: 'it is listed', is: hasTemplate(name) });
  const phone = freshPhone();
  const call = {
    key: shop.key,
    body: { channelId: shop.main, phone, template: { name, language: 'pt_BR' } },
    headers: { 'idempotency-key': `k-${phone}` },
  };
  const first = await stack.call('POST', '/api/v1/messages', call);
  await untilRows(stack, phone, 1);
  await setTemplate(stack, shop, { name, status: 'PAUSED' });
  await waitUntil(
    'the pause is known',
    async () => (await refused({ template: call.body.template })).status === 422,
  );
  const again = await stack.call('POST', '/api/v1/messages', call);
  assert.deepEqual([again.status, again.text], [201, first.text]);
  assert.equal((await untilRows(stack, phone, 1)).length, 1);
});
