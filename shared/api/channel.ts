/** Channels as the service shows them (C2.3). */
import * as v from 'valibot';
import { PROVIDERS } from '../vocabulary.ts';
import { id, timestamp } from './fields.ts';

export const ChannelSchema = v.object({
  id,
  label: v.string(),
  provider: v.picklist(PROVIDERS),
  phone: v.string(),
  enabled: v.boolean(),
  ready: v.boolean(),
  reason: v.nullable(v.string()),
  restriction: v.optional(v.object({ until: v.nullable(timestamp), message: v.string() })),
  createdAt: timestamp,
});
export type Channel = v.InferOutput<typeof ChannelSchema>;

export const ListChannelsAnswer = v.object({ data: v.array(ChannelSchema) });
