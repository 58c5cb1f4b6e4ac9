/**
 * The files that settings of NATS name. A wrong one stops the start: the client library would try
 * again for ever, without saying which file it is.
 */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { natsAccess } from '../adapters/nats/access.ts';
import { type Config, ConfigError } from './config.ts';
import { SETTING_DESCRIPTIONS, type SettingName } from './settings.ts';

type NatsFiles = Pick<Config, 'natsUrl' | 'natsCaFile' | 'natsCredsFile'>;

/** @throws {ConfigError} when a file cannot be read, or has not what its setting takes */
export function requireNatsFiles({ natsUrl, natsCaFile, natsCredsFile }: NatsFiles): void {
  requireFile('NATS_CA_FILE', natsCaFile, (text) => new X509Certificate(text));
  requireFile('NATS_CREDS_FILE', natsCredsFile, requireCredentials);
  if (natsCredsFile === undefined || natsUrl === undefined) return;
  const { token, user } = natsAccess(natsUrl);
  if (token === undefined && user === undefined) return;
  throw new ConfigError(['NATS_URL takes no credentials beside NATS_CREDS_FILE.']);
}

function requireFile(
  name: SettingName,
  path: string | undefined,
  parse: (text: string) => unknown,
): void {
  if (path === undefined) return;
  try {
    parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const problem = `${name} takes ${SETTING_DESCRIPTIONS[name]}, not ${path}: ${reason}.`;
    throw new ConfigError([problem], { cause: error });
  }
}

/** As `nsc generate creds` writes them. */
function requireCredentials(text: string): void {
  const hasToken = /^\s*eyJ[\w-]+\.[\w-]+\.[\w-]+\s*$/m.test(text);
  const hasSeed = /^\s*SU[A-Z2-7]{56}\s*$/m.test(text);
  if (!hasToken || !hasSeed) throw new Error('it has no token and seed of a user');
}
