/** Contacts' messages through the simulated bridge: forms, repeats, media, changes. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { simulatorOf } from '../fixture.ts';

const FROM = '5521987650001';
const LID = '77000@lid';
const ID = '3EB0AABBCCDDEEFF001122';
const data = Buffer.from('conteúdo').toString('base64');

describe('sandbox: inbound over the bridge', () => {
  const simulator = simulatorOf('each test');

  const { engine } = simulator;
  const writes = (fields: object) =>
    simulator.control('/inbound', { session: 'shop', from: FROM, name: 'Dora Lima', ...fields });
  const told = (event = 'message.any') => simulator.payloads(event);

  it('one message by both forms of the chat, with one id', async () => {
    const answer = await writes({ from: LID, phoneShown: FROM, text: 'oi', bothForms: true });
    const ids = told().map(({ id }) => id);
    assert.deepEqual(ids, [`false_${LID}_${answer.id}`, `false_${FROM}@c.us_${answer.id}`]);
    assert.equal(answer.fullId, told()[0].id);
  });

  it('repeated and doubled webhooks', async () => {
    await writes({ text: 'oi', id: `false_${FROM}@c.us_${ID}`, times: 2 });
    await writes({ text: 'oi', id: ID, events: ['message', 'message.any'] });
    assert.deepEqual(new Set(told().map(({ id }) => id)), new Set([`false_${FROM}@c.us_${ID}`]));
    assert.deepEqual([told().length, told('message').length], [3, 1]);
  });

  const hidden = { from: LID, phoneShown: FROM, text: 'oi' };
  for (const [name, expected] of [
    ['gows', { Info: { PushName: 'Dora Lima', SenderAlt: `${FROM}:77@s.whatsapp.net` } }],
    ['noweb', { pushName: 'Dora Lima', key: { remoteJidAlt: `${FROM}@s.whatsapp.net` } }],
    ['webjs', { notifyName: 'Dora Lima' }],
  ] as const) {
    it(`${name}: the name and the phone where the engine puts them`, async () => {
      await engine(name);
      await writes(name === 'webjs' ? { from: LID, text: 'oi' } : hidden);
      const [{ _data, from }] = told();
      assert.partialDeepStrictEqual(_data, expected);
      if (name === 'webjs') assert.equal(from, LID);
    });
  }

  it('a phone that only a look-up tells is not in the message', async () => {
    await writes({ from: LID, phoneKnown: FROM, text: 'oi' });
    assert.equal(told()[0]._data.Info.SenderAlt, '');
    const { body } = await simulator.bridge('GET', `/api/shop/lids/${encodeURIComponent(LID)}`);
    assert.equal(body.pn, `${FROM}@c.us`);
  });

  it('media at the address of a bridge that does not know its own, served under its base', async () => {
    await engine('gows');
    const { id } = await writes({ media: { mimeType: 'image/jpeg', data, caption: 'A caixa' } });
    const url = `http://localhost:3000/api/files/shop/${id}.jpeg`;
    assert.deepEqual([told()[0].hasMedia, told()[0].media.url], [true, url]);
    const get = (path: string, key = 'bridge-key') =>
      fetch(`${simulator.network.url}${path}`, { headers: { 'x-api-key': key } });
    const file = await get(new URL(url).pathname);
    assert.equal(await file.text(), 'conteúdo');
    assert.equal((await get(new URL(url).pathname, 'no')).status, 401);
    assert.equal((await get('/api/files/shop/none.jpeg')).status, 404);
  });

  it('a session without an engine set knows its address', async () => {
    await writes({ media: { mimeType: 'image/jpeg', data } });
    const file = await fetch(told()[0].media.url, { headers: { 'x-api-key': 'bridge-key' } });
    assert.equal(await file.text(), 'conteúdo');
  });

  it('media that was not downloaded comes when it is asked for, unless it is gone', async () => {
    const media = { mimeType: 'audio/ogg', data };
    const first = await writes({ media: { ...media, notDownloaded: 'null' } });
    const gone = await writes({ media: { ...media, notDownloaded: 'error', gone: true } });
    assert.deepEqual([told()[0].hasMedia, told()[0].media], [true, null]);
    assert.ok(told()[1].media.error && told()[1].media.url === null);
    const ask = (id: unknown, download: boolean) =>
      simulator.bridge('GET', `/api/shop/chats/all/messages/${id}?downloadMedia=${download}`);
    assert.match(Object((await ask(first.id, true)).body.media).url, /\.oga$/);
    assert.equal((await ask(first.id, false)).body.media, null);
    assert.equal(Object((await ask(gone.id, true)).body.media).url, null);
  });

  it('edits and deletions name the bare id, reactions the whole one; look-ups follow', async () => {
    await writes({ text: 'oi', id: ID });
    await writes({ edits: ID, text: 'olá' });
    await writes({ reaction: { to: ID, emoji: '🙏' } });
    const find = () => simulator.bridge('GET', `/api/shop/chats/all/messages/${ID}`);
    assert.equal((await find()).body.body, 'olá');
    await writes({ deletes: `false_${FROM}@c.us_${ID}` });
    const [edited] = told('message.edited');
    assert.deepEqual([edited.editedMessageId, edited.body], [ID, 'olá']);
    assert.notEqual(edited.id, `false_${FROM}@c.us_${ID}`);
    assert.equal(told('message.reaction')[0].reaction.messageId, `false_${FROM}@c.us_${ID}`);
    assert.equal(told('message.revoked')[0].revokedMessageId, ID);
    assert.equal((await find()).status, 404);
    assert.equal(told().length, 1, 'a change is no message');
  });

  it('WEBJS gives an edit the id of the message that it edits', async () => {
    await engine('webjs');
    await writes({ text: 'oi', id: ID });
    await writes({ edits: ID, text: 'olá' });
    assert.equal(told('message.edited')[0].id, `false_${FROM}@c.us_${ID}`);
  });

  it('groups have a fourth segment, the participant', async () => {
    const group = '120363000000000001@g.us';
    await writes({ text: 'oi', group });
    const [{ id, from, participant }] = told();
    assert.match(id, /^false_120363000000000001@g\.us_3EB0[0-9A-F]{18}_5521987650001@c\.us$/);
    assert.deepEqual([from, participant], [group, `${FROM}@c.us`]);
  });

  it('a message typed on the phone is the number’s own, and an answer names what it answers', async () => {
    await writes({ text: 'oi', id: ID });
    await writes({ text: 'da loja', echo: true, replyTo: ID });
    const [, { fromMe, source, replyTo }] = told();
    assert.deepEqual([fromMe, source, replyTo.id, replyTo.body], [true, 'app', ID, 'oi']);
  });
});
