/** Name of a file that is downloaded from a URL. */
import { cleanFileName } from '../../../shared/file-name.ts';

/** The name in `Content-Disposition` (RFC 6266), else the URL's own name, if it has an ending. */
export function fileNameOf(disposition: string | null, url: URL): string | null {
  const named = dispositionName(disposition ?? '');
  if (named !== null) return named;
  const last = decoded(url.pathname.split('/').at(-1) ?? '');
  return /.\.[A-Za-z0-9]{1,8}$/.test(last) ? cleanFileName(last) : null;
}

function dispositionName(disposition: string): string | null {
  const extended = /filename\*\s*=\s*utf-8''([^;]+)/i.exec(disposition)?.[1];
  if (extended !== undefined) return cleanFileName(decoded(extended.trim()));
  const [, quoted, plain] = /filename\s*=\s*(?:"([^"]*)"|([^;\s]+))/i.exec(disposition) ?? [];
  const name = quoted ?? plain;
  return name === undefined ? null : cleanFileName(name);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    if (cause instanceof URIError) return text;
    throw cause;
  }
}
