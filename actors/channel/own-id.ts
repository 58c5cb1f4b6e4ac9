/**
 * Own id: the id that the network receives with a message. It is journaled with the mark of the
 * first attempt. Each repeat uses it, and a look-up can ask for it.
 */

import type { ChannelSendAgenda } from './batch-context.ts';
import type { ChannelConfiguration, ChannelEnvironment } from './configuration.ts';

interface Marked {
  readonly _id: string;
  readonly send: ChannelSendAgenda;
}

/** Empty where the network makes its own ids. */
export function ownIdOf(
  { networks }: Pick<ChannelEnvironment, 'networks'>,
  { network }: Pick<ChannelConfiguration, 'network'>,
  { _id: messageId, send }: Marked,
): { readonly ownId?: string } {
  const known = send.ownId;
  const ownId = known ?? networks.driver(network.provider).ownIdOf?.(network, messageId) ?? null;
  return ownId === null ? {} : { ownId };
}
