/** A message as it is stored in a conversation's log. Times are epoch milliseconds. */
import type { Commerce, MessageContent, TemplateMessage } from './message-content.ts';
import type { AuthorKind, Direction, MessageKind, Origin } from './vocabulary.ts';

/** `sending` shows as `queued` outside (D1, D50). */
export type StoredStatus =
  | 'scheduled'
  | 'cancelled'
  | 'queued'
  | 'sending'
  | 'sent'
  | 'delivered'
  | 'read'
  | 'failed'
  | 'received';

export interface StoredMedia {
  readonly id: string;
  readonly mimeType: string;
  readonly fileName: string | null;
  readonly sizeBytes: number | null;
}

/** A message that waits for its time. Times are epoch milliseconds. */
export interface Schedule {
  readonly at: number;
  /** Whether it is still sent more than an hour after its time. */
  readonly ifLate: 'send' | 'expire';
}

/** One message of many: replies and others go before it. */
export interface Bulk {
  /** Epoch milliseconds after which it is not sent. */
  readonly expiresAt: number;
}

/** The template that takes the place of a message which the window does not allow, as checked. */
export interface FallbackTemplate {
  readonly template: TemplateMessage;
  /** As a person reads it. */
  readonly text: string;
  /** That of its header's file, or `text`. */
  readonly kind: MessageKind;
  readonly media: StoredMedia | null;
}

export interface StoredMessage extends Commerce {
  /**
   * Raised by every change. It comes first, so that MongoDB's `$max`, which compares documents
   * field by field, keeps the newest, in any order of writes.
   */
  readonly revision: number;
  readonly direction: Direction;
  readonly kind: MessageKind;
  readonly text: string | null;
  readonly media: StoredMedia | null;
  readonly author: { readonly kind: AuthorKind; readonly label: string };
  /** The member who wrote it; absent where nobody did, and in messages of earlier versions. */
  readonly memberId?: string;
  readonly status: StoredStatus;
  readonly receipts: {
    readonly sent: number | null;
    readonly delivered: number | null;
    readonly read: number | null;
  };
  /** The network's canonical id of it. */
  readonly externalId: string | null;
  /** The network's full form of that id, where it reports one. */
  readonly fullId?: string;
  readonly replyToId: string | null;
  /** The advertisement or post by which the contact came to write it. */
  readonly referral?: string;
  readonly transcript: string | null;
  readonly origin: Origin;
  /** Content other than text and media; its text is rendered in `text`. */
  readonly content?: MessageContent;
  /** Set for ever on a message that was scheduled. */
  readonly schedule?: Schedule;
  readonly bulk?: Bulk;
  /** `refuse`: it fails where the window is closed when it is to be sent. */
  readonly outsideWindow?: 'refuse';
  readonly fallback?: FallbackTemplate;
  /** The refused message in whose place this one was sent. */
  readonly replacesId?: string;
  readonly createdAt: number;
  /** When a scheduled message was released, more than a moment after `createdAt`; else absent. */
  readonly releasedAt?: number;
  /** When the network reported it, more than a moment after `createdAt`; else absent. */
  readonly arrivedAt?: number;
  readonly error?: { readonly code: string; readonly message: string };
}

/** Code of a message that the network refused because the contact's 24 hours had passed. */
export const WINDOW_CLOSED_CODE = '131047';

/**
 * A status never steps down. `failed` may follow `sent`, and a message that arrives after all
 * leaves `failed` behind.
 */
export const STATUS_RANK: Readonly<Record<StoredStatus, number>> = {
  received: 0,
  scheduled: 0,
  queued: 1,
  sending: 2,
  sent: 3,
  failed: 4,
  delivered: 5,
  read: 6,
  cancelled: 7,
};
