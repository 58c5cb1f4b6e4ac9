/**
 * Address of the embedded MongoDB engine. The engine opens a new private Unix socket at every
 * start. Clients use a symbolic link to it that stays at one path for a data folder. The kernel
 * allows at most 108 bytes (macOS: 104) for a socket's path, and the link's counts.
 */
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SOCKET_PATH_MAX_BYTES = 100;
const HASH_CHARS = 16;
/** The engine's name of its socket, inside the given temporary folder. */
const ENGINE_SOCKET = 'embedded-mongodb-XXXXXX/mongodb.sock';

export interface EngineAddress {
  /** The stable link. */
  readonly socketPath: string;
  /** The address for the `mongodb` driver. */
  readonly url: string;
  /** Where the link and the engine's own sockets live. */
  readonly folder: string;
  /** True if the folder was made for them alone, because the data folder's path is too long. */
  readonly apart: boolean;
}

/** The engine's address for a data folder (absolute path); the same at every call. */
export function engineAddress(dataDir: string): EngineAddress {
  if (Buffer.byteLength(join(dataDir, ENGINE_SOCKET)) <= SOCKET_PATH_MAX_BYTES) {
    return addressIn(dataDir, false);
  }
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, HASH_CHARS);
  return addressIn(join(tmpdir(), `recado-${hash}`), true);
}

function addressIn(folder: string, apart: boolean): EngineAddress {
  const socketPath = join(folder, 'mongo.sock');
  return { socketPath, url: urlOf(socketPath), folder, apart };
}

function urlOf(socketPath: string): string {
  return `mongodb://${encodeURIComponent(socketPath)}/?directConnection=true`;
}
