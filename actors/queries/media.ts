/** GET /api/v1/media/{id}: a part of a file's bytes; and the files of an organization's library. */
import { failure, renderFailure } from '../../shared/failures.ts';
import { MEDIA_PART_BYTES } from '../../shared/limits.ts';
import { answerOf } from '../../shared/wire/answer.ts';
import type { MediaPart } from '../../shared/wire/media-commands.ts';
import { readOrganization } from '../organization/read-organization.ts';
import type { Query } from './lists/answer.ts';

export const readMedia: Query<'media'> = async ({ media }, query) => {
  const { orgId, mediaId, channelScope, start } = query;
  const record = await media.find(mediaId);
  if (record?.orgId !== orgId) return renderFailure(failure('file_not_found'));
  if (channelScope !== null && record.channelId !== channelScope) {
    return renderFailure(failure('other_channel'));
  }
  const { mimeType, fileName, sizeBytes } = record;
  const end = Math.min(start + MEDIA_PART_BYTES, sizeBytes);
  const bytes = start < end ? await media.part(mediaId, { start, end }) : new Uint8Array();
  if (!bytes) return renderFailure(failure('file_not_found'));
  const data = Buffer.from(bytes).toString('base64');
  const part: MediaPart = { mimeType, fileName, sizeBytes, data };
  return answerOf(part);
};

export const listLibrary: Query<'library'> = async ({ store }, { orgId }) => {
  const organization = await readOrganization(store, orgId, ['files']);
  const files = (organization?.files ?? []).filter((file) => file.removed !== true);
  const data = files.map(({ id, ref, name, mimeType, sizeBytes }) => {
    return { id, ref, name, mimeType, sizeBytes };
  });
  return answerOf({ data });
};
