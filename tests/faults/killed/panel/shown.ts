/** Open pages beside the lists of the API: every difference, in words. */
import type { Page } from 'playwright-core';
import * as v from 'valibot';
import { ListDealsAnswer } from '../../../../shared/api/deal.ts';
import { ListMessagesAnswer } from '../../../../shared/api/message.ts';
import { ListPipelinesAnswer } from '../../../../shared/api/pipeline.ts';
import type { PanelFixture } from '../../../support/panel/panel-fixture.ts';

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
const MEMBERS = new Map([
  ['ana', 'Ana Souza'],
  ['bia', 'Bia Reis'],
]);

async function read<S extends v.GenericSchema>(
  { stack, shop }: PanelFixture,
  schema: S,
  path: string,
): Promise<v.InferOutput<S>> {
  const answer = await stack.request('GET', path, { key: shop.key });
  return v.parse(schema, answer.json);
}

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

/** Name, last message, status and assignee of every conversation. */
export async function listDifferences(panel: PanelFixture, page: Page): Promise<readonly string[]> {
  const { data } = await panel.stack.conversations(panel.shop.key, '?limit=50');
  const { members } = panel.shop.applied;
  const nameOf = (memberId: string | null): string => {
    const [ref = ''] = Object.entries(members).find(([, id]) => id === memberId) ?? [];
    return MEMBERS.get(ref) ?? '';
  };
  const items = page.getByRole('list', { name: 'Conversas' }).getByRole('listitem');
  const wanted = data.map(({ contact, lastMessagePreview, status, assignedTo }) => [
    contact.name ?? '',
    lastMessagePreview ?? '',
    STATUSES[status],
    nameOf(assignedTo),
  ]);
  return compare('Conversas', wanted, await items.allInnerTexts());
}

/** Texts and states of the newest messages: the page draws as many as fit beside its screen. */
export async function threadDifferences(
  panel: PanelFixture,
  page: Page,
  conversationId: string,
): Promise<readonly string[]> {
  const path = `/api/v1/messages?conversationId=${conversationId}&includeNotes=true&limit=200`;
  const { data } = await read(panel, ListMessagesAnswer, path);
  const articles = page.getByRole('log', { name: 'Mensagens' }).getByRole('article');
  const shown = await articles.allInnerTexts();
  if (shown.length < Math.min(SHOWN_AT_LEAST, data.length)) return [`${shown.length} messages`];
  const newest = data.slice(0, shown.length).reverse();
  const wanted = newest.map(({ text, status, direction }) => [
    text ?? '',
    direction === 'out' ? (STATES.get(status) ?? status) : '',
  ]);
  return compare('Mensagens', wanted, shown);
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
    const wanted = data.map(({ title, contact }) => [title, contact.name ?? '']);
    different.push(...compare(name, wanted, await cards.allInnerTexts()));
  }
  return different;
}
