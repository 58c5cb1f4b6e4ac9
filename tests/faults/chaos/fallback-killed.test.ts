/**
 * kill -9 of the process that decides, while the network refuses messages for the window. The
 * template in place of each arrives once (D290).
 */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { contactDoes, rowsTo, setWindow } from '../../support/api/content-fixture.ts';
import { listUntil, useShop } from '../../support/api/templates-fixture.ts';
import { freshPhone, type Sent } from '../../support/api.ts';
import { killHard } from '../../support/kills.ts';
import { useStack } from '../../support/stack-hooks.ts';
import { waitFor } from '../../support/wait-for.ts';

const CONTACTS = 60;
const KILLS = 3;
const FALLBACK = { name: 'hello_world', language: 'en_US' };
const INTERACTIVE = {
  type: 'buttons',
  text: 'Podemos entregar?',
  buttons: [{ id: 'sim', title: 'Sim' }],
};

const stack = useStack();
const shop = useShop(stack, 'fallback');

before(() => listUntil(stack, shop.key, { is: (all) => all.total === 8, what: 'all are listed' }));

/** A send that a killed process may leave unanswered; a repeat is the same call. */
function accepted(phone: string, content: Readonly<Record<string, unknown>>): Promise<Sent> {
  const call = {
    key: shop.key,
    body: { channelId: shop.main, phone, ...content },
    headers: { 'idempotency-key': `once-${phone}` },
  };
  return waitFor(
    async () => {
      const answer = await stack.request('POST', '/api/v1/messages', call);
      return answer.status === 201 ? Object(answer.json).data : null;
    },
    { what: `the send to ${phone} is accepted` },
  );
}

/** Until all are done, the process is killed again and again. */
async function amidKills<Done>(work: readonly Promise<Done>[]): Promise<readonly Done[]> {
  const kills = (async () => {
    for (let kill = 0; kill < KILLS; kill++) await killHard(stack, 'actors');
  })();
  const done = await Promise.all(work);
  await kills;
  return done;
}

test('each refused message has one template in its place', async () => {
  const phones = Array.from({ length: CONTACTS }, freshPhone);
  for (const from of phones) await contactDoes(stack, { channelId: shop.main, from, text: 'oi' });
  await setWindow(stack, shop, { enforce: true });
  const lastWroteAt = Date.now() - 48 * 3_600_000;
  for (const contact of phones) await setWindow(stack, shop, { contact, lastWroteAt });
  const { phoneNumberId } = shop;
  // Half of them are refused in the answer, the others by a status.
  for (const to of phones.filter((_, index) => index % 2 === 0)) {
    await stack.network.fault({ phoneNumberId, to, code: 131047, times: 1 });
  }
  const sends = phones.map((phone) => accepted(phone, { text: phone, fallbackTemplate: FALLBACK }));
  const sent = await amidKills(sends);
  const places = new Map(sent.map((each, index) => [phones[index] ?? '', each]));
  for (const [phone, { conversationId, messageId }] of places) {
    await waitFor(
      async () =>
        (await stack.history(shop.key, conversationId)).some(
          ({ replacesId, status }) => replacesId === messageId && status === 'read',
        ),
      { what: `the template for ${phone}` },
    );
    const history = await stack.history(shop.key, conversationId);
    const shown = history.map(({ direction, status }) => `${direction} ${status}`);
    assert.deepEqual(shown, ['out read', 'out failed', 'in received'], phone);
    const templates = (await rowsTo(stack, phone)).filter(({ kind }) => kind === 'template');
    assert.equal(templates.length, 1, phone);
  }
});

test('a structured message that was accepted arrives once', async () => {
  const phones = Array.from({ length: CONTACTS }, freshPhone);
  for (const from of phones) await contactDoes(stack, { channelId: shop.main, from, text: 'oi' });
  const sent = await amidKills(
    phones.map((phone) => accepted(phone, { interactive: INTERACTIVE })),
  );
  for (const [index, { conversationId, messageId }] of sent.entries()) {
    const message = await stack.messageIn(shop.key, { conversationId, messageId }, 'read');
    assert.deepEqual(message.interactive, INTERACTIVE);
    const phone = phones[index] ?? '';
    const rows = (await rowsTo(stack, phone)).filter(({ kind }) => kind === 'interactive');
    const own = (await stack.history(shop.key, conversationId)).filter(
      ({ direction }) => direction === 'out',
    );
    assert.equal(own.length, 1, phone);
    assert.equal(rows.length, 1, phone);
  }
});
