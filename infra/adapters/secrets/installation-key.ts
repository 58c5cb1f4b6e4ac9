/**
 * The key of this installation, known by a sealed probe in the record.
 *
 * 1. No process seals a secret before the probe is stored and has opened under its key.
 * 2. A record without a probe gets one by a key that opens a stored secret, or where there is none.
 * 3. A key is made only where nothing sealed is stored, and is on the disk before the probe is.
 * 4. A lost key is abandoned by its own name: the probe that replaces it has another one.
 */
import { createHash } from 'node:crypto';
import type { Db } from 'mongodb';
import type { SecretLocation, Vault } from '../../../shared/ports/vault.ts';
import { makeSecretsKey, readSecretsKey } from '../../config/secrets-key.ts';
import { opened, type StoredSecret, storedSecrets } from './stored-secrets.ts';
import { createVault } from './vault.ts';

interface ProbeDocument {
  readonly _id: 'secrets';
  readonly probe: string;
}

export interface KeySettings {
  /** SECRETS_KEY, 32 bytes. */
  readonly secretsKey: Uint8Array | undefined;
  /** The key's file; undefined for a role started by itself, which needs SECRETS_KEY. */
  readonly secretsKeyFile: string | undefined;
  /** SECRETS_KEY_LOST: the name of the abandoned key. */
  readonly secretsKeyLost: string | undefined;
}

interface KnownKey {
  /** Undefined where no key is known and nothing is sealed. */
  readonly vault: Vault | undefined;
  readonly probe: Sealed | null;
  /** Sealed by a key that was abandoned by its name. */
  readonly lost: boolean;
}

type Sealed = Pick<StoredSecret, 'sealed' | 'location'>;
/** One sentence about the key. */
type Refused = { readonly refused: string };

const ID = 'secrets';
const PLACE: SecretLocation = { orgId: '', recordId: 'installation', field: 'probe' };
const NAME_CHARS = 8;

/** The vault of this installation; the first one makes its key and its probe. */
export async function openVault(
  db: Db,
  settings: KeySettings,
): Promise<Refused | { readonly vault: Vault }> {
  const known = await examineKey(db, settings);
  if ('refused' in known) return known;
  const vault = known.vault ?? madeVault(settings);
  if ('refused' in vault) return vault;
  if (known.probe === null || known.lost) await storeProbe(db, vault, known.probe);
  const probe = await readProbe(db);
  // A process with another key may have been the first one.
  if (probe === null || opened(vault, probe) !== null) return { vault };
  return { refused: otherKey(settings, probe) };
}

/** Whether the key of the settings is this installation's; changes nothing. */
export async function examineKey(db: Db, settings: KeySettings): Promise<Refused | KnownKey> {
  const { secretsKey, secretsKeyFile: file, secretsKeyLost } = settings;
  // The probe is read before the key: the process that stored it had put the key on the disk.
  const probe = await readProbe(db);
  const found = secretsKey ? { key: secretsKey } : file ? readSecretsKey(file) : undefined;
  if (found && 'broken' in found) return { refused: `${found.broken}: ${restoreHint(settings)}.` };
  const vault = found && vaultOf(found.key);
  const undecryptable =
    probe === null ? await findUndecryptable(db, vault) : undecryptableBy(vault, probe);
  // A secret that another process has sealed since has a probe by now (rule 1).
  if (probe === null && undecryptable !== null && (await readProbe(db)) !== null) {
    return await examineKey(db, settings);
  }
  const lost = undecryptable !== null && secretsKeyLost === nameOf(undecryptable);
  if (undecryptable === null || lost) return { vault, probe, lost };
  return {
    refused: vault ? otherKey(settings, undecryptable) : missingKey(settings, undecryptable),
  };
}

function vaultOf(key: Uint8Array): Vault {
  return createVault(Buffer.from(key).toString('base64'));
}

function madeVault(settings: KeySettings): Refused | Vault {
  const { secretsKeyFile: file } = settings;
  const made = file === undefined ? undefined : makeSecretsKey(file);
  if (made && 'key' in made) return vaultOf(made.key);
  return { refused: `${made?.broken ?? 'There is no key'}: ${restoreHint(settings)}.` };
}

function probes(db: Db) {
  return db.collection<ProbeDocument>('installation');
}

async function readProbe(db: Db): Promise<Sealed | null> {
  const document = await probes(db).findOne({ _id: ID });
  return document && { sealed: document.probe, location: PLACE };
}

/** Never over a probe that another process has stored meanwhile. */
async function storeProbe(db: Db, vault: Vault, before: Sealed | null): Promise<void> {
  const probe = vault.seal(ID, PLACE);
  if (before !== null) {
    await probes(db).updateOne({ _id: ID, probe: before.sealed }, { $set: { probe } });
    return;
  }
  try {
    await probes(db).insertOne({ _id: ID, probe });
  } catch (cause) {
    if (!(cause instanceof Error) || !cause.message.includes('E11000')) throw cause;
  }
}

function undecryptableBy(vault: Vault | undefined, sealed: Sealed): Sealed | null {
  return vault && opened(vault, sealed) !== null ? null : sealed;
}

/** The first stored secret, unless the key opens one of them or there is none. */
async function findUndecryptable(db: Db, vault: Vault | undefined): Promise<Sealed | null> {
  let first: Sealed | null = null;
  for await (const secret of storedSecrets(db)) {
    if (undecryptableBy(vault, secret) === null) return null;
    first ??= secret;
  }
  return first;
}

/** Tells one lost key from the next, and nothing about either. */
function nameOf({ sealed }: Sealed): string {
  return createHash('sha256').update(sealed).digest('hex').slice(0, NAME_CHARS);
}

function missingKey(settings: KeySettings, undecryptable: Sealed): string {
  return `The key of the stored secrets is missing: ${restoreHint(settings)}${lostKeyHint(undecryptable)}.`;
}

function otherKey(settings: KeySettings, undecryptable: Sealed): string {
  const { secretsKey, secretsKeyFile: file } = settings;
  const wrong = `${secretsKey ? 'SECRETS_KEY' : file} is not the key that sealed the stored secrets`;
  const stored = secretsKey && file ? readSecretsKey(file) : undefined;
  if (stored && 'key' in stored && undecryptableBy(vaultOf(stored.key), undecryptable) === null) {
    return `${wrong}, but the one in ${file} is: leave SECRETS_KEY unset.`;
  }
  return `${wrong}: ${restoreHint(settings)}${lostKeyHint(undecryptable)}.`;
}

function restoreHint({ secretsKey, secretsKeyFile: file }: KeySettings): string {
  if (file === undefined) {
    return 'set it to the key of the other processes, which npm start keeps in DATA_DIR/secrets.key';
  }
  return secretsKey
    ? `set it to that key, or put that key into ${file} and leave SECRETS_KEY unset`
    : `put that key into ${file}, or into SECRETS_KEY`;
}

function lostKeyHint(undecryptable: Sealed): string {
  return ` (lost for good: "A lost key" in docs/operations.md, SECRETS_KEY_LOST=${nameOf(undecryptable)})`;
}
