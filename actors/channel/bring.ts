/**
 * Brings an event of the network to its conversation, and what came too early to its message.
 *
 * 1. Events under one network name (direction and canonical id) go one after the other: a message
 *    that comes under two chat forms side by side is on record under the first before the second is
 *    looked at.
 * 2. An echo of a message which we sent, or are sending, is its receipt: by its id, or where the
 *    network takes no id of ours by what a message in doubt says.
 * 3. A change goes to the message on record; a contact changes only what was written in its own
 *    conversation. Before its message it is kept.
 */
import type { Command } from '../../shared/ports.ts';
import type { ChangeMessageCommand, ReceiptCommand } from '../conversation/commands.ts';
import type { MessageChange } from '../domain/message-change.ts';
import { type NetworkName, namesOf } from '../domain/network-name.ts';
import type { Desk } from './desk.ts';
import { findInDoubt, findMessage, findSent, type NamedMessage } from './named-message.ts';
import type { Placed, PlacedChange, PlacedMessage } from './placement.ts';

export interface Bringing {
  readonly desk: Desk;
  /** The network can be asked what was sent through it, and may take that for typed. */
  readonly looksUp: boolean;
  /** False when no owner took the command. */
  readonly ask: (conversationId: string, command: Command) => Promise<boolean>;
}

/** False: the network must repeat it. */
export function bring(to: Bringing, placed: Placed): Promise<boolean> {
  if (!('event' in placed)) return to.ask(placed.conversationId, placed.command);
  const { direction, externalId } = placed;
  return to.desk.oneByOne.run(`${direction}/${externalId}`, () => {
    if (placed.event === 'change') return bringChange(to, placed);
    return direction === 'in' ? bringInbound(to, placed) : bringEcho(to, placed);
  });
}

async function bringInbound(to: Bringing, placed: PlacedMessage): Promise<boolean> {
  if (!(await to.ask(placed.conversationId, placed.command))) return false;
  return bringEarlyChanges(to, placed);
}

async function bringEcho(to: Bringing, placed: PlacedMessage): Promise<boolean> {
  const { desk } = to;
  const { conversationId, command, messageId, externalId } = placed;
  // It may be of what is being sent just now: its network id is about to be known.
  await desk.handing.ended(conversationId);
  const known =
    (await findSent(desk, placed)) ??
    (to.looksUp ? await findInDoubt(desk, conversationId, command) : null);
  if (known && known.isEcho !== true) {
    return to.ask(known.conversationId, sentReceipt(to, placed, known.messageId));
  }
  if (!(await to.ask(conversationId, command))) return false;
  // Told again, it may be on record in another conversation, or under an id of earlier releases.
  await desk.early.apply({ ...(known ?? { conversationId, messageId }), externalId });
  return bringEarlyChanges(to, placed);
}

/** The network shows a message of ours: it has taken it. */
function sentReceipt({ desk }: Bringing, placed: PlacedMessage, messageId: string): ReceiptCommand {
  const { at } = placed;
  const receipt = { status: 'sent', at, ...namesOf(placed) } as const;
  return { id: desk.world.ids.fresh('cmd'), type: 'receipt', messageId, receipt, networkId: null };
}

async function bringChange(to: Bringing, placed: PlacedChange): Promise<boolean> {
  const { desk } = to;
  const { change, direction, conversationId } = placed;
  if (direction === 'out') await desk.handing.ended(conversationId);
  const find = () => findMessage(desk, placed);
  let message = await find();
  if (!message) {
    await desk.early.changes.keep(earlyName(placed), change);
    // An owner before this one may have recorded the message since.
    message = await find();
    if (!message) return true;
  }
  if (isAuthor(placed, message)) return askToChange(to, message, placed);
  desk.world.log.warn({ channelId: desk.channelId }, 'a change by another than the author');
  return true;
}

/** Our own phone may change whatever our number wrote. */
function isAuthor(placed: PlacedChange, message: NamedMessage): boolean {
  const { direction, conversationId, personIds } = placed;
  if (direction === 'out' || message.conversationId === conversationId) return true;
  return message.networkId !== null && personIds.includes(message.networkId);
}

async function bringEarlyChanges(to: Bringing, placed: PlacedMessage): Promise<boolean> {
  const { desk } = to;
  const name = earlyName(placed);
  const changes = await desk.early.changes.find(name);
  if (changes.length === 0) return true;
  const message = await findMessage(desk, placed);
  // A message of this name that is another conversation's has another author.
  if (message?.conversationId !== placed.conversationId) return true;
  for (const change of changes) {
    if (!(await askToChange(to, message, { ...placed, change }))) return false;
  }
  await desk.early.changes.forget(name);
  return true;
}

function askToChange(
  { desk, ask }: Bringing,
  { messageId, conversationId }: NamedMessage,
  { direction, change }: { readonly direction: 'in' | 'out'; readonly change: MessageChange },
): Promise<boolean> {
  const command: ChangeMessageCommand = {
    id: desk.world.ids.fresh('cmd'),
    type: 'change-message',
    messageId,
    fromMe: direction === 'out',
    change,
  };
  return ask(conversationId, command);
}

/** Of what is kept for a message before it comes. */
function earlyName({
  conversationId,
  direction,
  externalId,
}: NetworkName & Pick<PlacedChange, 'conversationId' | 'direction'>): string {
  return `${conversationId}/${direction}/${externalId}`;
}
