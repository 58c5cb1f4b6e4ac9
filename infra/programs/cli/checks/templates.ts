/** Whether the templates of every business account in use were read the last time. */
import type { Db } from 'mongodb';
import * as v from 'valibot';
import type { DoctorRow } from '../../../../shared/panel/operation.ts';
import { failed, passed } from './check.ts';

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
    db
      .collection('organizations')
      .find({}, { projection: { ref: 1, removed: 1, channels: 1 } })
      .toArray(),
    db.collection('businessAccounts').find().toArray(),
  ]);
  const channels = inUse(v.parse(v.array(organizationSchema), organizations));
  const accounts = v
    .parse(v.array(accountSchema), stored)
    .map((account) => ({ ...account, of: channels.filter((channel) => isOf(channel, account)) }))
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

function isOf(
  channel: InUse,
  account: Pick<v.InferOutput<typeof accountSchema>, 'orgId' | 'businessAccountId'>,
): boolean {
  return channel.orgId === account.orgId && channel.businessAccountId === account.businessAccountId;
}
