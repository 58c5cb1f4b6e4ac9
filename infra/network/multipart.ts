/** A multipart body of a few fields and one file (RFC 7578). */
import { randomUUID } from 'node:crypto';
import type { OutboundFile } from '../../shared/network.ts';

const LINE = '\r\n';

export function multipart(
  fields: Readonly<Record<string, string>>,
  file: OutboundFile,
): { readonly contentType: string; readonly body: Buffer } {
  const boundary = `recado-${randomUUID()}`;
  const heads = Object.entries(fields).map(
    ([name, value]) =>
      `--${boundary}${LINE}content-disposition: form-data; name="${name}"${LINE}${LINE}${value}${LINE}`,
  );
  const fileHead =
    `--${boundary}${LINE}content-disposition: form-data; name="file"; ` +
    `filename="${quoted(file.fileName ?? 'file')}"${LINE}` +
    `content-type: ${file.mimeType}${LINE}${LINE}`;
  const body = Buffer.concat([
    Buffer.from(heads.join('') + fileHead),
    file.bytes,
    Buffer.from(`${LINE}--${boundary}--${LINE}`),
  ]);
  return { contentType: `multipart/form-data; boundary=${boundary}`, body };
}

/** As browsers write it: what would end the header or the string is escaped. */
function quoted(name: string): string {
  return name.replace(/\r/g, '%0D').replace(/\n/g, '%0A').replace(/"/g, '%22');
}
