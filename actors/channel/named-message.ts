/**
 * Finds the message that a name of the network belongs to: among those sent lately, on record under
 * one of its spellings, or on its way under an id that was given to it.
 *
 * 1. The channel, the direction and the canonical id name a message, whatever chat form they come
 *    with: a contact may choose an id equal to one of ours.
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
  /** It was typed on the phone. */
  readonly isEcho: boolean;
}

/** Of our own number: sent by us, or typed on the phone. */
export type OwnMessage = SentMessage & Partial<Pick<NamedMessage, 'isEcho'>>;

/** The network's times are its own, in whole seconds. */
const CLOCKS_APART_MS = 60_000;
/** More of one conversation are rarely on their way. */
const QUEUE_READ = 100;
const PROJECTION = { conversationId: 1, message: 1, after: 1 } as const;

/** On record, or on its way. */
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

/** Of our own number; what was sent lately costs no read. */
export async function findSent(
  context: MessageLookupContext,
  name: NetworkName,
): Promise<OwnMessage | null> {
  const recent = context.sent.find(name.externalId);
  return recent ?? findMessage(context, { ...name, direction: 'out' });
}

/**
 * The message of the conversation whose fate is not known, if it says the same: a network that has
 * forgotten what was sent through it shows it as typed. Only where it took no id of ours.
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
  // Calls with a file take no id, whatever was journaled.
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
