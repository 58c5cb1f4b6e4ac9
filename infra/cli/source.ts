/** Reads the text of a provisioning file: YAML, of which JSON is a part. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseDocument } from 'yaml';
import { BadInput, badInput } from './failure.ts';

export interface Source {
  readonly raw: unknown;
  /** What the paths in the file are relative to. */
  readonly folder: string;
}

export interface Place {
  readonly cwd: string;
  /** Where `npm run` was called, when it is npm that runs us. */
  readonly calledFrom: string | undefined;
  readonly stdin: NodeJS.ReadableStream;
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw Object.assign(badInput('', `${path} cannot be read`), { cause });
  }
}

/**
 * `-` is standard input.
 * @throws {BadInput} when there is no such file or it is not YAML
 */
export async function readSource(file: string, place: Place): Promise<Source> {
  const base = place.calledFrom ?? place.cwd;
  const path = existsSync(resolve(base, file)) ? resolve(base, file) : resolve(place.cwd, file);
  const written = file === '-' ? await text(place.stdin) : await readText(path);
  const document = parseDocument(written, { prettyErrors: true });
  if (document.errors.length > 0) {
    throw new BadInput(
      document.errors.map(({ message }) => ({ path: '', message: message.trimEnd() })),
    );
  }
  return {
    raw: document.toJS({ maxAliasCount: 100 }),
    folder: file === '-' ? base : dirname(path),
  };
}
