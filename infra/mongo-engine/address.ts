/**
 * Where the embedded MongoDB engine is found. The engine opens a new private Unix socket at every
 * start; what others are told is a symbolic link to it that stays at one path for a data folder.
 * The kernel takes at most 108 bytes (macOS: 104) for a socket's path, and the link's counts.
 */
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SOCKET_PATH_MAX_BYTES = 100;
const HASH_CHARS = 16;

export interface EngineAddress {
  /** The stable link. */
  readonly socketPath: string;
  /** What the `mongodb` driver connects to. */
  readonly url: string;
  /** A folder made for the link alone because the data folder's path is too long, else null. */
  readonly ownFolder: string | null;
}

/** The engine's address for a data folder (absolute path); the same at every call. */
export function engineAddress(dataDir: string): EngineAddress {
  const near = join(dataDir, 'mongo.sock');
  if (Buffer.byteLength(near) <= SOCKET_PATH_MAX_BYTES) {
    return { socketPath: near, url: urlOf(near), ownFolder: null };
  }
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, HASH_CHARS);
  const ownFolder = join(tmpdir(), `recado-${hash}`);
  const socketPath = join(ownFolder, 'mongo.sock');
  return { socketPath, url: urlOf(socketPath), ownFolder };
}

function urlOf(socketPath: string): string {
  return `mongodb://${encodeURIComponent(socketPath)}/?directConnection=true`;
}
