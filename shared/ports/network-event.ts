/** Reports of a messaging network to a channel, in the service's form (C13.1). */
import type { Ad, Commerce, ContactCard, InteractiveAnswer, Location } from '../message-content.ts';
import type { NetworkFault } from '../network-fault.ts';

/**
 * The network lets a number begin no new conversations for a while; known chats go on. With `cause`
 * its account owes the network: nothing that is billed goes, which is all outside of the window.
 */
export interface Restriction {
  /** Epoch milliseconds; null where the network reports no end. */
  readonly until: number | null;
  readonly cause?: 'payment';
}

export type Readiness =
  /**
   * `restriction`: absent where the network reports nothing on one, null where it reports that
   * there is none. `unpaid`: the same of a payment problem, which has a state of its own.
   * `unconfirmed`: a report that may be old, so that only a probe ends a statement against the
   * number. `unnamed`: the network did not say as which number it works.
   */
  | {
      readonly ready: true;
      readonly restriction?: Restriction | null;
      readonly unpaid?: boolean;
      readonly unconfirmed?: true;
      readonly unnamed?: true;
    }
  /**
   * `holdMs`: the network's own wait, which a probe that finds it ready does not end.
   * `otherNumber`: it works as a number that is not the channel's.
   */
  | {
      readonly ready: false;
      readonly reason: string;
      readonly holdMs?: number;
      readonly otherNumber?: true;
    }
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

/** A message of the contact, or of a person on the connected phone. */
export interface ReportedMessage extends NetworkPerson {
  /** One per message, whatever its spelling (`fullId`): a batch may report it twice. */
  readonly externalId: string;
  readonly fullId?: string;
  readonly kind: string;
  readonly text: string | null;
  readonly media?: InboundMedia;
  /** The message that this one quotes, or reacts to. */
  readonly replyToExternalId?: string;
  readonly location?: Location;
  readonly contacts?: readonly ContactCard[];
  /** Why the network has no media for it; the message is one of the contact all the same. */
  readonly error?: { readonly code: string; readonly message: string };
  readonly at: number;
}

/** One entry of a network's webhook batch, in the service's form. Times are epoch milliseconds. */
export type NetworkEvent =
  | (ReportedMessage &
      Commerce & {
        readonly type: 'message';
        readonly profileName?: string;
        /** The advertisement or post behind the message; the contact did not write it. */
        readonly referral?: string;
        /** The choice of a button or of a row. */
        readonly answer?: InteractiveAnswer;
      })
  /** The contact calls our number; the network may report one call several times. */
  | (NetworkPerson & {
      readonly type: 'call';
      /** One per call. */
      readonly callId: string;
      readonly profileName?: string;
      readonly at: number;
    })
  /** The contact opened the chat for the first time, and wrote nothing. */
  | (NetworkPerson & {
      readonly type: 'welcome';
      /** One per opening; a repeated report has the same. */
      readonly welcomeId: string;
      readonly profileName?: string;
      /** The advertisement that led to the chat. */
      readonly ad?: Ad;
      readonly at: number;
    })
  /** A person typed on the connected phone itself. */
  | (ReportedMessage & { readonly type: 'echo' })
  | (MessageChange & { readonly type: 'edit'; readonly text: string | null })
  | (MessageChange & { readonly type: 'deletion' })
  /** The contact stops marketing messages at the network itself, or wants them again. */
  | (NetworkPerson & {
      readonly type: 'marketing-wish';
      readonly wanted: boolean;
      readonly at: number;
    })
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
  | { readonly type: 'restriction'; readonly restriction: Restriction | null }
  /** The templates of the channel's business account are to be read again. */
  | { readonly type: 'templates-changed' };
