/**
 * Advertisements, products and orders (D412) as each network and engine tells them: Meta's webhook
 * reference; WAProto of Baileys; WAWebProtobufsE2E of whatsmeow in Go's names; the page's message.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { NetworkEvent } from '../../../../../shared/ports/network-event.ts';
import { batch, change, message, parsed as parsedByCloud } from './cloud-batch.ts';
import { parsed as parsedByBridge } from './web-payloads.ts';

type Payload = Readonly<Record<string, unknown>>;

const NO_AD = {
  ...{ sourceId: null, sourceType: null, sourceUrl: null, clickId: null },
  ...{ headline: null, body: null },
};
const AD = {
  ...{ sourceId: '120900', sourceType: 'ad', sourceUrl: 'https://fb.me/7k', clickId: 'ARk0' },
  ...{ headline: 'Aquecedores', body: 'Só esta semana' },
};

function commerceOf([event, ...more]: readonly NetworkEvent[]) {
  assert.ok(event?.type === 'message' && more.length === 0, JSON.stringify(event));
  const { kind, text, ad, product, order } = event;
  return { kind, text, ad, product, order };
}

function ofCloud(fields: Payload) {
  return commerceOf(parsedByCloud(batch(change({ messages: [message('w1', fields)] }))).events);
}

const TEXT = { type: 'text', text: { body: 'Oi' } };

describe('commerce on cloud', () => {
  const REFERRAL = {
    ...{ source_url: 'https://fb.me/7k', source_id: '120900', source_type: 'ad' },
    ...{ headline: 'Aquecedores', body: 'Só esta semana', ctwa_clid: 'ARk0', media_type: 'image' },
  };
  const adOf = (over: Payload) => ofCloud({ ...TEXT, referral: { ...REFERRAL, ...over } }).ad;

  it('an advertisement, whole or in part; none without any of it', () => {
    assert.deepEqual(adOf({}), AD);
    const told = { ...NO_AD, sourceId: '7', sourceType: 'post' };
    assert.deepEqual(
      ofCloud({ ...TEXT, referral: { source_id: 7, source_type: 'post' } }).ad,
      told,
    );
    for (const referral of [undefined, null, 'ad', [], {}, { image_url: 'https://x' }]) {
      assert.equal(ofCloud({ ...TEXT, referral }).ad, undefined);
    }
  });

  it('its texts are cut and cleaned; an id or an address is whole or none', () => {
    const dark = adOf({
      headline: `\u202e${'á'.repeat(300)}`,
      body: `um\u0007\r\ndois${'x'.repeat(2_000)}`,
      source_id: '1'.repeat(513),
      ctwa_clid: ' a\u0000b\u200f ',
      source_type: { a: 1 },
    });
    assert.equal(dark?.headline, 'á'.repeat(255), 'the mark is one of the 256');
    assert.ok(dark.body?.startsWith('um\ndois') && dark.body.length < 1_024);
    assert.deepEqual([dark.sourceId, dark.clickId, dark.sourceType], [null, 'ab', null]);
    for (const [given, kept] of [
      ['http://loja.example/a?b=1', 'http://loja.example/a?b=1'],
      ['javascript:alert(1)', null],
      ['java\nscript:alert(1)', null],
      ['data:text/html,x', null],
      ['//loja.example', null],
      [`https://x/${'a'.repeat(2_048)}`, null],
    ]) {
      assert.equal(adOf({ source_url: given })?.sourceUrl, kept, String(given));
    }
  });

  it('the product that a message is about, beside what it answers', () => {
    const referred_product = { catalog_id: '88', product_retailer_id: 'CAFE-1' };
    const context = { from: '551140001000', id: 'w0', referred_product };
    assert.deepEqual(ofCloud({ ...TEXT, context }).product, {
      catalogId: '88',
      retailerId: 'CAFE-1',
    });
    const bare = { context: { referred_product: { product_retailer_id: 9 } } };
    assert.deepEqual(ofCloud({ ...TEXT, ...bare }).product, { catalogId: null, retailerId: '9' });
    const none = { context: { referred_product: { catalog_id: '88' } } };
    assert.equal(ofCloud({ ...TEXT, ...none }).product, undefined);
  });

  it('an order with its items; prices are rounded by their digits, never cut', () => {
    const item = (item_price: unknown, more: Payload = {}) => ({
      ...{ product_retailer_id: 'A', quantity: 2, item_price, currency: 'BRL', ...more },
    });
    const order = (product_items: unknown) =>
      ofCloud({ type: 'order', order: { catalog_id: '88', text: 'Quero', product_items } });
    const { order: whole, text } = order([
      item(9.9),
      item('7', { quantity: '3', currency: 'usd' }),
    ]);
    assert.equal(text, 'Quero\n2 × A (9.9 BRL)\n3 × A (7 usd)');
    assert.deepEqual(whole, {
      ...{ catalogId: '88', text: 'Quero' },
      items: [
        { retailerId: 'A', quantity: 2, priceCents: 990, currency: 'BRL' },
        { retailerId: 'A', quantity: 3, priceCents: 700, currency: 'USD' },
      ],
    });
    for (const [price, cents] of [
      [19.995, 2_000],
      ['19.995', 2_000],
      [0.29, 29],
      [0.29 * 100, 2_900],
      [1.005, 101],
      ['0.004', 0],
      [0, 0],
      [-1, null],
      ['9,90', null],
      ['1e30', null],
      [1e30, null],
      [Number.NaN, null],
      [undefined, null],
    ] as const) {
      assert.equal(order([item(price)]).order?.items[0]?.priceCents, cents, String(price));
    }
    const odd = order([item(1, { quantity: -2, currency: 'reais' }), item(1, { quantity: 1e300 })]);
    assert.deepEqual(
      odd.order?.items.map(({ quantity, currency }) => [quantity, currency]),
      [
        [1, null],
        [1, 'BRL'],
      ],
    );
    const nameless = [null, 7, {}, item(1, { product_retailer_id: '' })];
    assert.deepEqual(order([...nameless, item(1)]).order?.items.length, 1);
    assert.equal(order(Array.from({ length: 150 }, () => item(1))).order?.items.length, 100);
    assert.deepEqual(order('all').order?.items, []);
  });

  it('is the contact’s alone: an echo has none of it', () => {
    const echo = { ...TEXT, id: 'w2', from: '551140001000', to: '5531988887777' };
    const echoes = { message_echoes: [{ ...echo, timestamp: '1780000000', referral: REFERRAL }] };
    const { events } = parsedByCloud(batch(change(echoes, 'smb_message_echoes')));
    assert.ok(events[0]?.type === 'echo' && !('ad' in events[0]));
  });
});

const CHAT = '5531988887777@c.us';

/** A message as the bridge reports it, with the engine's own beside it. */
function ofBridge(data: Payload, fields: Payload = {}) {
  const plain = { from: CHAT, fromMe: false, source: 'app', body: 'Oi', hasMedia: false };
  const payload = { id: `false_${CHAT}_AB12`, timestamp: 1_783_400_000, ...plain };
  const root = { event: 'message.any', session: 'shop', me: { id: '551140001000@c.us' } };
  const outcome = parsedByBridge({ ...root, payload: { ...payload, _data: data, ...fields } });
  assert.ok(outcome.verified && 'events' in outcome);
  return commerceOf(outcome.events);
}

type Build = (content: Payload) => Payload;

const ENGINES: readonly (readonly [name: string, build: Build, id: string, url: string])[] = [
  ['noweb', (message) => ({ key: { id: 'AB12' }, message }), 'Id', 'Url'],
  ['gows', (Message) => ({ Info: { ID: 'AB12' }, Message }), 'ID', 'URL'],
];

for (const [name, data, id, url] of ENGINES) {
  describe(`commerce on ${name}`, () => {
    const card = {
      ...{ title: 'Aquecedores', body: 'Só esta semana', mediaType: 1, ctwaClid: 'ARk0' },
      ...{ [`source${id}`]: '120900', [`source${url}`]: 'https://fb.me/7k', sourceType: 'ad' },
    };
    const said = (contextInfo: Payload) => ({ extendedTextMessage: { text: 'Oi', contextInfo } });
    const ofContext = (contextInfo: Payload) => ofBridge(data(said(contextInfo)));

    it('an advertisement, in a wrapper and above a file too', () => {
      assert.deepEqual(ofContext({ externalAdReply: card }).ad, AD);
      const wrapped = { ephemeralMessage: { message: said({ externalAdReply: card }) } };
      assert.deepEqual(ofBridge(data(wrapped)).ad, AD);
      const image = { imageMessage: { contextInfo: { externalAdReply: card } } };
      assert.deepEqual(ofBridge(data(image), { hasMedia: true, media: null }).ad, AD);
    });

    it('the card of a link is none', () => {
      const { ctwaClid: _c, sourceType: _t, ...plain } = card;
      assert.equal(ofContext({ externalAdReply: plain }).ad, undefined);
      const link = { ...plain, [`source${id}`]: '' };
      assert.equal(ofContext({ externalAdReply: link }).ad, undefined);
      const chat = { entryPointConversionSource: 'click_to_chat_link' };
      assert.equal(ofContext({ ...chat, externalAdReply: link }).ad, undefined);
    });

    it('the network’s word that it was an advertisement is enough', () => {
      for (const word of [
        { conversionSource: 'FB_Ads' },
        { entryPointConversionSource: 'ctwa_ad', ctwaPayload: 'QUE=' },
      ]) {
        assert.deepEqual(ofContext(word).ad, { ...NO_AD, sourceType: 'ad' });
      }
      const { ctwaClid: _, sourceType: _t, ...plain } = card;
      const told = ofContext({ conversionSource: 'FB_Ads', externalAdReply: plain }).ad;
      assert.deepEqual(told, { ...AD, clickId: null });
    });

    it('the product that the contact asks about, or sends', () => {
      const productMessage = { product: { [`product${id}`]: '77', [`retailer${id}`]: 'CAFE-1' } };
      const product = { catalogId: null, retailerId: 'CAFE-1' };
      assert.deepEqual(ofContext({ quotedMessage: { productMessage } }).product, product);
      assert.deepEqual(ofBridge(data({ productMessage })).product, product);
      const bare = { productMessage: { product: { [`product${id}`]: '77' } } };
      assert.equal(ofBridge(data(bare)).product?.retailerId, '77');
    });

    it('an order with its words, which are the message’s', () => {
      const orderMessage = { [`order${id}`]: '5', itemCount: 2, message: 'Quero', token: 'AR' };
      const { kind, text, order } = ofBridge(data({ orderMessage }), { body: null });
      const shown = { catalogId: null, text: 'Quero', items: [] };
      assert.deepEqual([kind, text, order], ['text', 'Quero', shown]);
      const silent = ofBridge(data({ orderMessage: {} }), { body: null });
      assert.deepEqual([silent.kind, silent.order], ['unsupported', { ...shown, text: null }]);
    });
  });
}

describe('commerce on webjs', () => {
  const page = (more: Payload) => ofBridge({ id: { id: 'AB12' }, type: 'chat', ...more });

  it('an advertisement; the card of a link is none', () => {
    const card = { title: 'Aquecedores', description: 'Só esta semana', mediaType: 1 };
    const link = { ...card, sourceUrl: 'https://fb.me/7k' };
    const ids = { sourceId: '120900', sourceType: 'ad', ctwaClid: 'ARk0' };
    assert.deepEqual(page({ ctwaContext: { ...link, ...ids } }).ad, AD);
    const told = page({ ctwaContext: { ...link, conversionSource: 'FB_Ads' } }).ad;
    assert.deepEqual(told, { ...AD, sourceId: null, clickId: null });
    assert.equal(page({ ctwaContext: link }).ad, undefined);
    assert.equal(page({ ctwaContext: {} }).ad, undefined);
  });

  it('the product that the contact asks about, or sends', () => {
    const product = { type: 'product', productId: '77', retailerId: 'CAFE-1' };
    const shown = { catalogId: null, retailerId: 'CAFE-1' };
    assert.deepEqual(page({ quotedMsg: product }).product, shown);
    assert.deepEqual(page(product).product, shown);
    assert.equal(page({ quotedMsg: { ...product, type: 'chat' } }).product, undefined);
  });

  it('an order with its words, which are the message’s', () => {
    const order = { id: { id: 'AB12' }, type: 'order', orderId: '5', message: 'Quero' };
    const told = ofBridge(order, { body: '' });
    const shown = { catalogId: null, text: 'Quero', items: [] };
    assert.deepEqual([told.kind, told.text, told.order], ['text', 'Quero', shown]);
  });
});
