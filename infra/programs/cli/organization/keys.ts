/** `recado keys create|list|revoke`. */
import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import { ENTRY_PREFIXES } from '../../../../shared/provisioning/names.ts';
import { listSchema, readAnswer } from '../service/answer.ts';
import { operatorAs } from '../service/operator.ts';
import { askOrganization, findOrganization } from '../service/organizations.ts';
import type { Service } from '../service/service.ts';

const SEED_BYTES = 32;

const createdSchema = v.object({
  id: v.string(),
  token: v.string(),
  prefix: v.string(),
  scope: v.string(),
});

export interface KeyOptions {
  readonly org?: string;
  readonly name: string;
  readonly scope: string;
  readonly channel?: string;
  readonly access: string;
  readonly expiresAt?: string;
  readonly assistant?: boolean;
}

/** The token is printed only this once. */
export async function createKey(service: Service, options: KeyOptions) {
  const { org, ...key } = options;
  const orgId = await findOrganization(service, org);
  const answer = await askOrganization(service, orgId, {
    type: 'keys.create',
    id: service.ids.fresh(ENTRY_PREFIXES.keys),
    seed: randomBytes(SEED_BYTES).toString('base64url'),
    ...key,
    ...operatorAs('createKey'),
  });
  return readAnswer(createdSchema, answer);
}

export async function listKeys(service: Service, org?: string) {
  const orgId = await findOrganization(service, org);
  return readAnswer(listSchema, await askOrganization(service, orgId, { type: 'keys.list' }));
}

const ownerSchema = v.object({ orgId: v.string() });
const revokedSchema = v.object({ id: v.string(), revokedAt: v.string() });

export async function revokeKey(service: Service, keyId: string) {
  const { orgId } = readAnswer(ownerSchema, await service.query('key-owner', { keyId }));
  const by = operatorAs('revokeKey');
  const answer = await askOrganization(service, orgId, { type: 'keys.revoke', keyId, ...by });
  return readAnswer(revokedSchema, answer);
}
