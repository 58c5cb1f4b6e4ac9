/** Names of outbound events (C6.9), and those that a subscription may name. */

/** The contract's nine. */
export const CONTRACT_EVENTS = [
  'message.received',
  'message.sent',
  'contact.opt_out',
  'deal.created',
  'deal.stage_changed',
  'deal.won',
  'deal.lost',
  'task.created',
  'task.completed',
] as const;

/** Extensions: subscribed by name only, never by `*` (D13, D26, D327, D429, D430). */
export const EXTENSION_EVENTS = [
  'message.failed',
  'message.delivered',
  'message.read',
  'deal.reopened',
  'contact.marketing_opt_out',
  'conversation.assigned',
  'conversation.resolved',
  'conversation.reopened',
  'contact.created',
  'contact.updated',
] as const;

export type EventName = (typeof CONTRACT_EVENTS)[number] | (typeof EXTENSION_EVENTS)[number];

/** Test event that an operator sends to one subscription by hand; no subscription can name it. */
export const TEST_EVENT = 'subscription.test';

/** Stands for the contract's nine events. */
export const EVERY_CONTRACT_EVENT = '*';

/** An event that a subscription may name. */
export type SubscribedEvent = EventName | typeof EVERY_CONTRACT_EVENT;
