/** GET /api/v1/media/{id}: a part of a file's bytes. */
import { messageOfMedia } from '../../shared/entity-ids.ts';
import { type FailureKind, failure, renderFailure } from '../../shared/failures.ts';
import { MEDIA_PART_BYTES } from '../../shared/limits.ts';
import type { Answer } from '../../shared/ports/bus.ts';
import type { MediaPlace, MediaRecord } from '../../shared/ports/media.ts';
import { answerOf } from '../../shared/wire/answer.ts';
import type { MediaPart, ReadMedia } from '../../shared/wire/media-commands.ts';
import type { Environment } from '../environment.ts';
import type { Query } from './lists/answer.ts';

const RETRY_AFTER_SECONDS = 1;

export const readMedia: Query<'media'> = async (environment, query) => {
  const { media } = environment;
  const { mediaId, start } = query;
  const found = await locate(environment, query);
  if ('refusal' in found) return found.refusal;
  const { record } = found;
  const { mimeType, fileName, sizeBytes } = record;
  const end = Math.min(start + MEDIA_PART_BYTES, sizeBytes);
  const bytes = start < end ? await media.part(mediaId, { start, end }) : new Uint8Array();
  if (!bytes) return renderFailure(failure('file_not_found'));
  const data = Buffer.from(bytes).toString('base64');
  const part: MediaPart = { mimeType, fileName, sizeBytes, data };
  return answerOf(part);
};

type Located = { readonly record: MediaRecord } | { readonly refusal: Answer };

/** The file, if it has come and is the caller's to see. */
async function locate({ media, store }: Environment, query: ReadMedia): Promise<Located> {
  const { mediaId } = query;
  const record = await media.find(mediaId);
  if (record) return unseen(record, query) ?? { record };
  const message = await store.byId('entries', messageOfMedia(mediaId));
  if (!message) return refused('file_not_found');
  const hidden = unseen(message, query);
  if (hidden) return hidden;
  if (message.mediaDue) return refused('file_pending');
  // It may have come between the two reads; an earlier version gives files ids of their own.
  const arrived = await media.find(message.message?.media?.id ?? mediaId);
  return arrived ? { record: arrived } : refused('file_not_found');
}

/** The refusal to a caller who may not see what is of this organization and channel. */
function unseen(
  { orgId, channelId }: MediaPlace,
  query: Pick<ReadMedia, 'orgId' | 'channelScope'>,
): Located | null {
  if (orgId !== query.orgId) return refused('file_not_found');
  const { channelScope } = query;
  return channelScope === null || channelId === channelScope ? null : refused('other_channel');
}

function refused(kind: FailureKind): { readonly refusal: Answer } {
  const refusal = renderFailure(failure(kind));
  if (kind !== 'file_pending') return { refusal };
  return { refusal: { ...refusal, headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } } };
}
