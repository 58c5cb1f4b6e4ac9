/** Output of `recado apply` (C12.7). */
import assert from 'node:assert/strict';
import * as v from 'valibot';

const AppliedOrgSchema = v.object({
  id: v.string(),
  members: v.record(v.string(), v.string()),
  channels: v.record(
    v.string(),
    v.object({ id: v.string(), inboundWebhookUrl: v.string(), networkWebhookUrl: v.string() }),
  ),
  keys: v.record(v.string(), v.object({ id: v.string(), token: v.optional(v.string()) })),
  pipelines: v.record(
    v.string(),
    v.object({ id: v.string(), stages: v.record(v.string(), v.string()) }),
  ),
  flows: v.record(v.string(), v.string()),
  files: v.record(v.string(), v.string()),
  subscriptions: v.record(v.string(), v.object({ id: v.string(), secret: v.optional(v.string()) })),
});
export const AppliedSchema = v.object({ orgs: v.record(v.string(), AppliedOrgSchema) });
export type Applied = v.InferOutput<typeof AppliedSchema>;

/** The entry of that name; fails where there is none. */
export function named<T>(entries: Readonly<Record<string, T>>, name: string): T {
  const entry = entries[name];
  assert.ok(entry !== undefined, `there is a "${name}"`);
  return entry;
}
