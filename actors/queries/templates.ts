/** GET /api/v1/templates: by name, then language, of the listings that are shown (D286). */
import { TEMPLATE_SENTENCES } from '../../shared/api/template-sentences.ts';
import { accountId } from '../../shared/entity-ids.ts';
import type { SizedDocument } from '../../shared/ports/sized-document.ts';
import { foldText } from '../../shared/text/fold.ts';
import type { ListTemplates } from '../../shared/wire/queries.ts';
import type { ChannelEntry } from '../domain/organization.ts';
import { parametersOf } from '../domain/template/parameters.ts';
import type { Environment } from '../environment.ts';
import type { Filter } from '../model/collections.ts';
import type { AccountDocument, TemplateDocument } from '../model/template.ts';
import { readOrganization } from '../organization/read-organization.ts';
import { literal } from './conversations/contacts.ts';
import { type Query, skipOf } from './lists/answer.ts';
import type { Lists } from './lists/page.ts';
import { answerPage, type Listing, ROWS } from './lists/parts.ts';

/** Listings follow each other within seconds at most. */
const READS_MAX = 5;

export const TEMPLATES: Listing<ListTemplates, Shown> = {
  rest: 'templates-rest',
  read: (store, ids) => store.find('templates', ids, { project: { folded: 0 } }),
  show: async (_environment, _query, documents) => documents.map(renderTemplate),
};

type Shown = Omit<TemplateDocument, 'folded'>;

function renderTemplate(document: Shown): object {
  const { templateId: id, name, language, category, status, quality, components } = document;
  const parameters = parametersOf(document);
  return { id, name, language, category, status, quality, parameters, components };
}

export function listTemplates(lists: Lists): Query<'templates'> {
  return async (environment, query) => {
    const { rows, total, reason } = await readPage(environment, query);
    return answerPage(lists, TEMPLATES, { query, rows, total, before: { reason } });
  };
}

interface TemplatePage {
  readonly rows: readonly SizedDocument<TemplateDocument>[];
  readonly total: number;
  readonly reason: string | null;
}

/** A page of whole listings: read anew where another listing is shown afterwards. */
async function readPage(environment: Environment, query: ListTemplates): Promise<TemplatePage> {
  const { store } = environment;
  let found = await accountsOf(environment, query);
  for (let reads = 1; ; reads++) {
    const { accounts, reason } = found;
    const filter = filterOf(accounts, query);
    if (filter === null) return { rows: [], total: 0, reason };
    const [rows, total] = await Promise.all([
      store.find('templates', filter, {
        ...ROWS,
        sort: { name: 1, language: 1, templateId: 1 },
        skip: skipOf(query),
        limit: query.limit,
      }),
      store.count('templates', filter),
    ]);
    found = await accountsOf(environment, query);
    if (reads === READS_MAX || shownIn(accounts) === shownIn(found.accounts)) {
      return { rows, total, reason };
    }
  }
}

function shownIn(accounts: readonly AccountDocument[]): string {
  return JSON.stringify(accounts.map(({ _id, shown }) => [_id, shown]));
}

/** Null where no template is shown. */
function filterOf(
  accounts: readonly AccountDocument[],
  { status, query }: ListTemplates,
): Filter<'templates'> | null {
  const listings = accounts
    .filter(({ shown }) => shown > 0)
    .map(({ _id, shown }) => ({ accountId: _id, listing: shown }));
  const [only, another] = listings;
  if (only === undefined) return null;
  return {
    ...(another === undefined ? only : { $or: listings }),
    ...(status === undefined ? {} : { status: status.toUpperCase() }),
    ...(query === undefined ? {} : { folded: { $regex: literal(foldText(query)) } }),
  };
}

interface FoundAccounts {
  readonly accounts: readonly AccountDocument[];
  /** Null where there are templates. */
  readonly reason: string | null;
}

async function accountsOf(
  environment: Environment,
  { orgId, channelId }: ListTemplates,
): Promise<FoundAccounts> {
  const organization = await readOrganization(environment.store, orgId, ['channels']);
  const present = (organization?.channels ?? []).filter(({ removed }) => removed !== true);
  const asked = present.filter(({ id }) => channelId === undefined || id === channelId);
  const cloud = asked.filter(({ provider }) => provider === 'cloud');
  if (cloud.length === 0) {
    const { noCloudChannel, noChannel } = TEMPLATE_SENTENCES;
    return { accounts: [], reason: asked.length > 0 ? noCloudChannel : noChannel };
  }
  const ids = accountIdsOf(environment, orgId, cloud);
  if (ids.length === 0) return { accounts: [], reason: TEMPLATE_SENTENCES.noAccount };
  const accounts = await environment.store.find('businessAccounts', { _id: { $in: [...ids] } });
  return { accounts, reason: reasonOf(accounts) };
}

function accountIdsOf(
  { ids }: Environment,
  orgId: string,
  channels: readonly ChannelEntry[],
): readonly string[] {
  const own = channels.flatMap(({ network: { businessAccountId } }) => businessAccountId ?? []);
  return [...new Set(own)].map((each) => accountId(ids, orgId, each));
}

function reasonOf(accounts: readonly AccountDocument[]): string | null {
  if (accounts.some(({ count }) => count > 0)) return null;
  const failed = accounts.find(({ reason }) => reason !== null);
  if (failed) return failed.reason;
  const { notSynchronised, noTemplates } = TEMPLATE_SENTENCES;
  return accounts.some(({ shown }) => shown > 0) ? noTemplates : notSynchronised;
}
