/** Archives as npm packs them: ustar, compressed by gzip, the same bytes for the same files. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { packTar } from 'modern-tar';

/** npm's own date for every file. */
const MODIFIED = new Date('1985-10-26T08:15:00Z');

export interface PackedFile {
  /** Below `package/`, with `/`. */
  readonly name: string;
  readonly text: string;
  readonly isProgram?: boolean;
}

export async function packFiles(files: readonly PackedFile[]): Promise<Uint8Array> {
  const entries = files.map(({ name, text, isProgram }) => ({
    header: {
      ...{ name: `package/${name}`, size: Buffer.byteLength(text), mtime: MODIFIED },
      mode: isProgram === true ? 0o755 : 0o644,
    },
    body: text,
  }));
  return await promisify(gzip)(await packTar(entries), { level: 9 });
}
