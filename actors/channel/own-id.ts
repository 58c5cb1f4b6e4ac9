/**
 * The id that a network is given with a message: journaled with the mark of the first attempt, so
 * that each repeat goes under it and the network can be asked for it.
 */

import type { ChannelSendAgenda } from './batch-context.ts';
import type { ChannelConfiguration, ChannelEnvironment } from './configuration.ts';

interface Marked {
  readonly _id: string;
  readonly send: ChannelSendAgenda;
}

/** Nothing where the network makes its ids itself. */
export function ownIdOf(
  { networks }: Pick<ChannelEnvironment, 'networks'>,
  { network }: Pick<ChannelConfiguration, 'network'>,
  { _id: messageId, send }: Marked,
): { readonly ownId?: string } {
  const known = send.ownId;
  const ownId = known ?? networks.driver(network.provider).ownIdOf?.(network, messageId) ?? null;
  return ownId === null ? {} : { ownId };
}
