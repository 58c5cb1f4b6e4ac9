/** Files that are uploaded: any process writes a part, and the last call puts the file on record. */

import { contentId } from '../../shared/provisioning/names.ts';
import { DONE } from '../../shared/wire/answer.ts';
import type { Query } from './lists/answer.ts';

/** Of a member's message. */
export const putUploadPart: Query<'upload-part'> = async ({ media }, { mediaId, start, data }) => {
  await media.putPart(mediaId, start, Buffer.from(data, 'base64'));
  return DONE;
};

export const endUpload: Query<'upload-end'> = async ({ media }, { mediaId, ...upload }) => {
  await media.endUpload(mediaId, upload);
  return DONE;
};

/** Of the organization's library. */
export const putLibraryPart: Query<'library-part'> = async ({ media }, part) => {
  const { fileId, contentDigest, start, data } = part;
  await media.putLibraryPart(contentId(fileId, contentDigest), start, Buffer.from(data, 'base64'));
  return DONE;
};

export const endLibraryFile: Query<'library-end'> = async ({ media }, ended) => {
  const { fileId, contentDigest, sizeBytes } = ended;
  await media.endLibraryFile(contentId(fileId, contentDigest), sizeBytes);
  return DONE;
};
