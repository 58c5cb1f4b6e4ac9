/** What the parts of a run write into its history, and read back out of it. */
import * as v from 'valibot';
import { type History, type Seen, seenOf } from '../history.ts';

/** A conversation as it was read at the end, oldest message first. */
const ConversationRead = v.object({
  phone: v.string(),
  conversationId: v.string(),
  status: v.string(),
  messages: v.array(
    v.object({
      id: v.string(),
      direction: v.string(),
      text: v.nullable(v.string()),
      status: v.string(),
    }),
  ),
});
export type ConversationRead = v.InferOutput<typeof ConversationRead>;

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
  /** What the subscriber answered. */
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

export const conversationsRead = (history: History): Seen<ConversationRead>[] =>
  seenOf(history, 'read-conversation', ConversationRead);
export const acceptedByNetwork = (history: History) =>
  seenOf(history, 'network-accepted', Accepted);
export const toldByNetwork = (history: History) => seenOf(history, 'network-told', Told);
export const receivedBySubscriber = (history: History) => seenOf(history, 'received', Received);
export const faultsOf = (history: History) => seenOf(history, 'fault', Fault);
