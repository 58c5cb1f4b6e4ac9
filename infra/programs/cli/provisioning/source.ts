/** Reads the text of a provisioning file from where the operator names it. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { badInput } from '../service/failure.ts';
import { type ParsedText, parseProvisioningText } from './parser.ts';

export interface Source extends ParsedText {
  /** The folder to which the paths in the file are relative. */
  readonly folder: string;
  /** As the operator wrote it. */
  readonly name: string;
  /** The last line of YAML does not end, as in a truncated file; JSON marks its own end. */
  readonly isTruncated: boolean;
}

export interface Invocation {
  readonly cwd: string;
  /** Where `npm run` was called, when it is npm that runs us. */
  readonly calledFrom: string | undefined;
  readonly stdin: NodeJS.ReadableStream;
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
    throw Object.assign(badInput('', `${path} cannot be read${code}`), { cause });
  }
}

/**
 * `-` is standard input.
 * @throws {BadInput} when there is no such file or it is not YAML
 */
export async function readSource(file: string, invocation: Invocation): Promise<Source> {
  const base = invocation.calledFrom ?? invocation.cwd;
  const path = existsSync(resolve(base, file))
    ? resolve(base, file)
    : resolve(invocation.cwd, file);
  const written = file === '-' ? await text(invocation.stdin) : await readText(path);
  const name = file === '-' ? 'standard input' : file;
  const { raw, locate } = parseProvisioningText(written, name);
  return {
    raw,
    locate,
    name,
    folder: file === '-' ? base : dirname(path),
    isTruncated: !written.endsWith('\n') && !/^\s*[{[]/.test(written),
  };
}
