/** Facts that the parts of a run write into its history, and read back out of it. */
import * as v from 'valibot';
import { type History, type Seen, seenOf } from '../history.ts';

/** Of every message, whatever its network. */
const messageRead = {
  id: v.string(),
  direction: v.string(),
  text: v.nullable(v.string()),
  status: v.string(),
};

/** A conversation as it was read at the end, oldest message first. */
const ConversationRead = v.object({
  phone: v.string(),
  conversationId: v.string(),
  status: v.string(),
  messages: v.array(v.object(messageRead)),
});
export type ConversationRead = v.InferOutput<typeof ConversationRead>;

/** The same of a channel on the bridge. */
const BridgeRead = v.object({
  engine: v.string(),
  /** Null of a contact who is known by a hidden id alone. */
  phone: v.nullable(v.string()),
  conversationId: v.string(),
  status: v.string(),
  messages: v.array(
    v.object({
      ...messageRead,
      externalId: v.nullable(v.string()),
      error: v.optional(v.object({ code: v.string() })),
    }),
  ),
});
export type BridgeRead = v.InferOutput<typeof BridgeRead>;

/** A conversation of scheduled messages, as it was read at the end. */
const ScheduledRead = v.object({
  phone: v.string(),
  messages: v.array(
    v.object({ ...messageRead, error: v.optional(v.object({ code: v.string() })) }),
  ),
});

/** The bridge took a message. */
const BridgeAccepted = v.object({
  text: v.nullable(v.string()),
  externalId: v.string(),
  /** The network's code: taken, and never delivered. */
  failed: v.nullable(v.number()),
});

/** The network took a message: `messageId` is ours, as the request carried it. */
const Accepted = v.object({
  to: v.string(),
  text: v.nullable(v.string()),
  externalId: v.string(),
  messageId: v.nullable(v.string()),
});

/** The service answered 200 to the network's word of a message. */
const Told = v.object({ externalId: v.string() });

const Received = v.object({
  delivery: v.string(),
  event: v.string(),
  /** The raw body, base64. */
  bytes: v.string(),
  signature: v.string(),
  /** The subscriber's answer. */
  answered: v.number(),
});

/** A fault from its beginning to its end; `parts` names what it touched. */
const Fault = v.object({
  kind: v.string(),
  parts: v.array(v.string()),
  from: v.number(),
  to: v.number(),
});
export type Fault = v.InferOutput<typeof Fault>;

/** Of the bridge itself, while its machines are well. */
const BridgeFault = v.object({ kind: v.string(), engine: v.string(), from: v.number() });

export const conversationsRead = (history: History): Seen<ConversationRead>[] =>
  seenOf(history, 'read-conversation', ConversationRead);
export const scheduledRead = (history: History) => seenOf(history, 'read-scheduled', ScheduledRead);
export const acceptedByNetwork = (history: History) =>
  seenOf(history, 'network-accepted', Accepted);
export const toldByNetwork = (history: History) => seenOf(history, 'network-told', Told);
export const receivedBySubscriber = (history: History) => seenOf(history, 'received', Received);
export const faultsOf = (history: History) => seenOf(history, 'fault', Fault);
export const bridgeFaultsOf = (history: History) => seenOf(history, 'bridge-fault', BridgeFault);
export const bridgesRead = (history: History): Seen<BridgeRead>[] =>
  seenOf(history, 'read-bridge', BridgeRead);
export const acceptedByBridge = (history: History) =>
  seenOf(history, 'bridge-accepted', BridgeAccepted);
