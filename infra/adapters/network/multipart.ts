/** A multipart body of a few fields and one file (RFC 7578), written as the file is read. */
import { randomUUID } from 'node:crypto';
import type { ReadableFile } from '../../../shared/ports/media.ts';
import { type StreamedBody, wrapFile } from './streamed-body.ts';

const LINE = '\r\n';

export function multipart(
  fields: Readonly<Record<string, string>>,
  file: ReadableFile,
): { readonly contentType: string; readonly body: StreamedBody } {
  const boundary = `recado-${randomUUID()}`;
  const heads = Object.entries(fields).map(
    ([name, value]) =>
      `--${boundary}${LINE}content-disposition: form-data; name="${name}"${LINE}${LINE}${value}${LINE}`,
  );
  const fileHead =
    `--${boundary}${LINE}content-disposition: form-data; name="file"; ` +
    `filename="${quoted(file.fileName ?? 'file')}"${LINE}` +
    `content-type: ${file.mimeType}${LINE}${LINE}`;
  const body = wrapFile(heads.join('') + fileHead, `${LINE}--${boundary}--${LINE}`, {
    sizeBytes: file.sizeBytes,
    read: () => file.read(),
  });
  return { contentType: `multipart/form-data; boundary=${boundary}`, body };
}

/** As browsers write it: what would end the header or the string is escaped. */
function quoted(name: string): string {
  return name.replace(/\r/g, '%0D').replace(/\n/g, '%0A').replace(/"/g, '%22');
}
