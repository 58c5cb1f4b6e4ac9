/** Schemas of `data` in outbound events (C6.4; docs/events.md, Payloads). */
import * as v from 'valibot';
import type { EventName, TEST_EVENT } from '../events.ts';
import { CONTACT_CHANGES, MESSAGE_KINDS, ORIGINS } from '../vocabulary.ts';
import { ContactSchema } from './contact.ts';
import { ConversationSchema } from './conversation.ts';
import { DealSchema } from './deal.ts';
import { id, timestamp } from './fields.ts';
import {
  ShownAuthor,
  ShownContactCard,
  ShownInteractive,
  ShownLocation,
  ShownMedia,
  ShownReaction,
  ShownTemplate,
  shownCommerce,
} from './message-content.ts';
import { TaskSchema } from './task.ts';

const occurrence = { occurredAt: timestamp, origin: v.picklist(ORIGINS) };

/** The contract's six fields, in its order, then the extras. */
export const MessageEventDataSchema = v.object({
  messageId: id,
  conversationId: id,
  phone: v.string(),
  text: v.nullable(v.string()),
  channelId: id,
  occurredAt: timestamp,
  contactId: id,
  kind: v.picklist(MESSAGE_KINDS),
  origin: v.picklist(ORIGINS),
  author: ShownAuthor,
  /** There at once: its address answers 409 until the file has come. */
  media: v.optional(ShownMedia),
  replyToId: v.optional(id),
  template: v.optional(ShownTemplate),
  interactive: v.optional(ShownInteractive),
  reaction: v.optional(ShownReaction),
  location: v.optional(ShownLocation),
  contacts: v.optional(v.array(ShownContactCard)),
  ...shownCommerce,
  /** The refused message in whose place this template was sent. */
  replacesId: v.optional(id),
  /** Of `message.failed` only. */
  error: v.optional(v.object({ code: v.string(), message: v.string() })),
});

export const ContactEventDataSchema = v.object({ contact: ContactSchema, ...occurrence });

const ContactUpdatedEventDataSchema = v.object({
  contact: ContactSchema,
  changed: v.array(v.picklist(CONTACT_CHANGES)),
  ...occurrence,
});

export const DealEventDataSchema = v.object({ deal: DealSchema, ...occurrence });

export const DealMovedEventDataSchema = v.object({
  deal: DealSchema,
  fromStageId: id,
  toStageId: id,
  ...occurrence,
});

export const TaskEventDataSchema = v.object({ task: TaskSchema, ...occurrence });

/** `memberId` is of the member who did it, where it was one. */
const ConversationEventDataSchema = v.object({
  conversation: ConversationSchema,
  memberId: v.nullable(id),
  ...occurrence,
});

const ConversationAssignedEventDataSchema = v.object({
  conversation: ConversationSchema,
  fromMemberId: v.nullable(id),
  toMemberId: v.nullable(id),
  memberId: v.nullable(id),
  ...occurrence,
});

export const TestEventDataSchema = v.object({ subscriptionId: id, ...occurrence });

/** The schema of each event's `data`. */
export const EVENT_DATA = {
  'message.received': MessageEventDataSchema,
  'message.sent': MessageEventDataSchema,
  'contact.opt_out': ContactEventDataSchema,
  'deal.created': DealEventDataSchema,
  'deal.stage_changed': DealMovedEventDataSchema,
  'deal.won': DealEventDataSchema,
  'deal.lost': DealEventDataSchema,
  'task.created': TaskEventDataSchema,
  'task.completed': TaskEventDataSchema,
  'message.failed': MessageEventDataSchema,
  'message.delivered': MessageEventDataSchema,
  'message.read': MessageEventDataSchema,
  'deal.reopened': DealEventDataSchema,
  'contact.marketing_opt_out': ContactEventDataSchema,
  'conversation.assigned': ConversationAssignedEventDataSchema,
  'conversation.resolved': ConversationEventDataSchema,
  'conversation.reopened': ConversationEventDataSchema,
  'contact.created': ContactEventDataSchema,
  'contact.updated': ContactUpdatedEventDataSchema,
  'subscription.test': TestEventDataSchema,
} as const satisfies Record<EventName | typeof TEST_EVENT, v.GenericSchema>;
