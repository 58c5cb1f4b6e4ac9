/** Secrets that sign what is forwarded: one for each service and name, in the user's own folder. */
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

const SECRET_BYTES = 32;

interface Place {
  readonly baseUrl: string;
  readonly name: string;
}

/** `XDG_CONFIG_HOME`, `APPDATA` or `~/.config`. */
export function configFolder(environment: NodeJS.ProcessEnv): string {
  const { XDG_CONFIG_HOME, APPDATA } = environment;
  return join(XDG_CONFIG_HOME || APPDATA || join(homedir(), '.config'), 'recado');
}

/** The secret of that name: the one given, else the one stored, else a fresh one. It is stored. */
export function storedSecret(folder: string, place: Place, given?: string): string {
  const file = join(folder, `listen-${nameOf(place)}.secret`);
  const stored = read(file);
  const secret = given ?? stored ?? `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
  if (secret !== stored) write(file, secret);
  return secret;
}

function nameOf({ baseUrl, name }: Place): string {
  return `${new URL(baseUrl).host.replaceAll(/[^\w.-]/g, '_')}-${name}`;
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim() || null;
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return null;
    throw cause;
  }
}

/** Whole or not at all, and for the user alone. */
function write(file: string, secret: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const fresh = `${file}.${process.pid}`;
  writeFileSync(fresh, `${secret}\n`, { mode: 0o600 });
  chmodSync(fresh, 0o600);
  renameSync(fresh, file);
}
