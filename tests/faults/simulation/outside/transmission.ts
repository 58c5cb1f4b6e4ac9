/** Messages that the network was given, and their fates. */
import type { Provider } from '../../../../shared/vocabulary.ts';

/** One message that was transmitted to the network, in the order of transmission. */
export interface Transmission {
  readonly messageId: string;
  readonly channelId: string;
  readonly provider: Provider;
  readonly to: string;
  readonly text: string;
  /** Of a message with media, what the network would show; null when it has forgotten it. */
  readonly content?: string | null;
  /** The network id that it was transmitted with, where the network accepts one. */
  readonly ownId?: string;
  readonly at: number;
  readonly by: string;
  accepted: { readonly at: number; readonly externalId: string } | null;
  refused: boolean;
  /** Refused because the number may begin no conversations. */
  restricted?: true;
  /** When a status that names it reached the service. */
  reportedAt: number | null;
}
