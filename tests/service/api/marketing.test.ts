/** D327: a contact that stops marketing messages gets no MARKETING template, and all the rest. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { list, setTemplate } from '../../support/api/templates-fixture.ts';
import { assertRefused, freshPhone, type Sent } from '../../support/api.ts';
import { arrivals } from '../../support/delivery.ts';
import { cloudPost } from '../../support/network.ts';
import { pluck } from '../../support/pluck.ts';
import { useOrganizations, useStack, useSubscriber } from '../../support/stack-hooks.ts';
import { waitUntil } from '../../support/wait-for.ts';

const EVENT = 'contact.marketing_opt_out';
const MARKETING = { name: 'novidades', language: 'pt_BR' };
const UTILITY = { name: 'hello_world', language: 'en_US' };
const STOPPED = 131_050;
const PAIR_LIMIT = 131_056;

const stack = useStack();
const subscriber = useSubscriber();
const { shop } = useOrganizations(stack, () => ({
  shop: {
    businessAccountId: `${stack.prefix}marketing`,
    subscriptions: [
      { ref: 'all', url: `${subscriber.url}/all`, events: ['*'] },
      { ref: 'named', url: `${subscriber.url}/named`, events: [EVENT, 'contact.opt_out'] },
    ],
  },
}));
const { about, untilAbout } = arrivals(() => subscriber);

before(async () => {
  const components = [{ type: 'BODY', text: 'Chegou a coleção nova.' }];
  const account = { businessAccountId: `${stack.prefix}marketing` };
  const template = { ...MARKETING, category: 'MARKETING', components };
  await setTemplate(stack, account, template);
  await waitUntil('the template is known', async () => {
    const { data } = await list(stack, shop.key, '?limit=200');
    return data.some(({ name }) => name === MARKETING.name);
  });
});

function post(phone: string, content: object) {
  const body = { channelId: shop.main, phone, ...content };
  return stack.call('POST', '/api/v1/messages', { key: shop.key, body });
}

async function sent(phone: string, content: object): Promise<Sent> {
  return stack.send(shop.key, { channelId: shop.main, phone, ...content });
}

const stopOf = async (phone: string) => (await stack.contact(shop.key, phone))?.marketingOptOutAt;
const untilStopped = (phone: string) =>
  waitUntil('the stop is on record', async () => (await stopOf(phone)) !== undefined);

function press(phone: string, text = 'Parar promoções'): Promise<unknown> {
  const button = { text, payload: 'stop' };
  return stack.network.control('POST /inbound', { channelId: shop.main, from: phone, button });
}

/** The network's webhook of a choice in its own app. */
async function prefer(phone: string, value: string, at = Date.now()): Promise<void> {
  const timestamp = Math.floor(at / 1_000);
  const preference = { wa_id: phone, category: 'marketing_messages', value, timestamp };
  const detail = `User requested to ${value} marketing messages`;
  const user_preferences = [{ ...preference, detail }];
  const contacts = [{ profile: { name: 'Ana' }, wa_id: phone }];
  const told = { contacts, user_preferences };
  const { appSecret, phoneNumberId } = shop;
  const { body, headers } = cloudPost(appSecret, phoneNumberId, told, 'user_preferences');
  const url = `${stack.baseUrl}/networks/cloud/${shop.main}`;
  const response = await fetch(url, { method: 'POST', body, headers });
  assert.equal(response.status, 200, await response.text());
}

async function assertOnlyMarketingRefused(phone: string): Promise<void> {
  const refused = await post(phone, { template: MARKETING });
  assert.match(assertRefused(refused, 409), /marketing/);
  const sendAt = new Date(Date.now() + 60_000).toISOString();
  assertRefused(await post(phone, { template: MARKETING, sendAt }), 409);
  assert.equal((await post(phone, { template: UTILITY })).status, 201);
  assert.equal((await post(phone, { text: 'seu pedido saiu' })).status, 201);
}

describe('a stop of marketing messages', () => {
  test('by the button of a template: an event by name only, and no opt-out', async () => {
    const phone = freshPhone();
    assert.equal((await post(phone, { template: MARKETING })).status, 201);
    await press(phone);
    const [received, ...more] = await untilAbout('/named', phone);
    assert.deepEqual([received?.event, more.length], [EVENT, 0]);
    const { contact, origin } = received?.data ?? {};
    assert.equal(origin, 'contact');
    const shown = await stack.contact(shop.key, phone);
    assert.equal(Reflect.get(Object(contact), 'marketingOptOutAt'), shown?.marketingOptOutAt);
    assert.deepEqual([shown?.optOutAt, shown?.optIn], [null, false]);
    await untilAbout('/all', phone, 2);
    assert.ok(!pluck(about('/all', phone), 'event').includes(EVENT));
    await assertOnlyMarketingRefused(phone);
  });

  test('in the network’s own app, and its end there', async () => {
    const phone = freshPhone();
    await prefer(phone, 'stop', Date.now() - 60_000);
    await untilStopped(phone);
    await assertOnlyMarketingRefused(phone);
    await prefer(phone, 'resume');
    await waitUntil('the stop has ended', async () => (await stopOf(phone)) === undefined);
    assert.equal((await post(phone, { template: MARKETING })).status, 201);
    assert.equal((await untilAbout('/named', phone)).length, 1);
  });

  test('told by the refusal of a message (131050)', async () => {
    const phone = freshPhone();
    const { phoneNumberId } = shop;
    await stack.network.fault({ phoneNumberId, to: phone, failReceiptCode: STOPPED, times: 1 });
    const message = await sent(phone, { template: MARKETING });
    const failed = await stack.messageIn(shop.key, message, 'failed');
    assert.equal(failed.error?.code, String(STOPPED));
    await untilStopped(phone);
    await assertOnlyMarketingRefused(phone);
  });

  test('while the template is queued or scheduled: it fails as marketing_opt_out', async () => {
    const [queued, scheduled] = [freshPhone(), freshPhone()];
    const { phoneNumberId } = shop;
    await stack.network.fault({ phoneNumberId, to: queued, code: PAIR_LIMIT, times: 1 });
    const waiting = await sent(queued, { template: MARKETING });
    const sendAt = new Date(Date.now() + 4_000).toISOString();
    const later = await sent(scheduled, { template: MARKETING, sendAt });
    for (const phone of [queued, scheduled]) {
      await prefer(phone, 'stop');
      await untilStopped(phone);
    }
    for (const message of [waiting, later]) {
      const failed = await stack.messageIn(shop.key, message, 'failed');
      assert.equal(failed.error?.code, 'marketing_opt_out');
    }
    for (const phone of [queued, scheduled]) {
      assert.deepEqual(await stack.network.sent(phone), []);
    }
  });
});

test('a contact that opted out of everything gets no MARKETING template either', async () => {
  const phone = freshPhone();
  const body = { phone, optIn: false };
  await stack.call('POST', '/api/v1/contacts', { key: shop.key, body });
  await assertOnlyMarketingRefused(phone);
  assert.equal(await stopOf(phone), undefined);
});
