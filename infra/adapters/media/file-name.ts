/** Name of a file that is downloaded from a URL, and the MIME type by its ending. */
import { UNKNOWN_MIME } from '../../../shared/media.ts';

const NAME_MAX_CHARS = 200;

const MIME_BY_ENDING: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  gif: 'image/gif',
  mp4: 'video/mp4',
  '3gp': 'video/3gpp',
  aac: 'audio/aac',
  amr: 'audio/amr',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  ogg: 'audio/ogg',
  pdf: 'application/pdf',
  txt: 'text/plain',
  csv: 'text/csv',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ppt: 'application/vnd.ms-powerpoint',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
};

/** The name in `Content-Disposition` (RFC 6266), else the URL's own name, if it has an ending. */
export function fileNameOf(disposition: string | null, url: URL): string | null {
  const named = dispositionName(disposition ?? '');
  if (named !== null) return named;
  const last = decoded(url.pathname.split('/').at(-1) ?? '');
  return /.\.[A-Za-z0-9]{1,8}$/.test(last) ? clean(last) : null;
}

/** The type by the name's ending, where the server reports no specific one. */
export function mimeByName(mimeType: string, fileName: string | null): string {
  if (mimeType !== UNKNOWN_MIME && mimeType !== 'binary/octet-stream') return mimeType;
  const ending = fileName?.split('.').at(-1)?.toLowerCase() ?? '';
  return MIME_BY_ENDING[ending] ?? UNKNOWN_MIME;
}

function dispositionName(disposition: string): string | null {
  const extended = /filename\*\s*=\s*utf-8''([^;]+)/i.exec(disposition)?.[1];
  if (extended !== undefined) return clean(decoded(extended.trim()));
  const [, quoted, plain] = /filename\s*=\s*(?:"([^"]*)"|([^;\s]+))/i.exec(disposition) ?? [];
  const name = quoted ?? plain;
  return name === undefined ? null : clean(name);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    if (cause instanceof URIError) return text;
    throw cause;
  }
}

/** Without folders, control characters and quotes; null when nothing is left. */
function clean(name: string): string | null {
  const last = name.toWellFormed().split(/[/\\]/).at(-1) ?? '';
  const kept = last.replace(/[\p{Cc}"]/gu, '').trim();
  const short = Array.from(kept).slice(-NAME_MAX_CHARS).join('');
  return short === '' || short === '.' || short === '..' ? null : short;
}
