/**
 * Check for two channels with the same network number. Only older files could cause this, because
 * `apply` refuses it. Both channels send, and only one of them receives the contacts' messages.
 */
import type { Db } from 'mongodb';
import * as v from 'valibot';
import { networkNumberOf } from '../../../../shared/provisioning/network-number.ts';
import { PROVIDERS } from '../../../../shared/vocabulary.ts';
import { type Check, fail, pass } from './check.ts';

const NAME = 'duplicates';
const NAMED_MAX = 10;

const channelSchema = v.object({
  ref: v.string(),
  provider: v.picklist(PROVIDERS),
  removed: v.optional(v.boolean(), false),
  network: v.record(v.string(), v.string()),
});
const organizationSchema = v.object({
  ref: v.string(),
  removed: v.optional(v.boolean(), false),
  channels: v.array(channelSchema),
});
type Organization = v.InferOutput<typeof organizationSchema>;

export async function checkDuplicates(db: Db): Promise<Check> {
  const projection = {
    ...{ ref: 1, removed: 1, 'channels.ref': 1, 'channels.provider': 1, 'channels.removed': 1 },
    ...{ 'channels.network.baseUrl': 1, 'channels.network.phoneNumberId': 1 },
    'channels.network.session': 1,
  };
  const found = await db.collection('organizations').find({}, { projection }).toArray();
  return judgeDuplicates(v.parse(v.array(organizationSchema), found));
}

export function judgeDuplicates(organizations: readonly Organization[]): Check {
  const held = Map.groupBy(
    organizations.filter(({ removed }) => !removed).flatMap(numbersOf),
    ({ key }) => key,
  );
  const shared = [...held.values()].filter((holders) => holders.length > 1);
  if (shared.length === 0) return pass(NAME, `${held.size} network numbers, each of one channel`);
  const named = shared.slice(0, NAMED_MAX).map((holders) => {
    const [{ setting, number } = { setting: '', number: '' }] = holders;
    return `${setting} ${number} is that of ${holders.map(({ name }) => name).join(' and ')}`;
  });
  const more = shared.length > NAMED_MAX ? `; ${shared.length - NAMED_MAX} more` : '';
  return fail(
    NAME,
    `${named.join('; ')}${more}`,
    'Keep one channel of each number: remove the others with recado apply (remove: true).',
  );
}

function numbersOf({ ref: org, channels }: Organization) {
  return channels.flatMap(({ ref, provider, network, removed }) => {
    const number = removed ? null : networkNumberOf(provider, network);
    return number === null ? [] : [{ ...number, name: `${org}/${ref}` }];
  });
}
