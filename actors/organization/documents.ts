/** Organizations in MongoDB: one document each, and one claim for each key's digest. */
import type { Document, Store } from '../../shared/ports/store.ts';
import type { OrganizationState } from '../domain/organization/state.ts';
import { assertCommitted } from '../runtime/assert-committed.ts';

export interface OrganizationDocument extends Document, Omit<OrganizationState, 'id'> {}

/** `_id` is the digest: a token is unique in the installation. */
export interface KeyClaimDocument extends Document {
  readonly orgId: string;
  readonly keyId: string;
}

/** Unique index: a network number belongs to one channel (infra/adapters/mongo/indexes). */
const NUMBERS_INDEX = 'organization_numbers';

function stateOf(document: OrganizationDocument): OrganizationState {
  const { _id, ...state } = document;
  return { id: _id, ...state };
}

export async function loadOrganization(
  store: Store,
  orgId: string,
): Promise<OrganizationState | null> {
  const document = await store.findOne<OrganizationDocument>('organizations', { _id: orgId });
  return document && stateOf(document);
}

/** Some properties of the organization; null where there is none. */
export async function readOrganization<Name extends keyof OrganizationState>(
  store: Store,
  orgId: string,
  names: readonly Name[],
): Promise<Pick<OrganizationState, Name> | null> {
  const project = Object.fromEntries(names.map((name) => [name, 1 as const]));
  return store.findOne<Document & Pick<OrganizationState, Name>>(
    'organizations',
    { _id: orgId },
    { project },
  );
}

/** Properties that a later state may lack. */
const OPTIONAL = ['tags', 'numbers', 'removed', 'lastApply'] as const;

/**
 * Compare-and-set of `version`, which the decision has raised. False where another organization has
 * one of its network numbers: nothing was stored.
 * @throws {StaleState} where the stored version is another one
 */
export async function compareAndSetOrganization(
  store: Store,
  state: OrganizationState,
): Promise<boolean> {
  const { id, ...fields } = state;
  const gone = OPTIONAL.filter((name) => fields[name] === undefined);
  const without = { $unset: Object.fromEntries(gone.map((name) => [name, ''])) };
  const [written] = await store.commit([
    state.version === 1
      ? { insert: 'organizations', document: { _id: id, ...fields } }
      : {
          update: 'organizations',
          filter: { _id: id, version: state.version - 1 },
          change: { $set: fields, ...(gone.length > 0 ? without : {}) },
          upsert: true,
        },
  ]);
  if (written?.ok === false && 'duplicate' in written && written.duplicate === NUMBERS_INDEX) {
    return false;
  }
  assertCommitted(written, `organization ${id}`);
  return true;
}
