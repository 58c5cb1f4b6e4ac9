/**
 * Whether the key opens the sealed texts: the installation's probe, then every secret in use. A
 * stored secret that no library verifies with is named.
 */
import type { Db } from 'mongodb';
import {
  isVerifiable,
  UNVERIFIABLE_SECRET,
} from '../../../../shared/provisioning/signing-secret.ts';
import { examineKey } from '../../../adapters/secrets/installation-key.ts';
import { opened, storedSecrets } from '../../../adapters/secrets/stored-secrets.ts';
import type { Config } from '../../../config/config.ts';
import { secretsKeyFile } from '../../../config/secrets-key.ts';
import { type Check, fail, pass } from './check.ts';

const NAME = 'secrets';
const NAMED_MAX = 5;

export async function checkSecrets(db: Db, config: Config): Promise<Check> {
  const file = secretsKeyFile(config.dataDir);
  const known = await examineKey(db, { ...config, secretsKeyFile: file });
  if ('refused' in known) {
    return fail(NAME, known.refused, 'Run this with the key of the service, then mend the key.');
  }
  const { vault } = known;
  if (!vault) return pass(NAME, 'nothing is sealed yet');
  let count = 0;
  const undecryptable: string[] = [];
  const unverifiable: string[] = [];
  for await (const secret of storedSecrets(db)) {
    if (!secret.inUse) continue;
    count += 1;
    const plain = opened(vault, secret);
    if (plain === null) undecryptable.push(secret.name);
    else if (secret.signs && !isVerifiable(plain)) unverifiable.push(secret.name);
  }
  if (undecryptable.length > 0) {
    return fail(
      NAME,
      `${undecryptable.length} of ${count} do not open: ${namesOf(undecryptable)}`,
      'Apply the network settings of these channels again, and rotate these subscriptions.',
    );
  }
  if (unverifiable.length === 0) return pass(NAME, `the key opens all ${count}`);
  return fail(
    NAME,
    `the key opens all ${count}; no library verifies with ${namesOf(unverifiable)}`,
    `Rotate these subscriptions: a secret of your own ${UNVERIFIABLE_SECRET}.`,
  );
}

function namesOf(secrets: readonly string[]): string {
  const more = secrets.length > NAMED_MAX ? ` and ${secrets.length - NAMED_MAX} more` : '';
  return secrets.slice(0, NAMED_MAX).join(', ') + more;
}
