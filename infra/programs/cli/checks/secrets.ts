/** Whether the key opens the sealed texts: the installation's probe, then every secret in use. */
import type { Db } from 'mongodb';
import { examineKey } from '../../../adapters/secrets/installation-key.ts';
import { opens, storedSecrets } from '../../../adapters/secrets/stored-secrets.ts';
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
  for await (const secret of storedSecrets(db)) {
    if (!secret.inUse) continue;
    count += 1;
    if (!opens(vault, secret)) undecryptable.push(secret.name);
  }
  if (undecryptable.length === 0) return pass(NAME, `the key opens all ${count}`);
  const more =
    undecryptable.length > NAMED_MAX ? ` and ${undecryptable.length - NAMED_MAX} more` : '';
  return fail(
    NAME,
    `${undecryptable.length} of ${count} do not open: ${undecryptable.slice(0, NAMED_MAX).join(', ')}${more}`,
    'Apply the network settings of these channels again, and rotate these subscriptions.',
  );
}
