/** The `file` part of a multipart upload: all that the simulator needs of RFC 7578. */

export interface UploadedFile {
  readonly bytes: Buffer;
  readonly mimeType: string;
  readonly fileName?: string;
}

const HEAD_END = '\r\n\r\n';

/** Null when the body is not multipart or has no part named `file`. */
export function parseUpload(contentType: string, body: Buffer): UploadedFile | null {
  const match = /^multipart\/form-data;.*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType);
  const boundary = match?.[1] ?? match?.[2];
  if (boundary === undefined) return null;
  const delimiter = Buffer.from(`--${boundary}`);
  let start = body.indexOf(delimiter);
  while (start !== -1) {
    const next = body.indexOf(delimiter, start + delimiter.length);
    if (next === -1) return null;
    const file = filePart(body.subarray(start + delimiter.length + 2, next - 2));
    if (file !== null) return file;
    start = next;
  }
  return null;
}

function filePart(part: Buffer): UploadedFile | null {
  const headEnd = part.indexOf(HEAD_END);
  if (headEnd === -1) return null;
  const head = part.toString('utf8', 0, headEnd);
  if (!/content-disposition:[^\r\n]*[;\s]name="file"/i.test(head)) return null;
  const mimeType = /content-type:\s*([^\r\n]+)/i.exec(head)?.[1]?.trim();
  const fileName = /filename="([^"]*)"/i.exec(head)?.[1];
  return {
    bytes: Buffer.from(part.subarray(headEnd + HEAD_END.length)),
    mimeType: mimeType ?? 'application/octet-stream',
    ...(fileName === undefined ? {} : { fileName }),
  };
}
