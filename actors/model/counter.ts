/** Fields by which a document is counted, and the documents of the counts. */
import type { Document } from '../../shared/ports/store.ts';

export interface Counted {
  /** A facet; `NOT_COUNTED` before the first count. */
  readonly of: string;
  /** The version of the counter document under which it was counted so. */
  readonly at: number;
}

export interface CounterFields {
  readonly counted?: Counted;
  /** Dirty flag: the organization, while the document may need a recount. */
  readonly recount?: string;
}

export type CountedDocument = Document & CounterFields;

export interface BatchedDocument {
  readonly id: string;
  readonly to: string;
  readonly revision: unknown;
  /** The document had no `counted` yet. */
  readonly bare: boolean;
}

export interface CounterDocument extends Document {
  readonly orgId: string;
  readonly version: number;
  readonly counts: readonly { readonly of: string; readonly n: number }[];
  readonly folding: readonly BatchedDocument[];
  /** The version of the last recount; later ones add batches. */
  readonly recounted: number;
}

export interface BatchDocument extends Document {
  readonly ids: readonly string[];
  readonly at: number;
}
