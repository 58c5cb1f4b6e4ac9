/** `recado tags list`: an organization's tags, in their order without regard to case. */
import { TAGS_MAX_PER_ORGANIZATION } from '../../shared/limits.ts';
import type { Answer } from '../../shared/ports/bus.ts';
import type { Store } from '../../shared/ports/store.ts';
import { foldTag } from '../domain/organization/tags.ts';
import { readOrganization } from '../organization/documents.ts';
import { tagPage } from '../organization/tags.ts';
import type { Query } from './answer.ts';

interface ListTags {
  readonly orgId: string;
  /** The most tags to list. */
  readonly limit?: number;
  /** End of the previous part, in a list that continues. */
  readonly from?: { readonly after: string; readonly answered: number };
}

/** Some hundred bytes each. */
const PART_MAX = 1_000;

export const listTags: Query<ListTags> = async ({ store }, query): Promise<Answer> => {
  const { orgId, from } = query;
  const most = Math.min(query.limit ?? TAGS_MAX_PER_ORGANIZATION, TAGS_MAX_PER_ORGANIZATION);
  const answered = from?.answered ?? 0;
  const limit = Math.min(PART_MAX, most - answered);
  const page = await tagPage(store, orgId, { after: from?.after ?? '', limit });
  const rows = page.map(({ name }) => rowOf(orgId, name));
  const unmoved = from ? [] : await ofEarlierState(store, orgId, rows);
  const data = [...unmoved, ...rows].map((row) => JSON.stringify(row)).join(',');
  const body = `${from ? '' : '{"data":['}${from && data !== '' ? ',' : ''}${data}`;
  const last = page.at(-1);
  if (!last || page.length < limit || answered + limit === most) {
    return { status: 200, body: `${body}]}` };
  }
  const next = { after: foldTag(last.name), answered: answered + limit };
  return { status: 200, body, rest: { resource: 'tags', payload: { ...query, from: next } } };
};

interface Row {
  readonly id: string;
  readonly ref: string;
}

function rowOf(orgId: string, name: string): Row {
  return { id: `${orgId}/${foldTag(name)}`, ref: name };
}

/** Tags that are still in the organization's own document. */
async function ofEarlierState(store: Store, orgId: string, known: readonly Row[]) {
  const organization = await readOrganization(store, orgId, ['tags']);
  const names = new Set(known.map(({ id }) => id));
  const rows = (organization?.tags ?? []).map((name) => rowOf(orgId, name));
  return rows.filter(({ id }) => !names.has(id));
}
