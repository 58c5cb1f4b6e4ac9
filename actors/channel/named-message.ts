/**
 * Look-up of a message by its network name. The message is a recent send, on record under one of
 * its spellings, or in flight under an id of ours.
 *
 * 1. Channel, direction and canonical id identify a message, whatever chat form they arrive with. A
 *    contact may choose an id equal to one of ours.
 */
import type { NetworkMessageCommand } from '../conversation/commands.ts';
import type { EntryDocument } from '../conversation/documents.ts';
import { type NetworkName, spellings } from '../domain/network-name.ts';
import type { ChannelSender } from './channel-sender.ts';
import type { SentMessage } from './sent-index.ts';

export type MessageLookupContext = Pick<ChannelSender, 'channelId' | 'environment' | 'sent'>;

export interface NamedMessage extends SentMessage {
  /** The contact's id on the network, as its conversation knew it. */
  readonly networkId: string | null;
  /** The message was typed on the phone. */
  readonly isEcho: boolean;
}

/** A message of our own number: sent by us, or typed on the phone. */
export type OwnMessage = SentMessage & Partial<Pick<NamedMessage, 'isEcho'>>;

/** The network has its own clock, and counts whole seconds. */
const CLOCKS_APART_MS = 60_000;
/** A conversation rarely has more messages that are not sent yet. */
const QUEUE_READ = 100;
const PROJECTION = { conversationId: 1, message: 1, after: 1 } as const;

/** Finds a message on record or in flight; null where there is none. */
export async function findMessage(
  { channelId, environment }: MessageLookupContext,
  { direction, ...name }: NetworkName & { readonly direction: 'in' | 'out' },
): Promise<NamedMessage | null> {
  const named = { channelId, externalId: { $in: spellings(name) } };
  const recorded = await environment.store.findOne<EntryDocument>(
    'entries',
    { ...named, 'message.direction': direction },
    { project: PROJECTION },
  );
  if (recorded) return toNamedMessage(recorded);
  if (direction === 'in') return null;
  const sending = await environment.store.findOne<EntryDocument>(
    'entries',
    { channelId, 'send.ownId': name.externalId },
    { project: PROJECTION },
  );
  return sending && toNamedMessage(sending);
}

/** Finds a message of our own number; a recent send costs no read. */
export async function findSent(
  context: MessageLookupContext,
  name: NetworkName,
): Promise<OwnMessage | null> {
  const recent = context.sent.find(name.externalId);
  return recent ?? findMessage(context, { ...name, direction: 'out' });
}

/**
 * Finds the conversation's message in doubt, if its content matches the echo; null otherwise. A
 * network that has forgotten a send shows the message as typed. A send under an id of ours does not
 * match, unless it has a file.
 */
export async function findInDoubt(
  { environment, queues }: Pick<ChannelSender, 'environment' | 'queues'>,
  conversationId: string,
  echo: Pick<NetworkMessageCommand, 'text' | 'media' | 'at'>,
): Promise<OwnMessage | null> {
  const messageId =
    queues.oldestOf(conversationId) ?? (await oldestOnRecord(environment, conversationId));
  const entry =
    messageId === undefined
      ? null
      : await environment.store.byId<EntryDocument>('entries', messageId);
  const { message, send } = entry ?? {};
  if (messageId === undefined || !message || send?.state !== 'sending') return null;
  const hasMedia = message.media !== null;
  const isLike =
    (message.text ?? '').trim() === (echo.text ?? '').trim() &&
    hasMedia === (echo.media !== undefined) &&
    echo.at >= (send.since ?? 0) - CLOCKS_APART_MS;
  // The network accepts no id of ours with a file, whatever was journaled.
  return isLike && (hasMedia || send.ownId === undefined) ? { conversationId, messageId } : null;
}

/** A new owner of the channel may not have read its queue yet. */
async function oldestOnRecord(
  { store }: Pick<ChannelSender['environment'], 'store'>,
  conversationId: string,
): Promise<string | undefined> {
  const latest = await store.find<EntryDocument>(
    'entries',
    { conversationId },
    { sort: { seq: -1 }, limit: QUEUE_READ, project: { send: 1 } },
  );
  return latest.findLast(({ send }) => send !== undefined)?._id;
}

function toNamedMessage({ _id, conversationId, message, after }: EntryDocument): NamedMessage {
  return {
    messageId: _id,
    conversationId,
    networkId: after.networkId,
    isEcho: message?.origin === 'network',
  };
}
