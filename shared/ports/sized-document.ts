/** Result row of a find with `wholeMaxBytes`. */
import type { Document } from './collection.ts';

export interface SizedDocument<T extends Document = Document> extends Document {
  /** As stored. */
  readonly bytes: number;
  readonly whole: T | null;
}
