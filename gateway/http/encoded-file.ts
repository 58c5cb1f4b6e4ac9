/**
 * A file of a page as browsers ask for it: compressed once, by brotli and by gzip. A compression
 * for each request would let any stranger take the processor.
 */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Higher qualities double the time for a percent. */
const BROTLI_QUALITY = 9;

export interface EncodedFile {
  readonly plain: Uint8Array;
  readonly brotli: Uint8Array;
  readonly gzip: Uint8Array;
  readonly contentType: string;
}

export async function encodeFile(plain: Uint8Array, contentType: string): Promise<EncodedFile> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  const [brotli, zipped] = await Promise.all([
    promisify(brotliCompress)(plain, { params }),
    promisify(gzip)(plain),
  ]);
  return { plain, brotli, gzip: zipped, contentType };
}

export interface ChosenCoding {
  readonly bytes: Uint8Array;
  /** Lower-case names: `vary`, and `content-encoding` unless the bytes are plain. */
  readonly headers: Readonly<Record<string, string>>;
}

/** @param acceptEncoding the request's header; empty where there is none */
export function chooseCoding(file: EncodedFile, acceptEncoding: string): ChosenCoding {
  const headers = { vary: 'accept-encoding' };
  if (accepts(acceptEncoding, 'br')) {
    return { bytes: file.brotli, headers: { ...headers, 'content-encoding': 'br' } };
  }
  if (accepts(acceptEncoding, 'gzip')) {
    return { bytes: file.gzip, headers: { ...headers, 'content-encoding': 'gzip' } };
  }
  return { bytes: file.plain, headers };
}

/** A coding with `q=0` is refused. */
function accepts(acceptEncoding: string, coding: string): boolean {
  return acceptEncoding
    .toLowerCase()
    .split(',')
    .map((each) => each.split(';').map((part) => part.trim()))
    .some(([name, quality = 'q=1']) => name === coding && !/^q=0(\.0*)?$/.test(quality));
}
