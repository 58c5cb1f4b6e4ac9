/** The client library's options of servers, credentials and TLS. */
import { existsSync, readFileSync } from 'node:fs';
import { type ConnectionOptions, credsAuthenticator } from 'nats';
import { type NatsSettings, natsAccess } from './access.ts';

/** @throws as `natsAccess`, and when the file of credentials cannot be read */
export function connectionOptions(settings: NatsSettings): ConnectionOptions {
  const { natsUrl, natsCaFile, natsCredsFile } = settings;
  const access = natsAccess(natsUrl);
  return {
    ...access,
    ...(natsCredsFile && { authenticator: credsAuthenticator(credsOf(natsCredsFile)) }),
    ...tlsOf(access.servers, natsCaFile),
  };
}

/**
 * Read at each connect: renewed credentials need no restart. While the file is away, as in the
 * moment of its renewal, those of before count.
 */
function credsOf(file: string): () => Uint8Array {
  let creds = readFileSync(file);
  return () => {
    if (existsSync(file)) creds = readFileSync(file);
    return creds;
  };
}

/**
 * With TLS options the library refuses a server that offers none. Without them it speaks in plain
 * text to whoever says that it has no TLS, whatever the address says.
 */
function tlsOf(
  servers: readonly string[],
  natsCaFile: string | undefined,
): Pick<ConnectionOptions, 'tls'> {
  if (natsCaFile !== undefined) return { tls: { caFile: natsCaFile } };
  return servers.some((server) => server.startsWith('tls://')) ? { tls: {} } : {};
}
