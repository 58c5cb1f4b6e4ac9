/** Business accounts, and the templates of their listings. */
import fc from 'fast-check';
import { NEW_ACCOUNT } from '../../../../../actors/domain/template/account.ts';
import type { Operation } from './operation.ts';
import {
  byId,
  committed,
  earlier,
  either,
  inserted,
  moment,
  noneOf,
  ORG,
  upserted,
} from './words.ts';

const accountId = either('acc_1', 'acc_2');
const templateId = either('tpl_1', 'tpl_2');
const { begun: _begun, claim: _claim, ...others } = NEW_ACCOUNT;
const { wanted: _wanted, ...uncounted } = NEW_ACCOUNT;

const claimed = fc.tuple(accountId, moment, moment).map(([_id, begun, number]) =>
  upserted(
    'businessAccounts',
    { _id, begun },
    {
      $set: { begun: number },
      $setOnInsert: { ...others, orgId: ORG, businessAccountId: '1' },
    },
  ),
);
const wanted = accountId.map((_id) =>
  upserted(
    'businessAccounts',
    { _id },
    {
      $inc: { wanted: 1 },
      $setOnInsert: { ...uncounted, orgId: ORG, businessAccountId: '1' },
    },
  ),
);
const ended = fc
  .tuple(accountId, earlier, moment)
  .map(([_id, before, now]) =>
    upserted('businessAccounts', { _id, ended: before }, { $set: { ended: now } }),
  );
const shown = fc
  .tuple(accountId, earlier, moment)
  .map(([_id, before, listing]) =>
    upserted(
      'businessAccounts',
      { _id, ended: before, shown: listing },
      { $set: { shown: listing } },
    ),
  );
const renewed = fc.tuple(accountId, moment, moment).map(([_id, number, at]) => {
  const filter = { _id, 'claim.number': number };
  return { update: 'businessAccounts', filter, change: { $set: { 'claim.until': at } } } as const;
});
const listed = fc
  .record({ _id: templateId, accountId, listing: moment })
  .map((document) => inserted('templates', document));
const removed = fc.tuple(accountId, earlier, noneOf(['1', '2'])).map(([of, before, { $nin }]) => {
  const listing = { ...before, $nin: $nin.map(Number) };
  return { remove: 'templates', filter: { accountId: of, listing } } as const;
});

export const templateOperations: fc.Arbitrary<Operation> = fc.oneof(
  committed(claimed),
  committed(wanted),
  committed(renewed),
  committed(ended),
  committed(shown),
  committed(listed),
  committed(removed),
  byId('businessAccounts', accountId),
  byId('templates', templateId),
);
