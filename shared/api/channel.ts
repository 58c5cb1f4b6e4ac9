/** Channels as the service shows them (C2.3). */
import * as v from 'valibot';
import { BACKLOG_COUNTED_MAX } from '../limits.ts';
import { PROVIDERS } from '../vocabulary.ts';
import { id, timestamp, wholeCount } from './fields.ts';

/** Messages of one urgency that wait in a channel's queue. */
const QueueBacklogSchema = v.object({
  /** Counted up to `BACKLOG_COUNTED_MAX`. */
  queued: v.pipe(wholeCount, v.maxValue(BACKLOG_COUNTED_MAX)),
  /** There are more than were counted. */
  more: v.boolean(),
  oldestQueuedAt: v.nullable(timestamp),
});
export type QueueBacklog = v.InferOutput<typeof QueueBacklogSchema>;

export const ChannelBacklogSchema = v.object({
  reply: QueueBacklogSchema,
  normal: QueueBacklogSchema,
  bulk: QueueBacklogSchema,
});
export type ChannelBacklog = v.InferOutput<typeof ChannelBacklogSchema>;

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
  backlog: ChannelBacklogSchema,
});
export type Channel = v.InferOutput<typeof ChannelSchema>;

export const ListChannelsAnswer = v.object({ data: v.array(ChannelSchema) });
