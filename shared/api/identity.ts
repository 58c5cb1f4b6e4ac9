/** Identity of a key (C2.2, D3). */
import * as v from 'valibot';
import { ACCESSES, PROVIDERS, SCOPES } from '../vocabulary.ts';
import { id, timestamp } from './fields.ts';

export const IdentitySchema = v.object({
  org: v.object({ id, name: v.string() }),
  scope: v.picklist(SCOPES),
  channel: v.nullable(
    v.object({ id, label: v.string(), provider: v.picklist(PROVIDERS), phone: v.string() }),
  ),
  token: v.object({
    id,
    name: v.string(),
    prefix: v.string(),
    createdAt: timestamp,
    lastUsedAt: v.nullable(timestamp),
    access: v.picklist(ACCESSES),
    expiresAt: v.nullable(timestamp),
    assistant: v.optional(v.literal(true)),
  }),
});
export type Identity = v.InferOutput<typeof IdentitySchema>;

export const IdentityAnswer = v.object({ data: IdentitySchema });
