/** Deals in a history. */
import * as v from 'valibot';
import type { Call } from '../history.ts';

export const Deal = v.object({
  id: v.string(),
  title: v.string(),
  status: v.string(),
  stageId: v.string(),
  lostReason: v.nullable(v.string()),
  updatedAt: v.string(),
});
export type Deal = v.InferOutput<typeof Deal>;

export const CREATE = { request: v.object({ title: v.string() }), answer: Deal };
export const CHANGE = {
  request: v.object({
    dealId: v.string(),
    title: v.optional(v.string()),
    stageId: v.optional(v.string()),
    status: v.optional(v.string()),
    lostReason: v.optional(v.string()),
  }),
  answer: Deal,
};
export type Change = Call<v.InferOutput<typeof CHANGE.request>, Deal>;
