/**
 * Whether the key opens the sealed texts: the installation's probe, then every secret in use. A
 * stored secret that no library verifies with is named.
 */
import type { Db } from 'mongodb';
import type { DoctorRow } from '../../../../shared/panel/operation.ts';
import {
  isVerifiable,
  UNVERIFIABLE_SECRET,
} from '../../../../shared/provisioning/signing-secret.ts';
import { examineKey } from '../../../adapters/secrets/installation-key.ts';
import { opened, storedSecrets } from '../../../adapters/secrets/stored-secrets.ts';
import type { Config } from '../../../config/config.ts';
import { secretsKeyFile } from '../../../config/secrets-key.ts';
import { failed, passed } from './check.ts';
import { firstOf } from './humanize.ts';

const NAME = 'secrets';

export async function checkSecrets(db: Db, config: Config): Promise<DoctorRow> {
  const file = secretsKeyFile(config.dataDir);
  const known = await examineKey(db, { ...config, secretsKeyFile: file });
  if ('refused' in known) {
    const refused = { code: 'foreign', params: { text: known.refused } } as const;
    return failed(NAME, [refused], { code: 'giveKey', params: {} });
  }
  const { vault } = known;
  if (!vault) return passed(NAME, { code: 'nothingSealed', params: {} });
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
    const params = { count: undecryptable.length, of: count, ...namesOf(undecryptable) };
    const remedy = { code: 'resealSecrets', params: {} } as const;
    return failed(NAME, [{ code: 'someClosed', params }], remedy);
  }
  const open = { code: 'allOpen', params: { count } } as const;
  if (unverifiable.length === 0) return passed(NAME, open);
  const found = { code: 'unverifiable', params: namesOf(unverifiable) } as const;
  const { params } = UNVERIFIABLE_SECRET;
  return failed(NAME, [open, found], { code: 'rotateSecrets', params });
}

function namesOf(secrets: readonly string[]) {
  const { shown: names, more } = firstOf(secrets);
  return { names, more };
}
