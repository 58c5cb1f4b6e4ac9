/** The stream of live hints: what is committed is told to open pages. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import * as v from 'valibot';
import { assertStatus } from '../../../support/api/answers.ts';
import { freshPhone } from '../../../support/api.ts';
import { Browser } from '../../../support/gateway/panel/browser.ts';
import { panel, startPanel } from '../../../support/gateway/panel/people-fixture.ts';
import { waitUntil } from '../../../support/wait-for.ts';
import { type OpenPage, openPage } from './open-page.ts';

before(startPanel);

const OrganizationsSchema = v.object({ data: v.array(v.looseObject({ id: v.string() })) });
const SessionSchema = v.object({ data: v.looseObject({ id: v.string() }) });

describe('live hints', () => {
  const pages: OpenPage[] = [];
  after(() => {
    for (const page of pages) page.close();
  });

  async function open(
    browser: Browser,
    looking: { readonly organization?: string } = {},
  ): Promise<OpenPage> {
    const page = await openPage(panel().url, { cookie: browser.cookie, ...looking });
    pages.push(page);
    await waitUntil('the first resync', () => page.resyncs === 1 || null);
    return page;
  }

  test('a contact’s message, its answer and its receipts are told, of this organization alone', async () => {
    const { stack, shop, other } = panel();
    const browser = await panel().signedInAs('ana');
    const page = await open(browser);
    await stack.network.inbound({ channelId: other.main, from: freshPhone(), text: 'alheia' });
    const from = freshPhone();
    await stack.network.inbound({ channelId: shop.main, from, text: 'oi' });
    const contact = await stack.contact(shop.key, from);
    const { data } = await stack.conversations(shop.key, `?contactId=${contact?.id}`);
    const conversationId = data[0]?.id ?? '';
    const seqs = () => page.hints.filter(({ id }) => id === conversationId).map(({ seq }) => seq);
    await waitUntil('a hint of the message', () => seqs().length > 0 || null);
    await waitUntil(
      'a hint of the contact',
      () => page.hints.some(({ kind }) => kind === 'contact') || null,
    );
    const reply = { conversationId, text: 'olá', channelId: shop.main };
    assertStatus(await browser.call('POST', '/api/v1/messages', { body: reply }), 201);
    await waitUntil('a hint of the answer', () => Math.max(0, ...seqs()) >= 2 || null);
    const [foreign] = (await stack.conversations(other.key)).data;
    const strange = page.hints.filter(({ id }) => id === foreign?.id);
    assert.deepEqual(strange, []);
  });

  test('a member who writes an answer is told to the others', async () => {
    const { stack, shop } = panel();
    const other = await panel().signedInAs('bia');
    const page = await open(await panel().signedInAs('ana'));
    const own = await open(other);
    const { data } = await stack.conversations(shop.key);
    const conversationId = data[0]?.id ?? '';
    const path = `/panel/api/conversations/${conversationId}/typing`;
    assertStatus(await other.call('POST', path), 202);
    await waitUntil(
      'the presence',
      () => page.typing.some((each) => each.member.name === 'Bia') || null,
    );
    assert.deepEqual(own.typing, [], 'not of their own writing');
  });

  test('an ended session closes its stream, and no other', async () => {
    const ended = await panel().signedInAs('bia');
    const kept = await panel().signedInAs('ana');
    const [page, other] = [await open(ended), await open(kept)];
    const shown = await ended.call('GET', '/panel/api/session');
    const { id } = v.parse(SessionSchema, shown.json).data;
    assertStatus(await kept.call('POST', `/panel/api/sessions/${id}/end`), 200);
    await waitUntil('the stream is closed', () => page.closed || null);
    assert.equal(other.closed, false);
    assert.equal((await ended.call('GET', '/panel/api/events')).status, 401);
  });

  test('the operator hears the organization that the address names, and no other', async () => {
    const { stack, shop, other } = panel();
    const operator = await panel().useLink(await stack.ask('panel', 'link', '--operator'));
    assert.equal((await operator.call('GET', '/panel/api/events')).status, 404);
    const listed = await operator.call('GET', '/panel/api/organizations');
    const names = v.parse(OrganizationsSchema, listed.json).data.map(({ id }) => id);
    assert.deepEqual(new Set(names), new Set([shop.id, other.id]));
    const page = await open(operator, { organization: other.id });
    const say = (channelId: string) =>
      stack.network.inbound({ channelId, from: freshPhone(), text: 'oi' });
    await say(shop.main);
    await say(other.main);
    const { data } = await stack.conversations(other.key);
    const own = new Set(data.map(({ id }) => id));
    const heard = () => page.hints.filter(({ kind }) => kind === 'conversation');
    await waitUntil('a hint of the other organization', () => heard().length > 0 || null);
    assert.deepEqual(
      heard().filter(({ id }) => !own.has(id)),
      [],
    );
  });

  test('without a session there is no stream', async () => {
    assert.equal((await new Browser(panel().url).call('GET', '/panel/api/events')).status, 401);
  });
});
