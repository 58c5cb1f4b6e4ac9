/** Settlement of a scheduled message: the entry that ends its wait (`schedule.ts`). */
import type { Urgency } from '../../../shared/vocabulary.ts';

export interface MessageError {
  readonly code: string;
  readonly message: string;
}

/** A settlement as its entry records it; the entry's `seq` is its place in the sending order. */
export type Settlement = SettlementOutcome & {
  readonly messageId: string;
  /** Epoch milliseconds. */
  readonly at: number;
};

type SettlementOutcome =
  | {
      readonly outcome: 'released';
      /** `seq` of the place before it in the sending order; 0 for none. */
      readonly previousSeq: number;
      /** The network's id of the contact, or its number, at this time. */
      readonly to: string;
      /** The fallback template is sent in place of the message. */
      readonly asFallback?: true;
      /** Absent: normal. */
      readonly urgency?: Exclude<Urgency, 'normal'>;
    }
  | { readonly outcome: 'cancelled' }
  | { readonly outcome: 'failed'; readonly error: MessageError };

export function settlementId(messageId: string): string {
  return [messageId, 'settled'].join('-');
}
