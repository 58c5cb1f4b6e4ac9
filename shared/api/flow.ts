/** Schemas of flows: filters, starts and answers (C2.7, C4.10, C4.11). */
import * as v from 'valibot';
import { booleanField, id, idText, phoneText, requestObject, timestamp } from './fields.ts';

export const FlowSchema = v.object({
  id,
  name: v.string(),
  enabled: v.boolean(),
  channelId: v.nullable(v.string()),
  isMain: v.boolean(),
  updatedAt: timestamp,
});
export type Flow = v.InferOutput<typeof FlowSchema>;

export const ListFlowsQuery = requestObject({ enabled: v.optional(booleanField) });
export const ListFlowsAnswer = v.object({ data: v.array(FlowSchema) });

export const StartFlowBody = requestObject({
  channelId: v.optional(idText),
  phone: phoneText,
});

function startAnswer(result: 'started' | 'skipped') {
  return v.object({
    data: v.object({ conversationId: id, flowId: id, result: v.literal(result) }),
  });
}
export const StartedAnswer = startAnswer('started');
export const SkippedAnswer = startAnswer('skipped');
