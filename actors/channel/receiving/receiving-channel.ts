/** The parts of a channel that the events of its network use. */
import type { Readiness, Restriction } from '../../../shared/ports/network-event.ts';
import type { KeyedMutex } from '../../runtime/concurrency.ts';
import type { ChannelConfiguration, ChannelEnvironment } from '../readiness/configuration.ts';
import type { SentIndex } from '../sending/sent-index.ts';
import type { UnmatchedReceipts } from '../sending/unmatched-receipts.ts';
import type { ContactCache } from './resolve-contact.ts';
import type { UnmatchedChanges } from './unmatched-changes.ts';

/** The parts that route one event. */
export interface RoutingContext {
  readonly channelId: string;
  readonly environment: ChannelEnvironment;
  readonly sent: SentIndex;
  readonly contacts: ContactCache;
  readonly unmatched: UnmatchedReceipts;
}

export interface ReceivingChannel extends RoutingContext {
  readonly unmatchedChanges: UnmatchedChanges;
  readonly mutex: KeyedMutex;
  readonly configuration: () => Promise<ChannelConfiguration | null>;
  /** The id of the conversation's first message to send, which may be in flight. */
  readonly oldestOf: (conversationId: string) => string | undefined;
  /** Resolves when no message of the conversation is in flight. */
  readonly whenIdle: (conversationId: string) => Promise<void>;
  readonly contactWrote: (conversationId: string) => void;
  /** Resolves when the readiness is reported. */
  readonly learnReadiness: (readiness: Readiness) => Promise<void>;
  /** Whether the session is known to be connected to another number than the channel's. */
  readonly isOtherNumber: () => boolean;
  /** A webhook names another number. */
  readonly learnOtherNumber: (stated: Readiness) => void;
  /** Null: the network restricts nothing. Resolves when the restriction is reported. */
  readonly learnRestriction: (restriction: Restriction | null) => Promise<void>;
  /** Called when the events of a webhook are committed. */
  readonly onEventsCommitted: () => void;
  /** Called when the media of a message may be due. */
  readonly onMediaDue: () => void;
  /** The templates of the account have changed. Resolves when the request to read them is kept. */
  readonly onTemplatesChanged: () => Promise<void>;
}
