/** Events as they happen: told to an organization's open pages, without any subscription. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import * as v from 'valibot';
import { parseAnswer } from '../../../support/api/answers.ts';
import { freshPhone } from '../../../support/api.ts';
import type { Browser } from '../../../support/gateway/panel/browser.ts';
import { panel, startPanel } from '../../../support/gateway/panel/people-fixture.ts';
import { waitUntil } from '../../../support/wait-for.ts';
import { type OpenPage, openPage } from './open-page.ts';

before(startPanel);

const PATH = '/panel/api/recent-events';
const ListSchema = v.object({
  cursor: v.string(),
  data: v.array(
    v.object({
      id: v.string(),
      at: v.string(),
      event: v.string(),
      data: v.looseObject({ phone: v.optional(v.string()), text: v.nullish(v.string()) }),
    }),
  ),
});

async function list(browser: Browser, cursor?: string) {
  const path = cursor === undefined ? PATH : `${PATH}?cursor=${encodeURIComponent(cursor)}`;
  return parseAnswer(await browser.call('GET', path), ListSchema);
}

describe('events as they happen', () => {
  const pages: OpenPage[] = [];
  after(() => {
    for (const page of pages) page.close();
  });

  async function listening(member: string, org?: string): Promise<[Browser, OpenPage]> {
    const browser = await panel().signedInAs(member, org);
    const page = await openPage(panel().url, { cookie: browser.cookie });
    pages.push(page);
    await waitUntil('the first resync', () => page.resyncs === 1 || null);
    return [browser, page];
  }

  test('a contact’s message is an event with its payload, of this organization alone', async () => {
    const { stack, shop, other } = panel();
    const [ana, page] = await listening('ana');
    const [eve] = await listening('eve', other.ref);
    const { cursor } = await list(ana);
    const from = freshPhone();
    await stack.network.inbound({ channelId: shop.main, from, text: 'Tem pão?' });
    const found = await waitUntil('the event of the message', async () => {
      const { data, cursor: next } = await list(ana, cursor);
      const own = data.find((each) => each.data.text === 'Tem pão?');
      return own ? { own, next } : null;
    });
    assert.deepEqual([found.own.event, found.own.data.phone], ['message.received', from]);
    await waitUntil(
      'a hint of the event',
      () => page.hints.some(({ kind }) => kind === 'event') || null,
    );
    const later = await list(ana, found.next);
    assert.ok(later.data.every(({ id }) => id !== found.own.id));
    const foreign = await list(eve);
    assert.ok(foreign.data.every(({ id }) => id !== found.own.id));
  });

  test('are not for attendants', async () => {
    const bia = await panel().signedInAs('bia');
    assert.equal((await bia.call('GET', PATH)).status, 403);
  });
});
