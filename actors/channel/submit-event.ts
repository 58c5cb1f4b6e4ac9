/**
 * Submits a network event to its conversation, and changes that arrived earlier to their message.
 *
 * 1. Events under one network name (direction and canonical id) run one at a time. A message may
 *    arrive under two chat forms concurrently. It is on record under the first before the second is
 *    examined.
 * 2. An echo of a message that we sent, or are sending, is its receipt. The message is found by its
 *    id. Where the network accepts no id of ours, the content of a message in doubt identifies it.
 * 3. A change applies to the message on record; a contact changes only messages of its own
 *    conversation. A change that precedes its message is kept.
 */
import type { Command } from '../../shared/ports/bus.ts';
import type { ChangeMessageCommand, ReceiptCommand } from '../conversation/commands.ts';
import type { MessageChange } from '../domain/message-change.ts';
import { type NetworkName, namesOf } from '../domain/network-name.ts';
import type { ChannelSender } from './channel-sender.ts';
import { findInDoubt, findMessage, findSent, type NamedMessage } from './named-message.ts';
import type { RoutedChange, RoutedEvent, RoutedMessage } from './route-event.ts';

export interface SubmissionContext {
  readonly sender: ChannelSender;
  /** The network has a look-up of sends, and may show a send of ours as typed. */
  readonly hasLookup: boolean;
  /** False when no owner accepted the command. */
  readonly ask: (conversationId: string, command: Command) => Promise<boolean>;
}

/** False: the network must repeat the event. */
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
  // The echo may be that of a message in flight, whose network id is about to be known.
  await sender.inFlight.whenIdle(conversationId);
  const known =
    (await findSent(sender, routed)) ??
    (context.hasLookup ? await findInDoubt(sender, conversationId, command) : null);
  if (known && known.isEcho !== true) {
    return context.ask(known.conversationId, sentReceipt(context, routed, known.messageId));
  }
  if (!(await context.ask(conversationId, command))) return false;
  // A repeated echo may be on record in another conversation, or under an id of earlier releases.
  await sender.unmatched.apply({ ...(known ?? { conversationId, messageId }), externalId });
  return submitUnmatchedChanges(context, routed);
}

/** The echo proves that the network has accepted our message. */
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
    // An earlier owner may have recorded the message meanwhile.
    message = await find();
    if (!message) return true;
  }
  if (isAuthor(routed, message)) return askToChange(context, message, routed);
  sender.environment.log.warn({ channelId: sender.channelId }, 'change ignored: not by its author');
  return true;
}

/** Our own phone may change every message of our number. */
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
  // A message of this name in another conversation has another author.
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

/** Document id of the changes that are kept until their message arrives. */
function unmatchedName({
  conversationId,
  direction,
  externalId,
}: NetworkName & Pick<RoutedChange, 'conversationId' | 'direction'>): string {
  return `${conversationId}/${direction}/${externalId}`;
}
