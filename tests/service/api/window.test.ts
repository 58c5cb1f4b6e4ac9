/** The 24-hour window at the real service: its end, a refusal, the template in place of a text. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { WINDOW_MS } from '../../../shared/limits.ts';
import {
  contactDoes,
  lastRow,
  rowsTo,
  setWindow,
  untilRows,
} from '../../support/api/content-fixture.ts';
import { type Shop, useShop } from '../../support/api/templates-fixture.ts';
import { assertRefused, freshPhone, issuePaths } from '../../support/api.ts';
import { useStack } from '../../support/stack-hooks.ts';
import { waitUntil } from '../../support/wait-for.ts';

const FALLBACK = {
  name: 'lembrete_consulta',
  language: 'pt_BR',
  body: { nome: 'Ana', data: '24/12', hora: '9h' },
};
const HOURS = 3_600_000;

/** Of a network that enforces the window. */

const stack = useStack();
const shop = useShop(stack, 'window');
const strict = useShop(stack, 'strict');
before(() => setWindow(stack, strict, { enforce: true }));

type Body = Readonly<Record<string, unknown>>;

const send = (to: Shop, body: Body) => stack.send(to.key, { channelId: to.main, ...body });

const writes = (to: Shop, from: string, more: Body = { text: 'oi' }) =>
  contactDoes(stack, { channelId: to.main, from, ...more });

async function conversationOf(to: Shop, phone: string) {
  const contact = await stack.contact(to.key, phone);
  const [conversation] = (await stack.conversations(to.key, `?contactId=${contact?.id}`)).data;
  return conversation ?? assert.fail('a conversation');
}

async function expiryOf(to: Shop, phone: string): Promise<string | null> {
  return (await conversationOf(to, phone)).windowExpiresAt;
}

/** Of an event that began the window in between, by the network's clock. */
function assertOpenedBetween(expiresAt: string | null, began: number): void {
  const openedAt = Date.parse(expiresAt ?? '') - WINDOW_MS;
  assert.equal(openedAt % 1_000, 0, 'a whole second');
  const second = Math.floor(began / 1_000) * 1_000;
  assert.ok(openedAt >= second && openedAt <= Date.now(), `${expiresAt} since ${began}`);
}

describe('what opens the window', { concurrency: true }, () => {
  const opening: readonly (readonly [string, Body])[] = [
    ['a message', { text: 'oi' }],
    ['a call', { call: { event: 'connect' } }],
  ];
  for (const [what, done] of opening) {
    test(`${what} of the contact, to the second`, async () => {
      const phone = freshPhone();
      const { conversationId } = await send(shop, { phone, text: 'antes' });
      assert.equal((await conversationOf(shop, phone)).id, conversationId);
      assert.equal(await expiryOf(shop, phone), null);
      const began = Date.now();
      await writes(shop, phone, done);
      assertOpenedBetween(await expiryOf(shop, phone), began);
    });
  }

  test('no message typed on the phone, no receipt, no template', async () => {
    const phone = freshPhone();
    const sent = await send(shop, { phone, template: FALLBACK });
    await stack.messageIn(shop.key, sent, 'read');
    await writes(shop, phone, { text: 'da loja', echo: true });
    assert.equal(await expiryOf(shop, phone), null);
  });

  test('of a reaction the network is the judge: the end stays, and nothing is refused', async () => {
    const phone = freshPhone();
    const sent = await send(shop, { phone, text: 'antes' });
    const [row] = await untilRows(stack, phone, 1);
    const reaction = { to: row?.externalId, emoji: '👍' };
    await writes(shop, phone, { reaction });
    assert.equal(await expiryOf(shop, phone), null);
    const { conversationId } = sent;
    const free = { conversationId, text: 'depois', outsideWindow: 'refuse' };
    await stack.messageIn(shop.key, await send(shop, free), 'read');
  });

  test('has no end on web', async () => {
    const phone = freshPhone();
    await contactDoes(stack, { channelId: shop.web, from: phone, text: 'oi' });
    assert.equal(await expiryOf(shop, phone), null);
    const rules = { outsideWindow: 'refuse', fallbackTemplate: { ...FALLBACK, name: 'nenhum' } };
    const body = { channelId: shop.web, phone: freshPhone(), text: 'livre', ...rules };
    await stack.messageIn(shop.key, await stack.send(shop.key, body), 'read');
    assert.equal((await lastRow(stack, body.phone)).text, 'livre');
  });
});

test('it ends at its second, and not before', async () => {
  const phone = freshPhone();
  const at = Date.now() - WINDOW_MS + 2_500;
  await writes(shop, phone, { text: 'ontem', at });
  const expiresAt = Math.floor(at / 1_000) * 1_000 + WINDOW_MS;
  assert.equal(await expiryOf(shop, phone), new Date(expiresAt).toISOString());
  const body = { channelId: shop.main, phone, text: 'oi', outsideWindow: 'refuse' };
  const statuses: number[] = [];
  while (statuses.at(-1) !== 409) {
    const began = Date.now();
    const { status } = await stack.call('POST', '/api/v1/messages', { key: shop.key, body });
    statuses.push(status);
    if (status === 201) assert.ok(began < expiresAt, 'accepted before the end');
    else assert.ok(status === 409 && Date.now() >= expiresAt, 'refused from the end on');
  }
  assert.ok(statuses.length > 1, 'it was open');
});

describe('outside of the window', { concurrency: true }, () => {
  test('a text is accepted, and refused with the sentence where the call says so', async () => {
    const phone = freshPhone();
    const body = { channelId: shop.main, phone, text: 'oi', outsideWindow: 'refuse' };
    const refuse = () => stack.call('POST', '/api/v1/messages', { key: shop.key, body });
    assert.match(assertRefused(await refuse(), 409), /janela de 24 horas/);
    assert.equal(await stack.contact(shop.key, phone), null, 'nothing is made');
    await send(shop, { phone, text: 'sem a regra' });
    assertRefused(await refuse(), 409);
    await writes(shop, phone);
    assert.equal((await refuse()).status, 201);
  });

  test('the fallback is sent in place of the message, once, and quotes nothing', async () => {
    const phone = freshPhone();
    const sent = await send(shop, { phone, text: 'livre', fallbackTemplate: FALLBACK });
    const message = await stack.messageIn(shop.key, sent, 'read');
    assert.deepEqual(message.template, { name: FALLBACK.name, language: 'pt_BR' });
    assert.equal(message.replacesId, undefined);
    assert.equal((await lastRow(stack, phone)).kind, 'template');
    await writes(shop, phone);
    const open = { phone, text: 'agora livre', fallbackTemplate: FALLBACK };
    const free = await stack.messageIn(shop.key, await send(shop, open), 'read');
    assert.equal(free.text, 'agora livre');
    assert.equal((await lastRow(stack, phone, 2)).kind, 'text');
  });

  test('a fallback that would be refused is told before the 201, at its field', async () => {
    const phone = freshPhone();
    const fallbackTemplate = { ...FALLBACK, body: { nome: 'Ana' } };
    const body = { channelId: shop.main, phone, text: 'oi', fallbackTemplate };
    const answer = await stack.call('POST', '/api/v1/messages', { key: shop.key, body });
    assert.deepEqual(issuePaths(answer), [
      'fallbackTemplate.body.data',
      'fallbackTemplate.body.hora',
    ]);
  });

  for (const [what, fault] of [
    ['in its answer', { code: 131047 }],
    ['by a status', { failReceiptCode: 131047 }],
  ] as const) {
    test(`a message that the network refuses ${what} fails, and its fallback follows once`, async () => {
      const phone = freshPhone();
      await writes(shop, phone);
      const { phoneNumberId } = shop;
      await stack.network.fault({ phoneNumberId, to: phone, ...fault, times: 1 });
      const sent = await send(shop, { phone, text: 'tarde', fallbackTemplate: FALLBACK });
      const failed = await stack.messageIn(shop.key, sent, 'failed');
      assert.equal(failed.error?.code, '131047');
      const replaced = await waitUntil('the template is read', async () =>
        (await stack.history(shop.key, sent.conversationId)).find(
          ({ replacesId, status }) => replacesId === sent.messageId && status === 'read',
        ),
      );
      assert.deepEqual(replaced.template, { name: FALLBACK.name, language: 'pt_BR' });
      const history = await stack.history(shop.key, sent.conversationId);
      assert.deepEqual(
        history.map(({ kind, status }) => `${kind} ${status}`),
        ['text read', 'text failed', 'text received'],
      );
      const rows = await rowsTo(stack, phone);
      assert.equal(rows.filter(({ kind }) => kind === 'template').length, 1);
    });
  }

  test('the network’s own enforcement leads there too', async () => {
    const phone = freshPhone();
    await writes(strict, phone);
    const lastWroteAt = Date.now() - 25 * HOURS;
    await setWindow(stack, strict, { contact: phone, lastWroteAt });
    const sent = await send(strict, { phone, text: 'tarde', fallbackTemplate: FALLBACK });
    await stack.messageIn(strict.key, sent, 'failed');
    const rows = await waitUntil('the template arrives', async () => {
      const found = await rowsTo(stack, phone);
      return found.some(({ kind }) => kind === 'template') ? found : null;
    });
    assert.equal(rows.filter(({ kind }) => kind === 'template').length, 1);
  });
});
