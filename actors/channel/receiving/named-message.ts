/**
 * Look-up of a message by its network name. The message is a recent send, on record, or in flight
 * under an id of ours.
 *
 * 1. Channel, direction and canonical id identify a message, whatever chat form they arrive with. A
 *    contact may choose an id equal to one of ours.
 */

import type { NetworkName } from '../../domain/conversation/network-message.ts';
import type { Filter } from '../../model/collections.ts';
import type { EntryDocument } from '../../model/conversation.ts';
import type { SentMessage } from '../sending/sent-index.ts';
import type { RoutingContext } from './receiving-channel.ts';

export type MessageLookupContext = Pick<RoutingContext, 'channelId' | 'environment' | 'sent'>;

export interface NamedMessage extends SentMessage {
  /** The contact's id on the network, as its conversation knew it. */
  readonly networkId: string | null;
  /** The message was typed on the phone. */
  readonly isEcho: boolean;
}

/** A message of our own number: sent by us, or typed on the phone. */
export type OwnMessage = SentMessage & Partial<Pick<NamedMessage, 'isEcho'>>;

const PROJECTION = { conversationId: 1, message: 1, after: 1 } as const;
const SENT_PROJECTION = { conversationId: 1, externalId: 1, message: 1 } as const;

/** Finds a message on record or in flight; null where there is none. */
export async function findMessage(
  { channelId, environment }: MessageLookupContext,
  { direction, externalId }: NetworkName & { readonly direction: 'in' | 'out' },
): Promise<NamedMessage | null> {
  const { store } = environment;
  const find = (filter: Filter<'entries'>) =>
    store.findOne('entries', { channelId, ...filter }, { project: PROJECTION });
  const recorded = await find({ externalId, 'message.direction': direction });
  if (recorded) return toNamedMessage(recorded);
  if (direction === 'in') return null;
  const sending = await find({ 'send.ownId': externalId });
  return sending && toNamedMessage(sending);
}

/** Of one read. */
const MESSAGES_READ = 500;

/**
 * Reads the messages of many statuses at once, and keeps them as recent sends. After an overload
 * the network repeats webhooks of a thousand statuses, whose messages are no recent sends any more:
 * with a read each they took every connection to the store, and were repeated again.
 *
 * @param named by our message id, or by the network's where a status does not have ours
 */
export async function readSent(
  { channelId, environment: { store }, sent }: MessageLookupContext,
  named: readonly { readonly messageId?: string; readonly externalId: string }[],
): Promise<void> {
  const unknown = named.filter((each) => !sent.find(each.messageId ?? each.externalId));
  // A single one is found by its own read.
  if (unknown.length < 2) return;
  for (const $in of inParts(unknown.flatMap(({ messageId }) => messageId ?? []))) {
    const filter = { _id: { $in }, channelId };
    const found = await store.find('entries', filter, { project: { conversationId: 1 } });
    for (const { _id: messageId, conversationId } of found) {
      sent.keep(messageId, { conversationId, messageId });
    }
  }
  for (const $in of inParts(unknown.flatMap((each) => (each.messageId ? [] : each.externalId)))) {
    const filter = { channelId, externalId: { $in }, 'message.direction': 'out' } as const;
    const found = await store.find('entries', filter, { project: SENT_PROJECTION });
    for (const { _id: messageId, conversationId, externalId, message } of found) {
      // What was typed on the phone is no send of ours.
      if (!externalId || message?.origin === 'network') continue;
      sent.keep(externalId, { conversationId, messageId });
    }
  }
}

function inParts(names: readonly string[]): readonly (readonly string[])[] {
  const parts = Math.ceil(names.length / MESSAGES_READ);
  return Array.from({ length: parts }, (_, part) =>
    names.slice(part * MESSAGES_READ, (part + 1) * MESSAGES_READ),
  );
}

/** Finds a message of our own number; a recent send costs no read. */
export async function findSent(
  context: MessageLookupContext,
  name: NetworkName,
): Promise<OwnMessage | null> {
  const recent = context.sent.find(name.externalId);
  return recent ?? findMessage(context, { ...name, direction: 'out' });
}

type Named = Pick<EntryDocument, '_id' | 'conversationId' | 'message' | 'after'>;

function toNamedMessage(entry: Named): NamedMessage {
  const { _id: messageId, conversationId, message, after } = entry;
  const isEcho = message?.origin === 'network';
  return { messageId, conversationId, networkId: after.networkId, isEcho };
}
