/** Deliveries as the command line lists them. */
import * as v from 'valibot';
import type { Stack } from '../../stack.ts';

const DeliverySchema = v.object({
  id: v.string(),
  event: v.string(),
  subscriptionId: v.string(),
  status: v.string(),
  attempts: v.array(
    v.object({
      at: v.string(),
      status: v.nullable(v.number()),
      ms: v.number(),
      error: v.nullable(v.string()),
    }),
  ),
  createdAt: v.string(),
});
const ListSchema = v.object({ data: v.array(DeliverySchema) });

export type Listed = v.InferOutput<typeof DeliverySchema>;

/** Newest first. */
export async function listed(stack: Stack, org: string, ...more: string[]): Promise<Listed[]> {
  return v.parse(ListSchema, await stack.ask('deliveries', 'list', '--org', org, ...more)).data;
}

export async function subscriptionsOf(stack: Stack, org: string) {
  const row = v.object({
    id: v.string(),
    ref: v.string(),
    enabled: v.boolean(),
    disabledReason: v.nullable(v.string()),
  });
  const answer = await stack.ask('subscriptions', 'list', '--org', org);
  return v.parse(v.object({ data: v.array(row) }), answer).data;
}
