/** Claim on insert of a delivery, as the fan-out uses it. */
import type { DeliveryDocument } from '../../model/subscription.ts';

export interface ClaimOnInsert {
  /** The document to insert, which contains the claim. */
  readonly delivery: DeliveryDocument;
  /** The caller must call it in any case. True: the insert was made and is journaled. */
  readonly resolveInsert: (inserted: boolean) => void;
}

/** The delivery workers of this process, for the code that records deliveries. */
export interface DeliveryClaimer {
  /** Null: the delivery is to be inserted unclaimed. */
  claimOnInsert(delivery: DeliveryDocument): Promise<ClaimOnInsert | null>;
}
