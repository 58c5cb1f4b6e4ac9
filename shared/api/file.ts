/** The organization's library of files as the API shows it. */
import * as v from 'valibot';
import { id, pageEntries, pageSiblings, requestObject, timestamp, wholeCount } from './fields.ts';

export const FileSchema = v.object({
  id,
  name: v.string(),
  mimeType: v.string(),
  sizeBytes: wholeCount,
  createdAt: timestamp,
});
export type LibraryFile = v.InferOutput<typeof FileSchema>;

export const ListFilesQuery = requestObject(pageEntries);
export const ListFilesAnswer = v.object({ data: v.array(FileSchema), ...pageSiblings });
export const AddFileAnswer = v.object({ data: FileSchema });
export const RemoveFileAnswer = v.object({ data: v.object({ id, removed: v.literal(true) }) });
