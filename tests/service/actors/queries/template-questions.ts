/** Questions about templates, of one account and of several, by every filter. */
import type { RareQuestion } from './rare-questions.ts';

const ONE = { accountId: 'wba_1', listing: 1 };
const SEVERAL = { $or: [ONE, { accountId: 'wba_2', listing: 2 }] };
const FILTERS = [{}, { status: 'PAUSED' }, { folded: { $regex: 'maria' } }];
const SORT = { name: 1, language: 1, templateId: 1 } as const;

export const TEMPLATE_QUESTIONS: readonly RareQuestion[] = [
  ...[ONE, SEVERAL].flatMap((accounts) =>
    FILTERS.flatMap((more): readonly RareQuestion[] => [
      {
        site: 'actors/queries/templates.ts 2',
        collection: 'templates',
        filter: { ...accounts, ...more },
        options: { sort: SORT, skip: 10, limit: 10 },
      },
      {
        site: 'actors/queries/templates.ts 3',
        how: 'count',
        collection: 'templates',
        filter: { ...accounts, ...more },
        options: {},
      },
    ]),
  ),
  {
    site: 'actors/queries/templates.ts 1',
    collection: 'templates',
    filter: { _id: { $in: ['tpl_1', 'tpl_2'] } },
    options: { project: { folded: 0 } },
  },
  {
    site: 'actors/queries/templates.ts 4',
    collection: 'businessAccounts',
    filter: { _id: { $in: ['wba_1', 'wba_2'] } },
    options: {},
  },
  {
    site: 'actors/template/find-template.ts 1',
    collection: 'organizations',
    filter: { _id: 'org_1' },
    options: { limit: 1, project: { 'channels.id': 1, 'channels.network': 1 } },
  },
  {
    site: 'actors/template/find-template.ts 2',
    collection: 'templates',
    filter: { ...ONE, name: 'modelo_7' },
    options: {},
  },
];
