/** The port to messaging networks: a driver's inputs and outputs (C13.1). */
import type { ChannelFinding } from '../channel-check.ts';
import type { MediaKind } from '../media.ts';
import type {
  ContactCard,
  Interactive,
  Location,
  MessageContent,
  TemplateMessage,
} from '../message-content.ts';
import type { NetworkFault } from '../network-fault.ts';
import type { Provider } from '../vocabulary.ts';
import type { ReadableFile } from './media.ts';
import type { InboundMedia, NetworkEvent, Readiness, Restriction } from './network-event.ts';

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
  /** Whether our own number wrote that message. */
  readonly quotesOwn?: boolean;
  /** The network's id that the message is to have, journaled before (`NetworkDriver.ownIdOf`). */
  readonly ownId?: string;
}

export interface OutboundMedia extends Omit<OutboundText, 'text'> {
  readonly kind: MediaKind;
  readonly caption: string | null;
  readonly mimeType: string;
  readonly fileName: string | null;
  /** By the name that `upload` gave it; the file itself where there is no upload. */
  readonly content: { readonly uploadId: string } | { readonly file: ReadableFile };
}

/** Neither text nor a file. The `web` network has no templates and no buttons (D278). */
export type OutboundContent = Omit<OutboundText, 'text'> &
  (
    | {
        readonly type: 'template';
        readonly template: TemplateMessage;
        /** The file of its header. */
        readonly header?: Pick<OutboundMedia, 'kind' | 'fileName' | 'content'>;
      }
    | { readonly type: 'interactive'; readonly interactive: Interactive }
    | { readonly type: 'reaction'; readonly emoji: string; readonly target: NamedMessage }
    | { readonly type: 'location'; readonly location: Location }
    | { readonly type: 'contacts'; readonly contacts: readonly ContactCard[] }
  );

/** A message that the network knows. */
export interface NamedMessage {
  readonly externalId: string;
  readonly fullId?: string;
  /** Whether our own number wrote it. */
  readonly fromMe: boolean;
}

/** Shown to the contact beside messages: a read mark, or that an answer is being written. */
export interface Presence {
  /** The network's own id of the contact when known, else the canonical digits. */
  readonly to: string;
  readonly shows: 'read' | 'typing';
  /** The contact's last message. */
  readonly message: NamedMessage;
  /** Messages before it that are read with it, newest first. */
  readonly earlier?: readonly NamedMessage[];
}

/** A template of a business account, as the network lists it. */
export interface NetworkTemplate {
  readonly networkId: string;
  readonly name: string;
  readonly language: string;
  /** The network's own upper-case words. */
  readonly category: string;
  readonly status: string;
  readonly quality: string | null;
  /** Whether its parameters have names. */
  readonly named: boolean;
  /** The network's own form, unchanged. */
  readonly components: readonly Readonly<Record<string, unknown>>[];
}

export type TemplateListing =
  | { readonly listed: true; readonly templates: readonly NetworkTemplate[] }
  /** `reason`: Portuguese. `final`: asking again does not help before the settings change. */
  | { readonly listed: false; readonly reason: string; readonly final: boolean };

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
      /** The template is not as it is known here: the account's are worth reading again. */
      readonly aboutTemplate?: true;
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
      /** The number may not send what this message is; what else waits goes on. */
      readonly restriction?: Restriction;
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
   * `outage`: the network told that it fails as a whole, so that no message is given up for it.
   */
  | {
      readonly outcome: 'unknown';
      readonly cause: string;
      readonly fault?: NetworkFault;
      readonly outage?: true;
    };

/** A send in doubt, as the network is asked about it. */
export interface DoubtfulSend extends OutboundText {
  readonly hasMedia?: boolean;
  /** Of a message other than text or a file. */
  readonly content?: MessageContent;
  /** Time of its first transmission, epoch milliseconds. */
  readonly handedOverAt: number;
  /** Network ids of messages that are accounted for: none of them is this one. */
  readonly recorded: ReadonlySet<string>;
}

export type SentLookup =
  | { readonly found: true; readonly externalId: string; readonly fullId?: string }
  /** It was not sent through the channel's number. */
  | { readonly found: false }
  /** The network answered, and its answer cannot decide it: no later look-up will. */
  | { readonly found: 'never'; readonly cause: string }
  /** The network, or the channel's number on it, did not answer: it has to be asked again. */
  | { readonly found: 'unknown'; readonly cause: string };

export type PhoneLookup =
  /** Digits, empty when the network does not report them, and the id by which to write to them. */
  | { readonly known: true; readonly phone: string; readonly networkId: string }
  /** The network did not answer: it has to be asked again. */
  | { readonly known: false; readonly cause: string };

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
      /** When the network made the report, by its own clock, epoch milliseconds; absent: not told. */
      readonly reportedAt?: number;
      /** Set where the batch names its number, and it is the channel's. */
      readonly ownNumber?: true;
      /** Set where it names another one: nothing in it is the channel's. */
      readonly otherNumber?: Extract<Readiness, { ready: false }>;
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
  /** Never rejects. Content that the network does not have is `refused`. */
  sendContent(channel: NetworkChannel, message: OutboundContent): Promise<SendOutcome>;
  /** Best effort: it is not repeated. Resolves with whether the network took it; never rejects. */
  show?(channel: NetworkChannel, presence: Presence): Promise<boolean>;
  /** All templates of the channel's business account; absent without templates. Never rejects. */
  listTemplates?(channel: NetworkChannel): Promise<TemplateListing>;
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
  /**
   * How far the network's clock is behind ours, by its last answer, negative where it is ahead.
   * Null while it has not answered; absent where answers have no time.
   */
  behindMs?(channel: NetworkChannel): number | null;
  /** Verifies on the raw bytes, in constant time, then parses the whole batch in order. */
  parseWebhook(channel: NetworkChannel, request: WebhookRequest): WebhookOutcome;
  /** The plain-text answer to the network's verification GET; null is a 403. */
  challenge(channel: NetworkChannel, query: Readonly<Record<string, string>>): string | null;
}

export interface Networks {
  driver(provider: Provider): NetworkDriver;
}
