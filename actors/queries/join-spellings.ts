/**
 * `recado contacts join`: asks the number's own contact wherever one is stored under another
 * spelling; that one joins them (`contact/join-spellings.ts`). Each part is a page of an
 * organization's contacts, and the last one answers.
 */
import { contactId } from '../../shared/entity-ids.ts';
import { ASK_DEADLINE_MS } from '../../shared/limits.ts';
import { phoneKey, SPELLED_PREFIXES } from '../../shared/text/phone-spellings.ts';
import { answerOf, bodyOfSuccess } from '../../shared/wire/answer.ts';
import { readContact } from '../contact/read-contact.ts';
import type { Environment } from '../environment.ts';
import type { Query } from './lists/answer.ts';

const PAGE = 100;

export const joinSpellings: Query<'join-spellings'> = async (environment, part) => {
  const { orgId, prefix = 0, after = '' } = part;
  const { store } = environment;
  let { found = 0, joined = 0 } = part;
  const from = SPELLED_PREFIXES[prefix];
  if (from === undefined) return answerOf({ found, joined });
  // Of digits alone: a colon is behind the nine.
  const range = { $gt: after || from, $lt: `${from}:` };
  const page = await store.find(
    'contacts',
    { orgId, phone: range },
    {
      ...{ index: { orgId: 1, phone: 1 }, sort: { phone: 1 }, limit: PAGE },
      project: { phone: 1, mergedInto: 1 },
    },
  );
  for (const { _id, phone } of page.filter((each) => phoneKey(each.phone) !== each.phone)) {
    found += 1;
    if (await join(environment, { orgId, id: _id, phone })) joined += 1;
  }
  const last = page.length < PAGE ? undefined : page.at(-1)?.phone;
  const cursor = last === undefined ? { prefix: prefix + 1 } : { prefix, after: last };
  const payload = { orgId, found, joined, ...cursor };
  return { status: 200, body: '', rest: { resource: 'join-spellings', payload } };
};

/** Whether there were two contacts, which are one now. */
async function join(
  { store, bus, ids, clock }: Environment,
  { orgId, id, phone }: { readonly orgId: string; readonly id: string; readonly phone: string },
): Promise<boolean> {
  const key = contactId(ids, orgId, phone);
  const before = await readContact(store, key);
  const command = { id: ids.fresh('cmd'), type: 'locate', orgId, phone } as const;
  const deadline = clock.now() + ASK_DEADLINE_MS;
  bodyOfSuccess(await bus.ask({ kind: 'contact', key }, command, { deadline }), 'not joined');
  return before !== null && before._id !== id;
}
