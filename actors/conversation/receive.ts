/** A message that came over the network: recognised if it came before, else appended. */
import { inboundMessageId } from '../../shared/keys.ts';
import type { OutboxCommand } from '../../shared/outbox.ts';
import type { OptContact } from '../contact/commands.ts';
import {
  type ConversationContact,
  type ConversationState,
  decideEcho,
  decideInbound,
  newConversation,
} from '../domain/conversation.ts';
import { isOptOutWord } from '../domain/opt-out-words.ts';
import { withFlow } from '../flow/answer.ts';
import type { TurnContext } from '../runtime/actor.ts';
import { settled } from '../runtime/settled.ts';
import type { NetworkMessageCommand } from './commands.ts';
import type { Conversation } from './conversation.ts';

/** How long a person's answer pauses automation (decisions: Behaviour). */
const PAUSE_MS = 30 * 60 * 1000;

export async function receiveNetworkMessage(
  actor: Conversation,
  command: NetworkMessageCommand,
  context: TurnContext,
): Promise<void> {
  const { ids, clock } = actor.parts.world;
  const loaded = await actor.load();
  const messageId = inboundMessageId(ids, command.channelId, command.externalId);
  if (loaded && (await isKnown(actor, command, messageId))) return;
  const contact = await contactOf(actor, { command, loaded }, context);
  const state = loaded ?? begin(actor, command, contact);
  const facts = {
    messageId,
    eventId: `${messageId}.${command.type}`,
    externalId: command.externalId,
    kind: command.kind,
    text: command.text,
    media: command.media,
    networkId: command.networkId,
    at: command.at,
    contact,
  };
  if (command.type === 'echo') {
    const echo = { ...facts, pauseMs: PAUSE_MS, authorLabel: command.channelLabel };
    await actor.commit(messageId, decideEcho(state, echo, clock.now()));
    return;
  }
  const replyToId = await replyTarget(actor, command);
  const accepted = decideInbound(state, { ...facts, replyToId }, clock.now());
  const optOut = isOptOutWord(command.text) ? [optOutCommand(command, messageId)] : [];
  const flowing = await withFlow(actor, messageId, accepted);
  await actor.commit(messageId, { ...flowing, outbox: [...flowing.outbox, ...optOut] });
}

/** The networks deliver twice; and an echo may be of a message which we sent ourselves. */
async function isKnown(
  actor: Conversation,
  command: NetworkMessageCommand,
  messageId: string,
): Promise<boolean> {
  if (actor.recent.has(messageId)) return true;
  const known = await actor.log.entry(messageId);
  // Its turn may have been cut off after the commit: what follows is made sure of.
  if (known?.pending !== undefined) await actor.resume(messageId);
  else if (known) await settled(actor.parts.world.store);
  if (known) return true;
  return (
    command.type === 'echo' && (await actor.log.entryByExternalId(command.externalId)) !== null
  );
}

async function contactOf(
  actor: Conversation,
  known: { command: NetworkMessageCommand; loaded: ConversationState | null },
  context: TurnContext,
): Promise<ConversationContact> {
  const { command, loaded } = known;
  if (loaded && (loaded.contact.name !== null || command.profileName === null)) {
    return loaded.contact;
  }
  const { contactId: id, orgId, phone, profileName } = command;
  return actor.ensureContact({ id, orgId, phone, profileName, source: 'contact' }, context);
}

function begin(
  actor: Conversation,
  command: NetworkMessageCommand,
  contact: ConversationContact,
): ConversationState {
  const { orgId, channelId, networkId } = command;
  const identity = { id: actor.id, orgId, channelId, contact, networkId };
  return newConversation(identity, actor.parts.world.clock.now());
}

async function replyTarget(
  actor: Conversation,
  command: NetworkMessageCommand,
): Promise<string | null> {
  if (command.replyToExternalId === null) return null;
  const target = await actor.log.entryByExternalId(command.replyToExternalId);
  return target?._id ?? null;
}

function optOutCommand(command: NetworkMessageCommand, messageId: string): OutboxCommand {
  const opt: OptContact = {
    id: `${messageId}-opt`,
    type: 'opt',
    orgId: command.orgId,
    phone: command.phone,
    optIn: false,
    source: 'contact',
    origin: 'contact',
  };
  return {
    type: 'command',
    id: opt.id,
    to: { kind: 'contact', key: command.contactId },
    command: opt,
  };
}
