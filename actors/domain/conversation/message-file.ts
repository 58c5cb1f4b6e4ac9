/** A message's file: as its network reports it before it has come, and as callers see it. */
import { reportedMediaId } from '../../../shared/entity-ids.ts';
import { plainMime } from '../../../shared/media.ts';
import type { StoredMedia } from '../../../shared/message.ts';
import type { InboundMedia } from '../../../shared/ports/network-event.ts';

/** The file under the id that it will have. */
export function reportedFile(messageId: string, media: InboundMedia): StoredMedia {
  const { mimeType, fileName = null, sizeBytes = null } = media;
  return { id: reportedMediaId(messageId), mimeType: plainMime(mimeType), fileName, sizeBytes };
}

interface ShownFile extends StoredMedia {
  readonly url: string;
}

export function shownFile(file: StoredMedia, publicUrl: string): ShownFile {
  return { ...file, url: `${publicUrl}/api/v1/media/${file.id}` };
}
