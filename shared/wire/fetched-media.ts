/** A message's file once it is prepared: the answer of `fetch-media`, and a part of the send. */
import type { MediaKind } from '../media.ts';
import type { StoredMedia } from '../message.ts';

export interface FetchedMedia {
  readonly kind: MediaKind;
  readonly media: StoredMedia;
}
