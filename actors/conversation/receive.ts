/** Handler of network messages: ignores a known one, appends a new one. */
import { echoMessageId, inboundMessageId } from '../../shared/entity-ids.ts';
import type { OutboxCommand } from '../../shared/wire/outbox.ts';
import type { OptContact } from '../contact/commands.ts';
import {
  type ConversationContact,
  type ConversationState,
  decideEcho,
  decideInbound,
  newConversation,
} from '../domain/conversation.ts';
import { answeredSpellings, namesOf, spellings } from '../domain/network-name.ts';
import { isOptOutWord } from '../domain/opt-out-words.ts';
import { withFlow } from '../flow/answer.ts';
import type { TurnContext } from '../runtime/actor.ts';
import { journalBarrier } from '../runtime/journal-barrier.ts';
import type { NetworkMessageCommand } from './commands.ts';
import type { Conversation } from './conversation.ts';
import type { EntryDocument } from './documents.ts';
import { assertHere } from './join.ts';

/** How long a person's answer pauses automation (D11). */
const PAUSE_MS = 30 * 60 * 1000;

export async function receiveNetworkMessage(
  actor: Conversation,
  command: NetworkMessageCommand,
  context: TurnContext,
): Promise<void> {
  const { ids, clock } = actor.parts.environment;
  const loaded = await actor.load();
  const nameOf = command.type === 'echo' ? echoMessageId : inboundMessageId;
  const messageId = nameOf(ids, command.channelId, command.externalId);
  if (await isKnown(actor, { command, joined: loaded?.joined }, messageId)) return;
  const contact = await contactOf(actor, { command, loaded }, context);
  const state = loaded ?? begin(actor, command, contact);
  const facts = {
    messageId,
    eventId: `${messageId}.${command.type}`,
    ...namesOf(command),
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
  const { referral } = command;
  const accepted = decideInbound(state, { ...facts, replyToId, referral }, clock.now());
  const optOut = isOptOutWord(command.text) ? [optOutCommand(command, messageId)] : [];
  const late = command.late === true && !state.run;
  const flowing = late ? accepted : await withFlow(actor, messageId, accepted);
  await actor.commit(messageId, { ...flowing, outbox: [...flowing.outbox, ...optOut] });
}

interface KnownIn {
  readonly command: NetworkMessageCommand;
  readonly joined: readonly string[] | undefined;
}

/**
 * Detects duplicates. The networks deliver twice, and deliver one message under two chat forms:
 * another conversation then has it. An echo may repeat a message that we sent ourselves.
 */
async function isKnown(
  actor: Conversation,
  { command, joined }: KnownIn,
  messageId: string,
): Promise<boolean> {
  if (actor.recent.has(messageId)) return true;
  const known = await recorded(actor, command, messageId);
  // Its turn may have been cut off after the commit: the work that follows is repeated.
  if (known?.pending !== undefined && known.conversationId === actor.id) {
    await actor.recoverEntry(known._id);
  } else if (known) await journalBarrier(actor.parts.environment.store);
  if (known) return true;
  if (command.type === 'inbound') return false;
  const ours = { channelId: command.channelId, direction: 'out', joined } as const;
  return (await actor.log.entryNamed(ours, spellings(command))) !== null;
}

/** The entry under any id that this release or an earlier one derives for the message. */
async function recorded(
  actor: Conversation,
  command: NetworkMessageCommand,
  messageId: string,
): Promise<EntryDocument | undefined> {
  const { ids } = actor.parts.environment;
  const earlier = spellings(command).map((name) => inboundMessageId(ids, command.channelId, name));
  const direction = command.type === 'echo' ? 'out' : 'in';
  const found = await actor.log.entriesOf([...new Set([messageId, ...earlier])]);
  return found.find(({ message }) => message?.direction === direction);
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
  const facts = { id, orgId, phone, profileName, source: 'contact' } as const;
  const contact = await actor.ensureContact(facts, context);
  assertHere(actor, loaded, { command, asked: id, contact });
  return contact;
}

function begin(
  actor: Conversation,
  command: NetworkMessageCommand,
  contact: ConversationContact,
): ConversationState {
  const { orgId, channelId, networkId } = command;
  const identity = { id: actor.id, orgId, channelId, contact, networkId };
  return newConversation(identity, actor.parts.environment.clock.now());
}

async function replyTarget(
  actor: Conversation,
  command: NetworkMessageCommand,
): Promise<string | null> {
  if (command.replyToExternalId === null) return null;
  const { channelId, replyToExternalId } = command;
  const names = answeredSpellings(replyToExternalId, command);
  const joined = (await actor.load())?.joined;
  const target = await actor.log.entryNamed({ channelId, joined }, names);
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
