/**
 * Network numbers of an organization: each belongs to one channel in the whole installation.
 *
 * 1. Only a channel that newly claims a number is checked.
 * 2. `numbers` of the state holds the numbers. A unique index over it is the fence between two
 *    applies at one moment (infra/adapters/mongo/indexes).
 */
import type { Problem, ProblemAt } from '../../../shared/problems/provisioning.ts';
import {
  type NetworkNumber,
  networkNumberOf,
} from '../../../shared/provisioning/network-number.ts';
import type { EntryAtPath } from '../../../shared/provisioning/organization.ts';
import type { ProvisionedChannel } from '../../../shared/provisioning/schema.ts';
import { type ChannelEntry, type OrganizationState, present } from '../organization.ts';

/** A number that a channel claims; `path` is the file's property to which a problem refers. */
export interface ClaimedNumber extends NetworkNumber {
  readonly channelId: string;
  readonly path: string;
}

type ReservedNumber = NetworkNumber & { readonly channel: ChannelEntry };

/** Numbers of the channels that were not removed. */
function numbersOf(channels: readonly ChannelEntry[]): readonly ReservedNumber[] {
  return present(channels).flatMap((channel) => {
    const number = networkNumberOf(channel.provider, channel.network);
    return number === null ? [] : [{ ...number, channel }];
  });
}

/** Numbers of channels that are new, were restored, or had another number. */
export function claimedNumbers(
  before: readonly ChannelEntry[],
  after: readonly ChannelEntry[],
  wanted: readonly EntryAtPath<ProvisionedChannel>[],
): readonly ClaimedNumber[] {
  const had = new Set(numbersOf(before).map(({ key, channel }) => `${channel.id} ${key}`));
  const paths = new Map(wanted.map(({ path, entry }) => [entry.ref, path]));
  return numbersOf(after)
    .filter(({ key, channel }) => !had.has(`${channel.id} ${key}`))
    .map(({ channel, ...number }) => ({
      ...number,
      channelId: channel.id,
      path: `${paths.get(channel.ref) ?? 'channels'}.network.${number.setting}`,
    }));
}

/** Numbers for the state. */
export function reservedNumbers(channels: readonly ChannelEntry[]): readonly string[] {
  return [...new Set(numbersOf(channels).map(({ key }) => key))];
}

/** Two channels of one organization: the channel that newly claims the number is the problem. */
export function sharedWithin(
  channels: readonly ChannelEntry[],
  claimed: readonly ClaimedNumber[],
): readonly ProblemAt[] {
  const holders = numbersOf(channels);
  const judged = new Set<string>();
  return claimed.flatMap((each) => {
    judged.add(each.channelId);
    const other = holders.find(
      ({ key, channel }) =>
        key === each.key &&
        channel.id !== each.channelId &&
        (judged.has(channel.id) || !claimed.some(({ channelId }) => channelId === channel.id)),
    );
    return other ? [{ path: each.path, problem: numberConflict(other, null) }] : [];
  });
}

/** The same against other organizations, as they are stored. */
export function sharedWithOthers(
  orgId: string,
  claimed: readonly ClaimedNumber[],
  others: readonly Pick<OrganizationState, 'id' | 'ref' | 'channels'>[],
): readonly ProblemAt[] {
  const holders = new Map(
    others
      .filter(({ id }) => id !== orgId)
      .flatMap(({ ref, channels }) =>
        numbersOf(channels).map(
          (reserved) => [reserved.key, numberConflict(reserved, ref)] as const,
        ),
      ),
  );
  return claimed.flatMap(({ key, path }) => {
    const problem = holders.get(key);
    return problem === undefined ? [] : [{ path, problem }];
  });
}

function numberConflict({ channel }: ReservedNumber, organization: string | null): Problem {
  return { code: 'numberHeld', params: { channel: channel.ref, organization } };
}
