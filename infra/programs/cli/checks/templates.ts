/** Whether the templates of every business account in use were read the last time. */
import type { Db } from 'mongodb';
import * as v from 'valibot';
import type { DoctorRow } from '../../../../shared/panel/operation.ts';
import { failed, passed } from './check.ts';
import { readOrganizations } from './organizations.ts';

const NAME = 'templates';

const channelSchema = v.object({
  ref: v.string(),
  provider: v.string(),
  enabled: v.boolean(),
  removed: v.optional(v.boolean()),
  network: v.looseObject({ businessAccountId: v.optional(v.string()) }),
});
const organizationSchema = v.object({
  _id: v.string(),
  ref: v.string(),
  removed: v.optional(v.boolean()),
  channels: v.array(channelSchema),
});
const accountSchema = v.object({
  orgId: v.string(),
  businessAccountId: v.string(),
  count: v.number(),
  reason: v.nullable(v.string()),
});

interface InUse {
  /** `org/channel`. */
  readonly name: string;
  readonly orgId: string;
  readonly businessAccountId: string | undefined;
}

export async function checkTemplates(db: Db): Promise<DoctorRow> {
  const [organizations, stored] = await Promise.all([
    readOrganizations(db, ['ref', 'removed', 'channels'], organizationSchema),
    db.collection('businessAccounts').find().toArray(),
  ]);
  const channels = inUse(organizations);
  // Thousands of accounts: each with all channels would stop a process for seconds.
  const byAccount = Map.groupBy(channels, accountOf);
  const accounts = v
    .parse(v.array(accountSchema), stored)
    .map((account) => ({ ...account, of: byAccount.get(accountOf(account)) ?? [] }))
    .filter(({ of }) => of.length > 0);
  const unread = accounts.flatMap(({ of, reason }) =>
    reason === null ? [] : [{ channels: of.map(nameOf), reason }],
  );
  if (unread.length > 0) {
    const params = { of: accounts.length, accounts: unread };
    const remedy = { code: 'readTemplates', params: {} } as const;
    return failed(NAME, [{ code: 'templatesUnread', params }], remedy);
  }
  const count = accounts.reduce((sum, account) => sum + account.count, 0);
  const read = { code: 'templatesRead', params: { count, accounts: accounts.length } } as const;
  const bare = channels.filter(({ businessAccountId }) => businessAccountId === undefined);
  if (bare.length === 0) return passed(NAME, read);
  return passed(NAME, read, { code: 'noAccount', params: { channels: bare.map(nameOf) } });
}

function inUse(
  organizations: readonly v.InferOutput<typeof organizationSchema>[],
): readonly InUse[] {
  return organizations
    .filter(({ removed }) => removed !== true)
    .flatMap(({ _id: orgId, ref, channels }) =>
      channels
        .filter((channel) => channel.enabled && channel.removed !== true)
        .filter(({ provider }) => provider === 'cloud')
        .map(({ ref: channel, network: { businessAccountId } }) => {
          return { name: `${ref}/${channel}`, orgId, businessAccountId };
        }),
    );
}

function nameOf({ name }: InUse): string {
  return name;
}

/** The same for an account and the channels that name it. */
function accountOf({ orgId, businessAccountId }: Pick<InUse, 'orgId' | 'businessAccountId'>) {
  return `${orgId}/${businessAccountId ?? ''}`;
}
