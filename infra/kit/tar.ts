/** Archives as npm packs them: ustar, compressed by gzip, the same bytes for the same files. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const BLOCK = 512;
const CHECKSUM_AT = 148;
const CHECKSUM_CHARS = 8;
/** Seconds; npm's own date for every file (1985-10-26). */
const MODIFIED = 499_162_500;
const NAME_MAX = 100;

export interface PackedFile {
  /** Below `package/`, with `/`. */
  readonly name: string;
  readonly text: string;
  readonly isProgram?: boolean;
}

export function packFiles(files: readonly PackedFile[]): Promise<Uint8Array> {
  const blocks = files.flatMap(({ name, text, isProgram }) => {
    const content = Buffer.from(text);
    const path = `package/${name}`;
    if (path.length > NAME_MAX) throw new Error(`the name ${path} is too long for an archive`);
    const header = headerOf(path, content.length, isProgram === true ? 0o755 : 0o644);
    return [header, content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)];
  });
  return promisify(gzip)(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]), { level: 9 });
}

function headerOf(name: string, size: number, mode: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, chars: number) => `${value.toString(8).padStart(chars - 1, '0')}\0`;
  header.write(name, 0);
  header.write(octal(mode, 8) + octal(0, 8) + octal(0, 8), 100);
  header.write(octal(size, 12) + octal(MODIFIED, 12), 124);
  header.write(' '.repeat(CHECKSUM_CHARS), CHECKSUM_AT);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, CHECKSUM_CHARS - 1)} `, CHECKSUM_AT);
  return header;
}
