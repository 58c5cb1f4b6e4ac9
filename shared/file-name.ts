/** Names of files, and the MIME type by a name's ending. */
import { UNKNOWN_MIME } from './media.ts';
import { withoutControl } from './text/control-characters.ts';

const NAME_MAX_CHARS = 200;

/** A `Map`: `x.constructor` is a file's name too. */
const MIME_BY_ENDING: ReadonlyMap<string, string> = new Map([
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['png', 'image/png'],
  ['webp', 'image/webp'],
  ['gif', 'image/gif'],
  ['mp4', 'video/mp4'],
  ['3gp', 'video/3gpp'],
  ['aac', 'audio/aac'],
  ['amr', 'audio/amr'],
  ['mp3', 'audio/mpeg'],
  ['m4a', 'audio/mp4'],
  ['ogg', 'audio/ogg'],
  ['pdf', 'application/pdf'],
  ['txt', 'text/plain'],
  ['csv', 'text/csv'],
  ['doc', 'application/msword'],
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['xls', 'application/vnd.ms-excel'],
  ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['ppt', 'application/vnd.ms-powerpoint'],
  ['pptx', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
]);

/** The type by the name's ending, where the server reports no specific one. */
export function mimeByName(mimeType: string, fileName: string | null): string {
  if (mimeType !== UNKNOWN_MIME && mimeType !== 'binary/octet-stream') return mimeType;
  const ending = fileName?.split('.').at(-1)?.toLowerCase() ?? '';
  return MIME_BY_ENDING.get(ending) ?? UNKNOWN_MIME;
}

/** Without folders, control and bidirectional marks, and quotes; null when nothing is left. */
export function cleanFileName(name: string): string | null {
  const last = name.toWellFormed().split(/[/\\]/).at(-1) ?? '';
  const cleaned = withoutControl(last).replaceAll('"', '').trim();
  const short = Array.from(cleaned).slice(-NAME_MAX_CHARS).join('');
  return short === '' || short === '.' || short === '..' ? null : short;
}
