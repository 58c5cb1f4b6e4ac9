/** Open pages beside the lists of the API: every difference, in words. */
import type { Page } from 'playwright-core';
import { ListContactsAnswer } from '../../../../shared/api/contact.ts';
import { ListDealsAnswer } from '../../../../shared/api/deal.ts';
import { ListMessagesAnswer, type Message } from '../../../../shared/api/message.ts';
import { ListPipelinesAnswer } from '../../../../shared/api/pipeline.ts';
import { ListTasksAnswer } from '../../../../shared/api/task.ts';
import type { PanelFixture } from '../../../support/panel/panel-fixture.ts';
import { read } from './act.ts';

/** As many as fit into the window's height, at least. */
const SHOWN_AT_LEAST = 8;
const STATUSES = { open: 'Aberta', in_flow: 'Em fluxo', resolved: 'Resolvida' };
const STATES = new Map([
  ['queued', 'Na fila'],
  ['sent', 'Enviada'],
  ['delivered', 'Entregue'],
  ['read', 'Lida'],
  ['failed', 'Falhou'],
]);
const AMOUNT = new Intl.NumberFormat('pt-BR', { minimumFractionDigits: 2 });
const MEMBERS = new Map([
  ['ana', 'Ana Souza'],
  ['bia', 'Bia Reis'],
]);

/** Row by row: each has all of its texts. */
function compare(
  where: string,
  wanted: readonly (readonly string[])[],
  shown: readonly string[],
): readonly string[] {
  const different = wanted.flatMap((texts, index) => {
    const row = shown[index] ?? 'nothing';
    const missing = texts.filter((text) => !row.includes(text));
    return missing.length === 0 ? [] : [`${where} ${index}: ${missing.join(', ')} not in ${row}`];
  });
  const count = `${where}: ${shown.length} rows of ${wanted.length}`;
  return shown.length === wanted.length ? different : [...different, count];
}

/** Rows whose last messages are read: the API answers so many calls a minute. */
const STATES_READ = 6;

/** Name, last message, status and assignee of every conversation; of the newest, its receipt. */
export async function listDifferences(panel: PanelFixture, page: Page): Promise<readonly string[]> {
  const { data } = await panel.stack.conversations(panel.shop.key, '?limit=50');
  const { members } = panel.shop.applied;
  const items = page.getByRole('list', { name: 'Conversas' }).getByRole('listitem');
  const states = await Promise.all(
    data.slice(0, STATES_READ).map(({ id }) => lastState(panel, id)),
  );
  const wanted = data.map(({ contact, lastMessagePreview, status, assignedTo }, index) => [
    contact.name ?? '',
    lastMessagePreview ?? '',
    STATUSES[status],
    memberName(members, assignedTo),
    states[index] ?? '',
  ]);
  return compare('Conversas', wanted, await items.allInnerTexts());
}

/** Of the conversation's last message, as the page names it; empty for one of the contact. */
async function lastState(panel: PanelFixture, conversationId: string): Promise<string> {
  const path = `/api/v1/messages?conversationId=${conversationId}&limit=1`;
  const [last] = (await read(panel, ListMessagesAnswer, path)).data;
  return last?.direction === 'out' ? (STATES.get(last.status) ?? last.status) : '';
}

/**
 * Texts and states of the newest messages, with what they quote and our reaction: the page draws as
 * many as fit beside its screen.
 */
export async function threadDifferences(
  panel: PanelFixture,
  page: Page,
  conversationId: string,
): Promise<readonly string[]> {
  const path = `/api/v1/messages?conversationId=${conversationId}&includeNotes=true&limit=200`;
  const all = (await read(panel, ListMessagesAnswer, path)).data;
  const data = all.filter(({ kind }) => kind !== 'reaction');
  const articles = page.getByRole('log', { name: 'Mensagens' }).getByRole('article');
  const shown = await articles.allInnerTexts();
  if (shown.length < Math.min(SHOWN_AT_LEAST, data.length)) return [`${shown.length} messages`];
  const newest = data.slice(0, shown.length).reverse();
  const wanted = newest.map(({ id, text, status, direction, replyToId }) => [
    text ?? '',
    direction === 'out' ? (STATES.get(status) ?? status) : '',
    all.find((quoted) => quoted.id === replyToId)?.text ?? '',
    reactionOn(id, all),
  ]);
  return compare('Mensagens', wanted, shown);
}

/** Of messages that stand newest first. */
function reactionOn(id: string, messages: readonly Message[]): string {
  const [newest] = messages.filter(({ reaction }) => reaction?.messageId === id);
  return newest?.reaction?.emoji ?? '';
}

/** The contact beside the thread: name, e-mail and tags, and no other tag. */
export async function contactDifferences(
  panel: PanelFixture,
  page: Page,
  phone: string,
): Promise<readonly string[]> {
  const path = `/api/v1/contacts?phone=${phone}`;
  const [contact] = (await read(panel, ListContactsAnswer, path)).data;
  const pane = page.getByRole('complementary', { name: 'Contato' });
  const wanted = [contact?.name ?? '', contact?.email ?? ''];
  const tags = await pane.locator('.tag').allInnerTexts();
  return [
    ...compare('Contato', [wanted], await pane.allInnerTexts()),
    ...compare(
      'Etiquetas',
      (contact?.tags ?? []).map((tag) => [tag]),
      tags,
    ),
  ];
}

export async function tasksDifferences(
  panel: PanelFixture,
  page: Page,
): Promise<readonly string[]> {
  const { data } = await read(panel, ListTasksAnswer, '/api/v1/tasks?status=open');
  const rows = page.getByRole('main').getByRole('listitem');
  const { members } = panel.shop.applied;
  const wanted = data.map(({ title, assigneeId }) => [title, memberName(members, assigneeId)]);
  return compare('Tarefas', wanted, await rows.allInnerTexts());
}

function memberName(
  members: PanelFixture['shop']['applied']['members'],
  memberId: string | null,
): string {
  const [ref = ''] = Object.entries(members).find(([, id]) => id === memberId) ?? [];
  return MEMBERS.get(ref) ?? '';
}

/** Open deals of every stage, in the order of the API. */
export async function boardDifferences(
  panel: PanelFixture,
  page: Page,
): Promise<readonly string[]> {
  const { data: pipelines } = await read(panel, ListPipelinesAnswer, '/api/v1/pipelines');
  const different: string[] = [];
  for (const { id, name } of pipelines[0]?.stages ?? []) {
    const { data } = await read(panel, ListDealsAnswer, `/api/v1/deals?status=open&stageId=${id}`);
    const cards = page.getByRole('list', { name, exact: true }).getByRole('listitem');
    const wanted = data.map(({ title, contact, valueCents }) => [
      title,
      contact.name ?? '',
      AMOUNT.format(valueCents / 100),
    ]);
    different.push(...compare(name, wanted, await cards.allInnerTexts()));
  }
  return different;
}
