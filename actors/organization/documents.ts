/** Organizations in MongoDB: one document each, and who holds which key's digest. */
import type { Document, Store } from '../../shared/ports.ts';
import type { OrganizationState } from '../domain/organization-state.ts';
import { assertLanded } from '../runtime/landed.ts';

export interface OrganizationDocument extends Document, Omit<OrganizationState, 'id'> {}

/** `_id` is the digest: a token is unique in the installation. */
export interface KeyClaimDocument extends Document {
  readonly orgId: string;
  readonly keyId: string;
}

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

/** Some properties of it: whoever needs a few reads nothing else. */
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

/** Compare-and-set of `version`, which the decision has raised. */
export async function commitOrganization(store: Store, state: OrganizationState): Promise<void> {
  const { id, ...fields } = state;
  const withoutTags = fields.tags === undefined ? { $unset: { tags: '' } } : {};
  const [written] = await store.commit([
    state.version === 1
      ? { insert: 'organizations', document: { _id: id, ...fields } }
      : {
          update: 'organizations',
          filter: { _id: id, version: state.version - 1 },
          change: { $set: fields, ...withoutTags },
          upsert: true,
        },
  ]);
  assertLanded(written, `organization ${id}`);
}
