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
import type { ChannelSender } from './channel-sender.ts';
import { findInDoubt, findMessage, findSent, type NamedMessage } from './named-message.ts';
import type { RoutedChange, RoutedEvent, RoutedMessage } from './route-event.ts';

export interface SubmissionContext {
  readonly sender: ChannelSender;
  /** The network can be asked what was sent through it, and may take that for typed. */
  readonly hasLookup: boolean;
  /** False when no owner took the command. */
  readonly ask: (conversationId: string, command: Command) => Promise<boolean>;
}

/** False: the network must repeat it. */
export function submitEvent(context: SubmissionContext, routed: RoutedEvent): Promise<boolean> {
  if (!('event' in routed)) return context.ask(routed.conversationId, routed.command);
  const { direction, externalId } = routed;
  return context.sender.mutex.runExclusive(`${direction}/${externalId}`, () => {
    if (routed.event === 'change') return submitChange(context, routed);
    return direction === 'in' ? submitInbound(context, routed) : submitEcho(context, routed);
  });
}

async function submitInbound(context: SubmissionContext, routed: RoutedMessage): Promise<boolean> {
  if (!(await context.ask(routed.conversationId, routed.command))) return false;
  return submitUnmatchedChanges(context, routed);
}

async function submitEcho(context: SubmissionContext, routed: RoutedMessage): Promise<boolean> {
  const { sender } = context;
  const { conversationId, command, messageId, externalId } = routed;
  // It may be of what is being sent just now: its network id is about to be known.
  await sender.inFlight.whenIdle(conversationId);
  const known =
    (await findSent(sender, routed)) ??
    (context.hasLookup ? await findInDoubt(sender, conversationId, command) : null);
  if (known && known.isEcho !== true) {
    return context.ask(known.conversationId, sentReceipt(context, routed, known.messageId));
  }
  if (!(await context.ask(conversationId, command))) return false;
  // Told again, it may be on record in another conversation, or under an id of earlier releases.
  await sender.unmatched.apply({ ...(known ?? { conversationId, messageId }), externalId });
  return submitUnmatchedChanges(context, routed);
}

/** The network shows a message of ours: it has taken it. */
function sentReceipt(
  { sender }: SubmissionContext,
  routed: RoutedMessage,
  messageId: string,
): ReceiptCommand {
  const { at } = routed;
  const receipt = { status: 'sent', at, ...namesOf(routed) } as const;
  return {
    id: sender.environment.ids.fresh('cmd'),
    type: 'receipt',
    messageId,
    receipt,
    networkId: null,
  };
}

async function submitChange(context: SubmissionContext, routed: RoutedChange): Promise<boolean> {
  const { sender } = context;
  const { change, direction, conversationId } = routed;
  if (direction === 'out') await sender.inFlight.whenIdle(conversationId);
  const find = () => findMessage(sender, routed);
  let message = await find();
  if (!message) {
    await sender.unmatched.changes.keep(unmatchedName(routed), change);
    // An owner before this one may have recorded the message since.
    message = await find();
    if (!message) return true;
  }
  if (isAuthor(routed, message)) return askToChange(context, message, routed);
  sender.environment.log.warn({ channelId: sender.channelId }, 'change ignored: not by its author');
  return true;
}

/** Our own phone may change whatever our number wrote. */
function isAuthor(routed: RoutedChange, message: NamedMessage): boolean {
  const { direction, conversationId, personIds } = routed;
  if (direction === 'out' || message.conversationId === conversationId) return true;
  return message.networkId !== null && personIds.includes(message.networkId);
}

async function submitUnmatchedChanges(
  context: SubmissionContext,
  routed: RoutedMessage,
): Promise<boolean> {
  const { sender } = context;
  const name = unmatchedName(routed);
  const changes = await sender.unmatched.changes.find(name);
  if (changes.length === 0) return true;
  const message = await findMessage(sender, routed);
  // A message of this name that is another conversation's has another author.
  if (message?.conversationId !== routed.conversationId) return true;
  for (const change of changes) {
    if (!(await askToChange(context, message, { ...routed, change }))) return false;
  }
  await sender.unmatched.changes.forget(name);
  return true;
}

function askToChange(
  { sender, ask }: SubmissionContext,
  { messageId, conversationId }: NamedMessage,
  { direction, change }: { readonly direction: 'in' | 'out'; readonly change: MessageChange },
): Promise<boolean> {
  const command: ChangeMessageCommand = {
    id: sender.environment.ids.fresh('cmd'),
    type: 'change-message',
    messageId,
    fromMe: direction === 'out',
    change,
  };
  return ask(conversationId, command);
}

/** Of what is kept for a message before it comes. */
function unmatchedName({
  conversationId,
  direction,
  externalId,
}: NetworkName & Pick<RoutedChange, 'conversationId' | 'direction'>): string {
  return `${conversationId}/${direction}/${externalId}`;
}
