/**
 * What brings a contact, and what they order (D412, D413), through the public face: history,
 * `message.received`, the contact, and a flow that reads it.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { freshPhone } from '../../../../support/api.ts';
import { useOrganizations, useStack, useSubscriber } from '../../../../support/stack-hooks.ts';
import { waitUntil } from '../../../../support/wait-for.ts';
import { arrived, conversationOf, historyOf } from '../../../infra/adapters/network/web/reading.ts';

const FLOW = {
  ref: 'from-ad',
  name: 'Do anúncio',
  triggers: [{ on: 'keyword', keyword: 'anúncio', match: 'contains' }],
  steps: [
    {
      id: 'hi',
      do: 'send',
      text: 'Veio de {{contact.firstAd.sourceId | default: "nenhum"}}/{{contact.firstAd.headline}}.',
      next: 'end',
    },
    { id: 'end', do: 'end' },
  ],
};

const stack = useStack();
const subscriber = useSubscriber();
const { org } = useOrganizations(stack, () => ({
  org: {
    subscriptions: [{ ref: 'crm', url: `${subscriber.url}/events`, events: ['message.received'] }],
    more: { flows: [FLOW] },
  },
}));

const REFERRAL = {
  ...{ source_url: 'https://fb.me/7k', source_id: '120900', source_type: 'ad' },
  ...{ headline: 'Aquecedores', body: 'Só esta semana', ctwa_clid: 'ARk0' },
};
const AD = {
  ...{ sourceId: '120900', sourceType: 'ad', sourceUrl: 'https://fb.me/7k', clickId: 'ARk0' },
  ...{ headline: 'Aquecedores', body: 'Só esta semana' },
};

for (const network of ['cloud', 'web'] as const) {
  describe(`commerce on ${network}`, () => {
    const write = (phone: string, request: Readonly<Record<string, unknown>>) => {
      const channelId = network === 'cloud' ? org.main : org.shop;
      return stack.network.control('POST /inbound', { channelId, from: phone, ...request });
    };
    const told = (phone: string, count: number) =>
      waitUntil(`${count} events of ${phone}`, () => {
        const own = subscriber.at('/events').filter(({ data }) => data.phone === phone);
        return own.length >= count && own.map(({ data }) => data);
      });

    test('an advertisement is told with its message, and stays the contact’s first', async () => {
      const phone = freshPhone();
      const at = Date.UTC(2026, 10, 29, 12);
      const first = { text: 'Vim pelo anúncio', id: `AD${phone}`, referral: REFERRAL };
      for (const repeated of [first, first]) await write(phone, repeated);
      await waitUntil(
        'the flow has answered',
        async () => (await arrived(stack, phone)).length > 0,
      );
      const other = { ...REFERRAL, source_id: '7', headline: 'Outro' };
      await write(phone, { text: 'De novo', referral: other, at });
      await write(phone, { text: 'Depois' });
      const history = (await historyOf(stack, org, phone)).filter(
        (each) => each.direction === 'in',
      );
      const ads = [AD, { ...AD, sourceId: '7', headline: 'Outro' }, undefined];
      const shown = new Map(history.map(({ text, ad }) => [text, ad]));
      const words = ['Vim pelo anúncio', 'De novo', 'Depois'];
      assert.equal(history.length, 3);
      assert.deepEqual(
        words.map((text) => shown.get(text)),
        ads,
      );
      const events = new Map((await told(phone, 3)).map(({ text, ad }) => [text, ad]));
      assert.deepEqual(
        words.map((text) => events.get(text)),
        ads,
      );
      const { contact } = await conversationOf(stack, org, phone);
      const { at: since, ...ad } = contact.firstAd ?? {};
      assert.deepEqual(ad, AD);
      assert.ok(Math.abs(Date.parse(String(since)) - Date.now()) < 5 * 60_000, since);
      assert.deepEqual(await arrived(stack, phone), ['Veio de 120900/Aquecedores.']);
    });

    test('a flow reads nothing of a contact whom no advertisement brought', async () => {
      const phone = freshPhone();
      await write(phone, { text: 'Qual anúncio?' });
      await waitUntil(
        'the flow has answered',
        async () => (await arrived(stack, phone)).length > 0,
      );
      assert.deepEqual(await arrived(stack, phone), ['Veio de nenhum/.']);
      const { contact } = await conversationOf(stack, org, phone);
      assert.ok(!('firstAd' in contact));
    });

    test('a product and an order are told as far as the network tells them', async () => {
      const phone = freshPhone();
      const product = { catalog_id: '88', product_retailer_id: 'CAFE-1' };
      const item = { product_retailer_id: 'CAFE-1', quantity: 2, item_price: 19.995 };
      const product_items = [{ ...item, currency: 'BRL' }];
      await write(phone, { text: 'Tem este?', product });
      await write(phone, { order: { catalog_id: '88', text: 'Quero', product_items } });
      const cents = { retailerId: 'CAFE-1', quantity: 2, priceCents: 2_000, currency: 'BRL' };
      const catalogId = network === 'cloud' ? '88' : null;
      const items = network === 'cloud' ? [cents] : [];
      const expected = [
        { product: { catalogId, retailerId: 'CAFE-1' }, order: undefined },
        { product: undefined, order: { catalogId, text: 'Quero', items } },
      ];
      const [asked, ordered] = await historyOf(stack, org, phone);
      assert.equal(ordered?.kind, 'text');
      assert.match(ordered.text ?? '', /^Quero/);
      const shown = [asked, ordered].map((each) => ({
        product: each?.product,
        order: each?.order,
      }));
      assert.deepEqual(shown, expected);
      const events = await told(phone, 2);
      const byKind = events.toSorted((a, b) => Number('order' in a) - Number('order' in b));
      assert.deepEqual(
        byKind.map((each) => ({ product: each.product, order: each.order })),
        expected,
      );
    });
  });
}
