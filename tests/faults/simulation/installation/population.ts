/**
 * Organizations, numbers and their load. An organization's share of the numbers is by Zipf's law:
 * the second has half as many as the first, and so on. A number's messages are by a Pareto
 * distribution (α = 1.5): one in a thousand has a hundred times as many as the least.
 */
import { createIds } from '../../../../infra/adapters/ids/ids.ts';
import { channelId, entryId, organizationId } from '../../../../shared/entity-ids.ts';
import { PARTITIONS } from '../../../../shared/limits.ts';
import type { Ids } from '../../../../shared/ports/ids.ts';
import type { ActorKind } from '../../../../shared/vocabulary.ts';
import { partitionOf } from '../../../../shared/wire/subjects.ts';
import type { SeededRandom } from '../world/seeded-random.ts';

const PARETO_ALPHA = 1.5;
const FIRST_PHONE = 5_511_900_000_000;
const SALT = Buffer.alloc(32, 7);

/** Kinds that are loaded by messages; a conversation has its channel's partition (D115). */
export const LOADED = ['channel', 'organization', 'subscription'] as const satisfies ActorKind[];
export type Loaded = (typeof LOADED)[number];

export interface Population {
  /** Of each kind's partitions, shares of all messages. */
  readonly load: Readonly<Record<Loaded, Float64Array>>;
  /** Of all messages. */
  readonly largestOrganization: number;
  readonly largestNumber: number;
  /** Numbers of the largest organization. */
  readonly mostNumbers: number;
}

/** Zipf's law in whole numbers: what is left over goes to the largest. */
export function sizesOf(organizations: number, numbers: number): readonly number[] {
  const ranks = Array.from({ length: organizations }, (_, at) => 1 / (at + 1));
  const whole = ranks.reduce((sum, share) => sum + share, 0);
  const sizes = ranks.map((share) => Math.floor((numbers * share) / whole));
  let left = numbers - sizes.reduce((sum, size) => sum + size, 0);
  return sizes.map((size) => (left-- > 0 ? size + 1 : size));
}

/**
 * A channel's partition is in the prefix of its id, which depends on the organization and `ref`
 * alone: the 22 characters behind it need no HMAC.
 */
const PREFIXED: Ids = {
  ...createIds(SALT),
  derive: (prefix) => `${prefix}_0000000000000000000000`,
};

/** Every number has the id and the partition that the product gives it. */
export function populate(
  { organizations, numbers }: { readonly organizations: number; readonly numbers: number },
  random: SeededRandom,
): Population {
  const ids = createIds(SALT);
  const load = {
    channel: new Float64Array(PARTITIONS),
    organization: new Float64Array(PARTITIONS),
    subscription: new Float64Array(PARTITIONS),
  };
  const add = (kind: Loaded, key: string, messages: number): void => {
    const partition = partitionOf(kind, key);
    load[kind][partition] = (load[kind][partition] ?? 0) + messages;
  };
  let [all, largestOrganization, largestNumber, phone] = [0, 0, 0, FIRST_PHONE];
  const sizes = sizesOf(organizations, numbers);
  for (const [at, size] of sizes.entries()) {
    const orgId = organizationId(ids, `customer-${at}`);
    let messages = 0;
    for (let count = 0; count < size; count++) {
      const of = (1 - random.unit()) ** (-1 / PARETO_ALPHA);
      add('channel', channelId(PREFIXED, { orgId, ref: `${phone++}` }), of);
      messages += of;
      largestNumber = Math.max(largestNumber, of);
    }
    add('organization', orgId, messages);
    add('subscription', entryId(ids, 'sub', { orgId, ref: 'main' }), messages);
    all += messages;
    largestOrganization = Math.max(largestOrganization, messages);
  }
  const shares = (loads: Float64Array): Float64Array => loads.map((sum) => sum / all);
  return {
    load: {
      channel: shares(load.channel),
      organization: shares(load.organization),
      subscription: shares(load.subscription),
    },
    largestOrganization: largestOrganization / all,
    largestNumber: largestNumber / all,
    mostNumbers: sizes[0] ?? 0,
  };
}
