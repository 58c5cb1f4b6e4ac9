/** A collection of the store: its documents, and how they are stored. */

export interface Document {
  readonly _id: string;
}

/**
 * @typeParam Packed the open parts of each field that is stored as one text
 * @typeParam InText fields that are stored together as the document's text: they never change
 * @typeParam Key the field by which it is sharded, as every change names it: a change without it
 *   would go to every shard (D340)
 */
export interface Collection<
  Doc extends Document = Document,
  Packed extends object = object,
  InText extends string = string,
  Key extends string = string,
> {
  readonly document: Doc;
  readonly packed: Packed;
  readonly inText: InText;
  readonly key: Key;
}

/** A collection whose documents are stored as they are. */
export type Open<Doc extends Document> = Collection<Doc, object, never, never>;
