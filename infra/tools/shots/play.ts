/** The story, played on a running service: contacts by the network, members by the panel. */
import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import * as v from 'valibot';
import { ListPipelinesAnswer } from '../../../shared/api/pipeline.ts';
import { named } from '../../../tests/support/applied.ts';
import { openPage } from '../../../tests/support/browser.ts';
import type { Stack } from '../../../tests/support/stack.ts';
import { startSubscriber } from '../../../tests/support/stand-ins/subscriber.ts';
import { waitFor } from '../../../tests/support/wait-for.ts';
import {
  CONTACTS,
  type ContactRef,
  KEY,
  type MemberRef,
  ORGANIZATION,
  SHOP_KEY,
  shopFile,
} from './shop.ts';
import type { ShownTimes } from './shown-times.ts';
import { type Act, BEFORE, DEALS, NOW, STORY, TASKS } from './story.ts';

const LinkSchema = v.object({ url: v.string() });
const UNDER_WAY: ReadonlySet<string> = new Set(['queued', 'sent', 'delivered']);

export interface Played {
  /** A page that the member's link has signed in. */
  signIn(page: Page, member: MemberRef): Promise<void>;
  operatorLink(): Promise<string>;
  conversationOf(contact: ContactRef): Promise<string>;
  readonly subscriberUrl: string;
  close(): Promise<void>;
}

interface Stage {
  readonly stack: Stack;
  readonly browser: Browser;
  readonly times: ShownTimes;
}

export async function play({ stack, browser, times }: Stage): Promise<Played> {
  const subscriber = await startSubscriber();
  // One of its addresses is out of order, as the picture of the deliveries shows.
  subscriber.answer('/recado/vendas', ({ event }) => (event === 'deal.won' ? 503 : 200));
  times.begin(BEFORE);
  const applied = named((await stack.apply(shopFile(subscriber.url))).orgs, ORGANIZATION);
  const signIn = async (page: Page, member: MemberRef) => {
    const words = ['panel', 'link', '--org', ORGANIZATION, '--member', member];
    await page.goto(v.parse(LinkSchema, await stack.ask(...words)).url);
    await page.getByRole('button', { name: 'Agora não' }).click();
    await page.getByRole('heading', { name: 'Conversas' }).waitFor();
  };
  const panelUrl = stack.runFile().panelUrl ?? assert.fail('the panel runs');
  const pages = new Map<MemberRef, Page>();
  for (const member of ['ana', 'bruno', 'carla'] as const) {
    const { page } = await openPage(browser, panelUrl);
    await signIn(page, member);
    pages.set(member, page);
  }
  const shop: Shop = { stack, times, applied, pages };
  await fillRecords(shop);
  for (const act of STORY) await perform(shop, act);
  times.begin(NOW);
  await closeDay(shop);
  for (const page of pages.values()) await page.context().close();
  return {
    signIn,
    operatorLink: async () =>
      v.parse(LinkSchema, await stack.ask('panel', 'link', '--operator')).url,
    conversationOf: (contact) => conversationOf(shop, contact),
    subscriberUrl: subscriber.url,
    close: () => subscriber.close(),
  };
}

interface Shop extends Omit<Stage, 'browser'> {
  readonly applied: Awaited<ReturnType<Stack['apply']>>['orgs'][string];
  readonly pages: ReadonlyMap<MemberRef, Page>;
}

async function post({ stack }: Shop, path: string, body: unknown): Promise<unknown> {
  const { status, text, json } = await stack.request('POST', path, { key: KEY, body });
  assert.ok(status < 300, `${path}: ${text}`);
  return json;
}

/** Contacts, deals and tasks, by the API as a shop's own system would. */
async function fillRecords(shop: Shop): Promise<void> {
  const { stack, applied } = shop;
  for (const { channel: _, ...contact } of Object.values(CONTACTS)) {
    await post(shop, '/api/v1/contacts', { ...contact, optIn: true });
  }
  const answer = await stack.request('GET', '/api/v1/pipelines', { key: KEY });
  const [pipeline] = v.parse(ListPipelinesAnswer, answer.json).data;
  for (const { contact, stage, owner, closesOn, ...deal } of DEALS) {
    const stageId = pipeline?.stages.find(({ position }) => position === stage)?.id;
    await post(shop, '/api/v1/deals', {
      ...{ ...deal, stageId, phone: CONTACTS[contact].phone },
      ...{ ownerId: named(applied.members, owner), expectedCloseOn: closesOn },
    });
  }
  for (const { contact, assignee, ...task } of TASKS) {
    await post(shop, '/api/v1/tasks', {
      ...task,
      ...(contact === undefined ? {} : { phone: CONTACTS[contact].phone }),
      assigneeId: named(applied.members, assignee),
    });
  }
}

async function perform(shop: Shop, act: Act): Promise<void> {
  const { stack, applied, times } = shop;
  times.begin(act.at);
  const { phone, name, channel } = CONTACTS[act.contact];
  const channelId = named(applied.channels, channel).id;
  if ('writes' in act) {
    await stack.network.inbound({ channelId, from: phone, text: act.writes, name });
    return until(shop, act.contact, act.thenFlow ?? act.writes);
  }
  const id = await conversationOf(shop, act.contact);
  const path = `/api/v1/conversations/${id}`;
  const page = shop.pages.get(act.by) ?? assert.fail(`${act.by} is at work`);
  await asMember(page, `/panel/api/conversations/${id}/read`, {});
  if ('answers' in act) {
    const body = { channelId, conversationId: id, text: act.answers };
    await asMember(page, '/api/v1/messages', body);
    return until(shop, act.contact, act.answers);
  }
  if ('notes' in act) {
    return asMember(page, `${path}/notes`, { text: act.notes });
  }
  if ('assigns' in act) {
    return asMember(page, path, { assignedTo: named(applied.members, act.assigns) });
  }
  return asMember(page, path, { status: 'resolved' });
}

/** A call as the panel's own script makes it. */
async function asMember(page: Page, path: string, body: unknown): Promise<void> {
  const status = await page.evaluate(
    async ([to, text]) => {
      const headers = { 'content-type': 'application/json', 'x-recado-panel': '1' };
      return (await fetch(to, { method: 'POST', headers, body: text })).status;
    },
    [path, JSON.stringify(body)] as const,
  );
  assert.ok(status < 300, `${path}: ${status}`);
}

async function conversationOf({ stack }: Shop, contact: ContactRef): Promise<string> {
  const found = await waitFor(
    async () => {
      const { data } = await stack.conversations(KEY, '?limit=50');
      return data.find((each) => each.contact.phone === CONTACTS[contact].phone);
    },
    { what: `the conversation of ${contact}` },
  );
  return found.id;
}

/** Waits until the thread has the text, and every message of it was read. */
async function until(shop: Shop, contact: ContactRef, text: string): Promise<void> {
  const id = await conversationOf(shop, contact);
  await waitFor(
    async () => {
      const messages = await shop.stack.history(KEY, id);
      const isThere = messages.some((message) => message.text?.includes(text));
      return isThere && !messages.some(({ status }) => UNDER_WAY.has(status));
    },
    { what: `“${text}” in the thread of ${contact}` },
  );
}

/** Contents of the screens of integrations: a form's calls, and a deal that is won. */
async function closeDay(shop: Shop): Promise<void> {
  const { stack, applied } = shop;
  const path = `/api/webhooks/channel/${named(applied.channels, 'shop').id}`;
  for (const body of [
    { phone: '+55 47 98765-0111', name: 'Beatriz Couto', tags: ['orçamento'] },
    { phone: 'sem telefone', name: 'Formulário de teste' },
  ]) {
    await stack.request('POST', path, { key: SHOP_KEY, body });
  }
  const { phone } = CONTACTS.lucia;
  const body = { phone, title: 'Poltrona Verde', valueCents: 159_000 };
  const made = await post(shop, '/api/v1/deals', body);
  const { id } = v.parse(v.object({ data: v.object({ id: v.string() }) }), made).data;
  await post(shop, `/api/v1/deals/${id}`, { status: 'won' });
}
