/** The port to messaging networks: a driver's inputs and outputs (C13.1). */
import type { ChannelFinding } from '../channel-check.ts';
import type { MediaKind } from '../media.ts';
import type { NetworkFault } from '../network-fault.ts';
import type { Provider } from '../vocabulary.ts';
import type { ReadableFile } from './media.ts';

/** Everything a driver needs for one channel; secrets already opened. */
export interface NetworkChannel {
  readonly id: string;
  readonly provider: Provider;
  readonly phone: string;
  readonly network: Readonly<Record<string, string>>;
}

export interface OutboundText {
  /** Our message id, which `cloud` sends back in every status. */
  readonly messageId: string;
  /** The network's own id of the contact when known, else the canonical digits. */
  readonly to: string;
  readonly text: string;
  /** The network id of the message replied to. */
  readonly replyTo?: string;
  /** The network's id that the message is to have, journaled before (`NetworkDriver.ownIdOf`). */
  readonly ownId?: string;
}

/** The network lets a number begin no new conversations for a while; known chats go on. */
export interface Restriction {
  /** Epoch milliseconds; null where the network reports no end. */
  readonly until: number | null;
}

export interface OutboundMedia extends Omit<OutboundText, 'text'> {
  readonly kind: MediaKind;
  readonly caption: string | null;
  readonly mimeType: string;
  readonly fileName: string | null;
  /** By the name that `upload` gave it; the file itself where there is no upload. */
  readonly content: { readonly uploadId: string } | { readonly file: ReadableFile };
}

/** Nothing is sent by an upload: it is never in doubt. */
export type UploadOutcome =
  | { readonly outcome: 'uploaded'; readonly uploadId: string }
  | Extract<SendOutcome, { outcome: 'refused' | 'later' }>;

/** `body` rejects when the rest does not come; `discard` ends it, however much of it was read. */
export type MediaDownload =
  | {
      readonly downloaded: true;
      readonly body: AsyncIterable<Uint8Array>;
      readonly mimeType: string | null;
      readonly discard: () => void;
    }
  /** `final`: asking again will not help. */
  | { readonly downloaded: false; readonly final: boolean; readonly cause: string };

export type SendOutcome =
  | {
      readonly outcome: 'accepted';
      readonly externalId: string;
      /** The network's whole spelling, where `externalId` is one segment of it. */
      readonly fullId?: string;
      readonly networkId?: string;
    }
  /** Final: the message fails. `code` is the network's own, `reason` Portuguese. */
  | {
      readonly outcome: 'refused';
      readonly code: string;
      readonly reason: string;
      /** Set when the refusal is about the whole channel, which must stop sending (Portuguese). */
      readonly channelReason?: string;
      /** The file may be to blame: an upload that is known from before is worth renewing. */
      readonly aboutMedia?: boolean;
      /** The refusal is one of new conversations of this number, not of this message alone. */
      readonly restriction?: Restriction;
    }
  /**
   * A complete answer that means "not now"; nothing was sent. `channelReason` (Portuguese) is set
   * when the whole channel cannot send until its operator repairs it.
   */
  | {
      readonly outcome: 'later';
      readonly waitMs: number;
      readonly scope: 'number' | 'pair' | 'account';
      readonly channelReason?: string;
      /** The wait is the network's own: readiness does not end it. */
      readonly unprobed?: true;
      /**
       * Set when the fault may be in this very message: it fails with this (`reason` Portuguese)
       * once the network has repeated the error too often.
       */
      readonly failure?: { readonly code: string; readonly reason: string };
      /** Set where no usable answer came: the network could not be reached, or failed itself. */
      readonly fault?: NetworkFault;
      /** For the log: system code, status, code of the network. */
      readonly cause?: string;
    }
  /**
   * The answer was lost after the request was written, or decides nothing: it may have been sent.
   */
  | { readonly outcome: 'unknown'; readonly cause: string; readonly fault?: NetworkFault };

/** A send in doubt, as the network is asked about it. */
export interface DoubtfulSend extends OutboundText {
  readonly hasMedia?: boolean;
  /** Time of its first transmission, epoch milliseconds. */
  readonly handedOverAt: number;
  /** Network ids of messages that are accounted for: none of them is this one. */
  readonly recorded: ReadonlySet<string>;
}

export type SentLookup =
  | { readonly found: true; readonly externalId: string; readonly fullId?: string }
  /** It was not sent. */
  | { readonly found: false }
  /** The network answered, and its answer cannot decide it: no later look-up will. */
  | { readonly found: 'never'; readonly cause: string }
  /** The network did not answer: it has to be asked again. */
  | { readonly found: 'unknown'; readonly cause: string };

export type PhoneLookup =
  /** Digits, empty when the network does not report them, and the id by which to write to them. */
  | { readonly known: true; readonly phone: string; readonly networkId: string }
  /** The network did not answer: it has to be asked again. */
  | { readonly known: false; readonly cause: string };

export type Readiness =
  /**
   * `restriction`: absent where the network reports nothing on one, null where it reports that
   * there is none.
   */
  | { readonly ready: true; readonly restriction?: Restriction | null }
  /** `holdMs`: the network's own wait, which a probe that finds it ready does not end. */
  | { readonly ready: false; readonly reason: string; readonly holdMs?: number }
  /**
   * The request failed, or its answer decides nothing; `cause` is for the log. `fault` is absent
   * where the network answered that it cannot decide now.
   */
  | { readonly ready: 'unknown'; readonly cause: string; readonly fault?: NetworkFault };

export interface InboundMedia {
  readonly networkMediaId: string;
  readonly url?: string;
  readonly mimeType: string;
  readonly fileName?: string;
  readonly sizeBytes?: number;
}

/** The person behind an entry of a webhook. */
export interface NetworkPerson {
  /** Digits, or empty when the network shows only an opaque id. */
  readonly phone: string;
  /** The id by which to write to the person. */
  readonly networkId: string;
  /** Other ids of the same person that the network reports with it. */
  readonly aliases?: readonly string[];
}

/** Changes a message that is known already: by its author, the contact or our own phone. */
interface MessageChange extends NetworkPerson {
  /** Of the message that is changed. */
  readonly externalId: string;
  /** Whether our own number wrote the message. */
  readonly fromMe: boolean;
  readonly at: number;
}

/** One entry of a network's webhook batch, in the service's form. Times are epoch milliseconds. */
export type NetworkEvent =
  | (NetworkPerson & {
      readonly type: 'message';
      /** One per message, whatever its spelling (`fullId`): a batch may report it twice. */
      readonly externalId: string;
      readonly fullId?: string;
      readonly profileName?: string;
      readonly kind: string;
      readonly text: string | null;
      readonly media?: InboundMedia;
      readonly replyToExternalId?: string;
      /** The advertisement or post behind the message; the contact did not write it. */
      readonly referral?: string;
      readonly at: number;
    })
  /** A person typed on the connected phone itself. */
  | (NetworkPerson & {
      readonly type: 'echo';
      readonly externalId: string;
      readonly fullId?: string;
      readonly kind: string;
      readonly text: string | null;
      readonly media?: InboundMedia;
      readonly at: number;
    })
  | (MessageChange & { readonly type: 'edit'; readonly text: string | null })
  | (MessageChange & { readonly type: 'deletion' })
  /** Ids of one person, reported without a message. */
  | (NetworkPerson & { readonly type: 'identity' })
  /** A person writes from another number from now on; the old one may become someone else's. */
  | {
      readonly type: 'number-change';
      readonly from: NetworkPerson;
      readonly to: NetworkPerson;
      readonly at: number;
    }
  | {
      readonly type: 'receipt';
      readonly externalId: string;
      readonly fullId?: string;
      /** Our message id, when the network sends it back. */
      readonly messageId?: string;
      readonly status: 'sent' | 'delivered' | 'read' | 'failed';
      /** Digits of the contact, when the network shows them. */
      readonly phone?: string;
      readonly networkId?: string;
      readonly error?: { readonly code: string; readonly message: string };
      readonly at: number;
    }
  | { readonly type: 'readiness'; readonly readiness: Readiness }
  /** Null: it has ended. */
  | { readonly type: 'restriction'; readonly restriction: Restriction | null };

export interface WebhookRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly rawBody: Uint8Array;
}

export type WebhookOutcome =
  | {
      readonly verified: true;
      readonly events: readonly NetworkEvent[];
      /** Entries of the batch that were malformed or of no known kind, for the log. */
      readonly skipped?: number;
      /** Changes that were for another number (session) of the same app. */
      readonly foreign?: number;
    }
  /** Signature missing or wrong: 401. */
  | { readonly verified: false }
  /** Verified, but not JSON or not of the network's shape: 400. */
  | { readonly verified: true; readonly malformed: string };

/** One small port for both networks; there is no simulator branch behind it. */
export interface NetworkDriver {
  /**
   * The network's id for sending a message: always the same for the same message, so that a repeat
   * is recognised. Null where the network makes its ids itself.
   */
  ownIdOf?(channel: NetworkChannel, messageId: string): string | null;
  sendText(channel: NetworkChannel, message: OutboundText): Promise<SendOutcome>;
  sendMedia(channel: NetworkChannel, message: OutboundMedia): Promise<SendOutcome>;
  /** Uploads a file to the network before it is sent; absent where it is part of the message. */
  upload?(channel: NetworkChannel, file: ReadableFile): Promise<UploadOutcome>;
  /** Begins the download of a contact's file. Never rejects. */
  download(channel: NetworkChannel, media: InboundMedia): Promise<MediaDownload>;
  status(channel: NetworkChannel): Promise<Readiness>;
  /**
   * Checks the channel's needs of its network, and the network's needs of the service, whose
   * webhook is at that URL. Sends nothing to anyone. Never rejects.
   */
  check?(channel: NetworkChannel, webhookUrl: string): Promise<readonly ChannelFinding[]>;
  /**
   * Searches the messages of the chat for one whose answer was lost; absent where the network has
   * no such look-up. Never rejects.
   */
  findSent?(channel: NetworkChannel, message: DoubtfulSend): Promise<SentLookup>;
  /**
   * Messages since then that may have been missed, oldest first in each chat; absent where the
   * network keeps nothing to read. Rejects when the network stops answering.
   */
  readSince?(channel: NetworkChannel, since: number): AsyncIterable<readonly NetworkEvent[]>;
  /**
   * The phone behind an opaque network id; absent where the network never reports it. Never
   * rejects.
   */
  findPhone?(channel: NetworkChannel, networkId: string): Promise<PhoneLookup>;
  /** Verifies on the raw bytes, in constant time, then parses the whole batch in order. */
  parseWebhook(channel: NetworkChannel, request: WebhookRequest): WebhookOutcome;
  /** The plain-text answer to the network's verification GET; null is a 403. */
  challenge(channel: NetworkChannel, query: Readonly<Record<string, string>>): string | null;
}

export interface Networks {
  driver(provider: Provider): NetworkDriver;
}
