/** Contacts' messages: there once, under one person, with file, name and phone. */
import assert from 'node:assert/strict';
import { pluck } from '../../../../../support/pluck.ts';
import type { ControlRequest, Fixture } from './fixture.ts';
import { conformance, rowsFor } from './table.ts';
import { WEB_ENGINES } from './target.ts';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

function hiddenId({ phone }: Fixture): string {
  return `${phone.slice(2)}7@lid`;
}

async function onlyMessage(fixture: Fixture, text: string) {
  const history = await fixture.until('the message is there', async () => {
    const found = await fixture.history();
    return found.length > 0 && found;
  });
  assert.deepEqual(
    history.map((each) => [each.text, each.direction]),
    [[text, 'in']],
  );
  const everywhere = (await fixture.everywhere()).filter((each) => each === text);
  assert.equal(everywhere.length, 1, 'nor in another conversation');
  const [message] = history;
  assert.ok(message);
  return message;
}

/** What the engine tells of itself as a message, some of it around what a person could write. */
const BOOKKEEPING: Readonly<Record<string, readonly ControlRequest[]>> = {
  webjs: [
    'e2e_notification',
    'notification_template',
    'call_log',
    'ciphertext',
    'gp2',
    'protocol',
  ].map((bookkeeping) => ({ bookkeeping })),
  noweb: [
    ...['call', 'messageStubType', 'pinInChatMessage', 'senderKeyDistributionMessage'].map(
      (bookkeeping) => ({ bookkeeping }),
    ),
    { bookkeeping: 'pollUpdateMessage', wrapped: 'ephemeralMessage' },
  ],
  gows: [
    ...['call', 'messageContextInfo', 'keepInChatMessage', 'albumMessage'].map((bookkeeping) => ({
      bookkeeping,
    })),
    { bookkeeping: 'protocolMessage', wrapped: 'deviceSentMessage' },
  ],
};

async function isNobodys(fixture: Fixture, more: ControlRequest): Promise<void> {
  for (const request of BOOKKEEPING[fixture.engine] ?? []) {
    await fixture.inbound({ ...request, ...more });
    await fixture.inbound({ ...request, ...more, echo: true });
  }
}

async function hasCommerce(fixture: Fixture): Promise<void> {
  const referral = {
    source_id: '120900',
    source_type: 'ad',
    ctwa_clid: 'ARk0',
    headline: 'Oferta',
  };
  const product = { catalog_id: '88', product_retailer_id: 'CAFE-1' };
  await fixture.inbound({ text: 'vim', referral });
  await fixture.inbound({ text: 'tem?', product });
  await fixture.inbound({ order: { catalog_id: '88', text: 'quero', product_items: [product] } });
  const [brought, asked, ordered] = await fixture.history();
  const { sourceId, clickId, headline } = brought?.ad ?? {};
  assert.deepEqual([sourceId, clickId, headline], ['120900', 'ARk0', 'Oferta']);
  assert.equal(asked?.product?.retailerId, 'CAFE-1');
  assert.equal(ordered?.order?.text, 'quero');
  const contact = await fixture.stack.contact(fixture.org.key, fixture.phone);
  assert.equal(contact?.firstAd?.sourceId, '120900');
}

async function hasFile(fixture: Fixture, more: ControlRequest = {}): Promise<void> {
  await fixture.inbound({ media: { mimeType: 'image/png', data: PNG, ...more } });
  const media = await fixture.until('the file is there', async () => {
    const [message] = await fixture.history();
    return message?.media;
  });
  assert.equal(media.sizeBytes, Buffer.from(PNG, 'base64').length);
}

async function hasWrappedFile(fixture: Fixture): Promise<void> {
  const media = { mimeType: 'image/png', data: PNG, notDownloaded: 'null' };
  await fixture.inbound({ media, wrapped: 'viewOnceMessageV2' });
  const file = await fixture.until('the file is there', async () => {
    const message = (await fixture.history()).at(-1);
    return message?.media && message;
  });
  assert.equal(file.kind, 'image');
}

const every = rowsFor();
const web = rowsFor(WEB_ENGINES);
const lidEngines = rowsFor(['noweb', 'gows']);

conformance('what contacts write', [
  every.alone('inbound once: the webhook comes twice', async (fixture) => {
    const text = fixture.text('repetida');
    const id = await fixture.inbound({ text });
    await fixture.inbound({ text, id });
    await onlyMessage(fixture, text);
    const [conversation] = await fixture.conversations();
    assert.equal(conversation?.unread, 1);
  }),
  web.alone('inbound once: under the hidden and the phone form of its chat', async (fixture) => {
    const text = fixture.text('duas formas');
    const request = { from: hiddenId(fixture), phoneKnown: fixture.phone, text };
    const id = await fixture.inbound({ ...request, bothForms: true });
    await fixture.inbound({ text, id });
    await onlyMessage(fixture, text);
  }),
  web.alone('inbound once: as `message` and as `message.any`', async (fixture) => {
    const text = fixture.text('dois eventos');
    await fixture.inbound({ text, events: ['message', 'message.any'] });
    await onlyMessage(fixture, text);
  }),
  every.alone('names: the profile name', async (fixture) => {
    await fixture.inbound({ text: 'oi', name: 'Joana Prado' });
    const [conversation] = await fixture.conversations();
    assert.equal(conversation?.contactName, 'Joana Prado');
  }),
  lidEngines.alone('names: the phone behind a hidden id, told beside it', async (fixture) => {
    const request = { from: hiddenId(fixture), phoneShown: fixture.phone, name: 'Ana Lima' };
    await fixture.inbound({ ...request, text: 'oi' });
    const [conversation] = await fixture.conversations();
    assert.equal(conversation?.contactName, 'Ana Lima');
  }),
  web.alone('names: the phone behind a hidden id, asked for', async (fixture) => {
    await fixture.inbound({ from: hiddenId(fixture), phoneKnown: fixture.phone, text: 'oi' });
    assert.equal((await fixture.conversations()).length, 1);
  }),
  every.alone('commerce: an advertisement, a product, an order beside the words', hasCommerce),
  every.alone('media: the file of a contact', (fixture) => hasFile(fixture)),
  web.alone('media: none told, asked for again', (fixture) =>
    hasFile(fixture, { notDownloaded: 'null' }),
  ),
  web.alone('media: told with an error, asked for again', (fixture) =>
    hasFile(fixture, { notDownloaded: 'error' }),
  ),
  web.alone('bookkeeping of the engine: nobody wrote it', async (fixture) => {
    await isNobodys(fixture, {});
    assert.equal(await fixture.stack.contact(fixture.org.key, fixture.phone), null);
    const text = fixture.text('bom dia');
    await fixture.inbound({ text });
    await isNobodys(fixture, {});
    await onlyMessage(fixture, text);
    const [conversation] = await fixture.conversations();
    assert.deepEqual([conversation?.unread, conversation?.paused], [1, false]);
  }),
  web.alone('shown on the phone alone: there, without content', async (fixture) => {
    await fixture.inbound({ unsupported: true });
    const [message, ...more] = await fixture.history();
    assert.deepEqual([message?.kind, message?.text, more], ['unsupported', null, []]);
  }),
  lidEngines.alone('in a wrapper, as of a disappearing chat: nothing is lost', async (fixture) => {
    const wrapped = 'ephemeralMessage';
    const replyTo = await fixture.inbound({ text: fixture.text('onde?') });
    const place = { latitude: -19.932, longitude: -43.9381, name: 'Padaria Sol' };
    await fixture.inbound({ place, replyTo, wrapped });
    await fixture.inbound({ cards: [{ name: 'Davi', phone: '553133334444' }], wrapped });
    await hasWrappedFile(fixture);
    const [question, placed, carded] = await fixture.history();
    assert.deepEqual([placed?.location?.name, placed?.replyToId], [place.name, question?.id]);
    assert.equal(carded?.contacts?.[0]?.name, 'Davi');
  }),
  rowsFor(['webjs']).alone('undecrypted: the message, once it is', async (fixture) => {
    const id = await fixture.inbound({ bookkeeping: 'ciphertext' });
    const text = fixture.text('agora sim');
    await fixture.inbound({ text, id });
    await onlyMessage(fixture, text);
  }),
  web.alone('a contact’s broadcast list: a message of its author', async (fixture) => {
    const text = fixture.text('promoção');
    await fixture.inbound({ text, group: '1712345678@broadcast' });
    await onlyMessage(fixture, text);
  }),
  web.alone('the network’s own number 0: nobody', async (fixture) => {
    const text = fixture.text('novidades');
    await fixture.inbound({ from: '0', text });
    await fixture.inbound({ from: '0', text, echo: true });
    assert.ok(!(await fixture.everywhere()).includes(text));
  }),
  every.alone('edits: the text is the newest, and no second message', async (fixture) => {
    const id = await fixture.inbound({ text: fixture.text('antes') });
    await fixture.inbound({ text: fixture.text('depois'), edits: id });
    await onlyMessage(fixture, fixture.text('depois'));
    const [conversation] = await fixture.conversations();
    assert.deepEqual([conversation?.unread, conversation?.preview], [1, fixture.text('depois')]);
  }),
  every.alone('deletions: the text is gone, and no second message', async (fixture) => {
    const text = fixture.text('apagada');
    const id = await fixture.inbound({ text });
    await fixture.inbound({ deletes: id });
    await fixture.until('the text is gone', async () => {
      const [message] = await fixture.history();
      return message !== undefined && message.text === null;
    });
    assert.equal((await fixture.history()).length, 1);
    assert.ok(!(await fixture.everywhere()).includes(text));
  }),
  web.alone('read back: what came while the session was away', async (fixture) => {
    const { session } = fixture.org;
    await fixture.inbound({ text: fixture.text('antes') });
    await fixture.control('/session', { session, status: 'FAILED' });
    await fixture.until('the channel is not ready', async () => !(await fixture.channel()).ready);
    // The bridge keeps it, and no webhook tells of it.
    await fixture.inbound({ text: fixture.text('perdida'), events: [] });
    await isNobodys(fixture, { events: [] });
    await fixture.control('/session', { session, status: 'WORKING' });
    await fixture.until('it is read back', async () => (await fixture.history()).length === 2);
    assert.deepEqual(pluck(await fixture.history(), 'text'), [
      fixture.text('antes'),
      fixture.text('perdida'),
    ]);
  }),
]);
