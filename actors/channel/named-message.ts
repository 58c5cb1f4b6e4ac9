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
import type { Desk } from './desk.ts';
import type { SentMessage } from './sent-index.ts';

export type NamingDesk = Pick<Desk, 'channelId' | 'world' | 'sent'>;

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
const SHOWN = { conversationId: 1, message: 1, after: 1 } as const;

/** On record, or on its way. */
export async function findMessage(
  { channelId, world }: NamingDesk,
  { direction, ...name }: NetworkName & { readonly direction: 'in' | 'out' },
): Promise<NamedMessage | null> {
  const named = { channelId, externalId: { $in: spellings(name) } };
  const recorded = await world.store.findOne<EntryDocument>(
    'entries',
    { ...named, 'message.direction': direction },
    { project: SHOWN },
  );
  if (recorded) return shown(recorded);
  if (direction === 'in') return null;
  const sending = await world.store.findOne<EntryDocument>(
    'entries',
    { channelId, 'send.ownId': name.externalId },
    { project: SHOWN },
  );
  return sending && shown(sending);
}

/** Of our own number; what was sent lately costs no read. */
export async function findSent(desk: NamingDesk, name: NetworkName): Promise<OwnMessage | null> {
  const lately = desk.sent.find(name.externalId);
  return lately ?? findMessage(desk, { ...name, direction: 'out' });
}

/**
 * The message of the conversation whose fate is not known, if it says the same: a network that has
 * forgotten what was sent through it shows it as typed. Only where it took no id of ours.
 */
export async function findInDoubt(
  { world, lanes }: Pick<Desk, 'world' | 'lanes'>,
  conversationId: string,
  said: Pick<NetworkMessageCommand, 'text' | 'media' | 'at'>,
): Promise<OwnMessage | null> {
  const messageId = lanes.oldestOf(conversationId) ?? (await oldestOnRecord(world, conversationId));
  const entry =
    messageId === undefined ? null : await world.store.byId<EntryDocument>('entries', messageId);
  const { message, send } = entry ?? {};
  if (messageId === undefined || !message || send?.state !== 'sending') return null;
  const hasMedia = message.media !== null;
  const isLike =
    (message.text ?? '').trim() === (said.text ?? '').trim() &&
    hasMedia === (said.media !== undefined) &&
    said.at >= (send.since ?? 0) - CLOCKS_APART_MS;
  // Calls with a file take no id, whatever was journaled.
  return isLike && (hasMedia || send.ownId === undefined) ? { conversationId, messageId } : null;
}

/** A new owner of the channel may not have read its queue yet. */
async function oldestOnRecord(
  { store }: Pick<Desk['world'], 'store'>,
  conversationId: string,
): Promise<string | undefined> {
  const latest = await store.find<EntryDocument>(
    'entries',
    { conversationId },
    { sort: { seq: -1 }, limit: QUEUE_READ, project: { send: 1 } },
  );
  return latest.findLast(({ send }) => send !== undefined)?._id;
}

function shown({ _id, conversationId, message, after }: EntryDocument): NamedMessage {
  return {
    messageId: _id,
    conversationId,
    networkId: after.networkId,
    isEcho: message?.origin === 'network',
  };
}
