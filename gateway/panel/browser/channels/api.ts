/** Channels as the panel reads them. */
import type { QueueBacklog } from '../../../../shared/api/channel.ts';
import type { ChannelRow, KeyRow } from '../../../../shared/provisioning/commands.ts';

type Addresses = 'network' | 'inboundWebhookUrl' | 'networkWebhookUrl';

/** Addresses and keys are told to those who may make a key. */
export interface PanelChannel
  extends Omit<ChannelRow, Addresses>,
    Partial<Pick<ChannelRow, Addresses>>,
    Partial<QueueBacklog> {
  /** What of the queue waits in bulk. */
  readonly bulk?: QueueBacklog;
  readonly keys?: readonly Omit<KeyRow, 'ref' | 'scope' | 'channelId' | 'revokedAt'>[];
  readonly restriction?: { readonly until: string | null; readonly message: string };
}

export const CHANNELS_PATH = '/panel/api/channels';
