/**
 * `recado templates sync`: lists the templates of an organization's business accounts now. The
 * command line asks again with the requests of its first call until all of them are served.
 */
import { TEMPLATE_SENTENCES } from '../../shared/api/template-sentences.ts';
import { answerOf } from '../../shared/wire/answer.ts';
import { timestamp } from '../../shared/wire/outbox.ts';
import type { SyncedAccount, SyncTemplates } from '../../shared/wire/queries.ts';
import {
  type ChannelConfiguration,
  loadConfiguration,
} from '../channel/readiness/configuration.ts';
import type { Environment } from '../environment.ts';
import { readOrganization } from '../organization/read-organization.ts';
import type { NamedAccount } from '../template/claim.ts';
import {
  type AccountChannel,
  accountOf,
  requestListing,
  synchronise,
} from '../template/synchronise.ts';
import type { Query } from './lists/answer.ts';

/** Shorter than an ask's deadline. */
const WAIT_MS = 5_000;

interface Asked {
  readonly account: NamedAccount;
  readonly channel: AccountChannel;
  readonly request: number;
}

export const syncTemplates: Query<'sync-templates'> = async (environment, query) => {
  const found = await channelsOf(environment, query);
  if (found === null) {
    const error = `there is no channel "${query.channel}"`;
    return { status: 404, body: JSON.stringify({ error }) };
  }
  const asked = await Promise.all(
    accountsOf(environment, found).map(async ([account, channel]) => {
      const request = query.requests?.[account.id] ?? (await requestListing(environment, account));
      return { account, channel, request };
    }),
  );
  const late = Promise.withResolvers<void>();
  const cancel = environment.clock.after(WAIT_MS, () => late.resolve());
  const listing = Promise.all(asked.map((each) => list(environment, each))).finally(cancel);
  await Promise.race([listing, late.promise]);
  const data = await Promise.all(asked.map((each) => stateOf(environment, each)));
  const reason = data.length > 0 ? null : emptyReason(found);
  return answerOf({ data, reason });
};

/** Null where no channel has that name. */
async function channelsOf(
  environment: Environment,
  { orgId, channel }: SyncTemplates,
): Promise<readonly ChannelConfiguration[] | null> {
  const organization = await readOrganization(environment.store, orgId, ['channels']);
  const present = (organization?.channels ?? []).filter(({ removed }) => removed !== true);
  const byRef = present.filter(({ ref }) => ref === channel);
  const byId = present.filter(({ id }) => id === channel);
  const named = byRef.length > 0 ? byRef : byId;
  if (channel !== null && named.length === 0) return null;
  const wanted = channel === null ? present : named;
  const loaded = await Promise.all(wanted.map(({ id }) => loadConfiguration(environment, id)));
  return loaded.filter((each) => each !== null);
}

/** Each account with one of its channels: an enabled one where there is one. */
function accountsOf(
  environment: Environment,
  channels: readonly ChannelConfiguration[],
): readonly (readonly [NamedAccount, AccountChannel])[] {
  const enabledLast = channels.toSorted(
    (one, other) => Number(one.entry.enabled) - Number(other.entry.enabled),
  );
  const byId = new Map(
    enabledLast.flatMap((channel) => {
      const account = accountOf(environment, channel);
      return account === null ? [] : [[account.id, [account, channel] as const] as const];
    }),
  );
  return [...byId.values()];
}

function emptyReason(channels: readonly ChannelConfiguration[]): string {
  const isCloud = channels.some(({ network }) => network.provider === 'cloud');
  return isCloud ? TEMPLATE_SENTENCES.noAccount : TEMPLATE_SENTENCES.noChannel;
}

/** Never rejects: the account's state shows the failure. */
async function list(environment: Environment, { channel }: Asked): Promise<void> {
  try {
    await synchronise(environment, channel, 'due');
  } catch (cause) {
    environment.log.warn({ cause }, 'templates not synchronised');
  }
}

async function stateOf(
  { store }: Environment,
  { account, request }: Asked,
): Promise<SyncedAccount> {
  const state = await store.byId('businessAccounts', account.id);
  return {
    id: account.id,
    businessAccountId: account.businessAccountId,
    request,
    done: (state?.served ?? 0) >= request,
    templates: state?.count ?? 0,
    syncedAt: state?.syncedAt == null ? null : timestamp(state.syncedAt),
    reason: state?.reason ?? null,
  };
}
