/** Files that members upload: any process writes a part, and the last call puts it on record. */
import { DONE } from '../../shared/wire/answer.ts';
import type { Query } from './lists/answer.ts';

export const putUploadPart: Query<'upload-part'> = async ({ media }, { mediaId, start, data }) => {
  await media.putPart(mediaId, start, Buffer.from(data, 'base64'));
  return DONE;
};

export const endUpload: Query<'upload-end'> = async ({ media }, { mediaId, ...upload }) => {
  await media.endUpload(mediaId, upload);
  return DONE;
};
