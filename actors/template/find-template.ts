/**
 * The template of a send, read from the record in the turn that sends it: a cache could be stale.
 */

import { TEMPLATE_SENTENCES } from '../../shared/api/template-sentences.ts';
import { accountId, listedTemplateId, templateId } from '../../shared/entity-ids.ts';
import type { ChannelEntry } from '../domain/organization.ts';
import type { FoundTemplate } from '../domain/template.ts';
import type { Environment } from '../environment.ts';
import type { AccountDocument } from '../model/template.ts';

type Reading = Pick<Environment, 'store' | 'ids'>;

interface Named {
  readonly name: string;
  readonly language: string;
}

const NO_ACCOUNT: FoundTemplate = {
  found: false,
  languages: [],
  reason: TEMPLATE_SENTENCES.noAccount,
};

/** The template of that name and language in the account of a channel. */
export async function findTemplate(
  environment: Reading,
  { orgId, channelId }: { readonly orgId: string; readonly channelId: string },
  named: Named,
): Promise<FoundTemplate> {
  const { store, ids } = environment;
  const filter = { _id: orgId };
  const project = { 'channels.id': 1, 'channels.network': 1 } as const;
  const organization = await store.findOne('organizations', filter, { project });
  const channel = organization?.channels.find(({ id }) => id === channelId);
  const businessAccountId = channel && businessAccountOf(channel);
  if (!businessAccountId) return NO_ACCOUNT;
  const id = accountId(ids, orgId, businessAccountId);
  for (;;) {
    const account = await store.byId('businessAccounts', id);
    const found = await findIn(environment, account, named);
    if (found.found) return found;
    // The templates of a listing are removed once a later one is shown.
    const shown = (await store.byId('businessAccounts', id))?.shown;
    if (shown === account?.shown) return found;
  }
}

/** The setting of a channel; absent on another network. */
function businessAccountOf({ network }: Pick<ChannelEntry, 'network'>): string | undefined {
  return network.businessAccountId;
}

async function findIn(
  { store, ids }: Reading,
  account: AccountDocument | null,
  named: Named,
): Promise<FoundTemplate> {
  if (account === null || account.shown === 0) {
    const reason = account?.reason ?? TEMPLATE_SENTENCES.notSynchronised;
    return { found: false, languages: [], reason };
  }
  const { _id: accountId, shown: listing } = account;
  const id = listedTemplateId(ids, templateId(ids, accountId, named), listing);
  const template = await store.byId('templates', id);
  if (template) return { found: true, template };
  const others = await store.find('templates', { accountId, listing, name: named.name });
  return { found: false, languages: others.map(({ language }) => language).toSorted() };
}
