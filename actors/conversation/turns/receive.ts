/** Handler of network messages: ignores a known one, appends a new one. */
import { echoMessageId, fallbackMessageId, inboundMessageId } from '../../../shared/entity-ids.ts';
import type { Ids } from '../../../shared/ports/ids.ts';
import type { OptMarketing } from '../../../shared/wire/commands.ts';
import {
  type OutboxCommand,
  type OutboxEvent,
  outboxCommand,
} from '../../../shared/wire/outbox.ts';
import type { ContactFacts } from '../../contact/ensure-contact.ts';
import { commerceOf } from '../../domain/conversation/commerce.ts';
import {
  type ConversationContact,
  type ConversationState,
  messageEventData,
  newConversation,
} from '../../domain/conversation/conversation.ts';
import { applyChange, decidePreview, mayChange } from '../../domain/conversation/message-change.ts';
import {
  decideEcho,
  decideInbound,
  decideReceipt,
  isMarketingRefusal,
  isMarketingStop,
  isOptOutWord,
  namesOf,
  type Receipt,
} from '../../domain/conversation/network-message.ts';
import { isReplaceable } from '../../domain/conversation/outbound-content.ts';
import type { OptContact } from '../../model/contact.ts';
import type {
  ChangeMessageCommand,
  EntryDocument,
  MediaArrived,
  NetworkCall,
  NetworkMessageCommand,
  NetworkWelcome,
  ReceiptCommand,
} from '../../model/conversation.ts';
import { journalBarrier } from '../../runtime/journal-barrier.ts';
import type { TurnContext } from '../../runtime/kind.ts';
import { withFlow } from '../flow/routing.ts';
import { causeOf } from './cause.ts';
import type { Conversation } from './conversation.ts';
import { assertHere } from './join.ts';
import { isReportOfOwnReaction } from './own-reactions.ts';

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
  if (await isKnown(actor, command, { messageId, joined: loaded?.joined })) return;
  const contact = await contactOf(actor, { command, loaded }, context);
  const { orgId, channelId, kind, text, media, content, error, networkId, at } = command;
  const identity = { id: actor.id, orgId, channelId, contact, networkId };
  const state = loaded ?? newConversation(identity, clock.now());
  const facts = {
    messageId,
    eventId: `${messageId}.${command.type}`,
    ...namesOf(command),
    ...{ kind, text, media, content, error, networkId, at, contact },
    replyToId: await replyTarget(actor, command),
  };
  if (command.type === 'echo') {
    if (await isReportOfOwnReaction(actor, facts)) return;
    const echo = { ...facts, pauseMs: PAUSE_MS, authorLabel: command.channelLabel };
    await actor.commit(messageId, decideEcho(state, echo, clock.now()));
    return;
  }
  const { referral } = command;
  const inbound = { ...facts, referral, ...commerceOf(command) };
  const accepted = decideInbound(state, inbound, clock.now());
  const optOuts = [
    ...(isOptOutWord(text) ? [optOutCommand(command, messageId)] : []),
    ...(isMarketingStop(text) ? [marketingStop(messageId, { ...command, at })] : []),
  ];
  const late = command.late === true && !state.run;
  const flowing = late ? accepted : await withFlow(actor, messageId, accepted);
  await actor.commit(messageId, { ...flowing, outbox: [...flowing.outbox, ...optOuts] });
}

/**
 * Detects duplicates. The networks deliver twice, and deliver one message under two chat forms:
 * another conversation then has it. An echo may repeat a message that we sent ourselves.
 */
async function isKnown(
  actor: Conversation,
  command: NetworkMessageCommand,
  { messageId, joined }: { messageId: string; joined: readonly string[] | undefined },
): Promise<boolean> {
  if (actor.recent.has(messageId)) return true;
  const known = await actor.log.entryAnywhere(messageId);
  // Its turn may have been cut off after the commit: the work that follows is repeated.
  if (known?.pending !== undefined && known.conversationId === actor.id) {
    await actor.recoverEntry(known._id);
  } else if (known) await journalBarrier(actor.parts.environment.store);
  if (known) return true;
  if (command.type === 'inbound') return false;
  const ours = { channelId: command.channelId, direction: 'out', joined } as const;
  return (await actor.log.entryNamed(ours, command.externalId)) !== null;
}

type Reported = NetworkMessageCommand | NetworkCall | NetworkWelcome;

/** The contact behind a message, a call or an opened chat, created if it is missing. */
export async function contactOf(
  actor: Conversation,
  { command, loaded }: { command: Reported; loaded: ConversationState | null },
  context: TurnContext,
): Promise<ConversationContact> {
  const brought = broughtBy(command);
  const isNamed = loaded?.contact.name !== null || command.profileName === null;
  if (loaded && isNamed && brought.firstAd === undefined) return loaded.contact;
  const { contactId: id, orgId, phone, profileName } = command;
  const { origin } = causeOf(command);
  const facts = { id, orgId, phone, profileName, ...brought, source: 'contact', origin } as const;
  const contact = await actor.ensureContact(facts, context);
  assertHere(actor, loaded, { command, asked: id, contact });
  return contact;
}

/** A call has no advertisement, and what is typed on our phone brings nobody. */
function broughtBy(command: Reported): Pick<ContactFacts, 'firstAd'> {
  const isOfContact = command.type === 'inbound' || command.type === 'welcome';
  if (!isOfContact || command.ad === undefined) return {};
  return { firstAd: { ...command.ad, at: command.at } };
}

async function replyTarget(
  actor: Conversation,
  { channelId, replyToExternalId }: NetworkMessageCommand,
): Promise<string | null> {
  if (replyToExternalId === null) return null;
  const joined = (await actor.load())?.joined;
  const target = await actor.log.entryNamed({ channelId, joined }, replyToExternalId);
  return target?._id ?? null;
}

interface Stopping {
  readonly orgId: string;
  readonly contactId: string;
  readonly phone: string;
  readonly at: number;
}

/** @param messageId of what the contact wrote, or of the message that the network refused */
function marketingStop(
  messageId: string,
  { orgId, contactId, phone, at }: Stopping,
): OutboxCommand {
  const stop: OptMarketing = {
    id: `${messageId}-marketing`,
    type: 'opt-marketing',
    ...{ orgId, phone, wanted: false, at, origin: 'contact' },
  };
  return outboxCommand({ to: { kind: 'contact', key: contactId }, command: stop });
}

function optOutCommand(command: NetworkMessageCommand, messageId: string): OutboxCommand {
  const { orgId, phone } = command;
  const opt: OptContact = {
    id: `${messageId}-opt`,
    type: 'opt',
    ...{ orgId, phone, optIn: false, source: 'contact', origin: 'contact' },
  };
  return outboxCommand({ to: { kind: 'contact', key: command.contactId }, command: opt });
}

export async function recordReceipt(actor: Conversation, command: ReceiptCommand): Promise<void> {
  const { receipt, messageId, networkId } = command;
  const entry = await findEntry(actor, messageId, receipt);
  // Not of this log. The channel keeps receipts that precede the record of the network id.
  if (!entry) return;
  if (networkId !== null) {
    await actor.load();
    actor.learn({ networkId });
  }
  await record(actor, entry, receipt);
}

async function findEntry(
  actor: Conversation,
  messageId: string | null,
  { externalId }: Receipt,
): Promise<EntryDocument | null> {
  const recent = actor.recent.find(messageId, externalId);
  if (recent) return recent;
  if (messageId !== null) return actor.log.entry(messageId);
  if (externalId === undefined) return null;
  const state = await actor.load();
  if (!state) return null;
  const ours = { channelId: state.channelId, direction: 'out' } as const;
  return actor.log.entryNamed(ours, externalId);
}

async function record(actor: Conversation, entry: EntryDocument, receipt: Receipt): Promise<void> {
  const decision = entry.message ? decideReceipt(entry.message, receipt) : null;
  if (!decision) return;
  const { message } = decision;
  // The contact may have another number than when the message was scheduled.
  const state = (message.schedule && (await actor.load())) || entry.after;
  const outbox = decision.events.map(
    (fact): OutboxEvent => ({
      type: 'event',
      id: `${entry._id}.${fact.event}`,
      event: fact.event,
      ...(entry.requestId === undefined ? {} : { requestId: entry.requestId }),
      data: {
        ...messageEventData(state, message, {
          ...{ messageId: entry._id, occurredAt: fact.at },
          reported: entry.mediaDue?.media,
        }),
        ...(message.error ? { error: message.error } : {}),
      },
    }),
  );
  const { ids } = actor.parts.environment;
  const { id: contactId, phone } = state.contact;
  const stopped = { orgId: state.orgId, contactId, phone, at: receipt.at };
  const items = [
    ...outbox,
    ...(isReplaceable(message) ? [fallbackCommand(ids, entry)] : []),
    ...(isMarketingRefusal(message) ? [marketingStop(entry._id, stopped)] : []),
  ];
  const consequences = actor.parts.relay.numbered(items, actor.epoch);
  const recorded = await actor.log.change(entry, message, consequences);
  actor.recent.keep(recorded);
  actor.hint(recorded);
  if (consequences.length > 0) actor.publish(recorded, consequences);
  if (entry.send) actor.nudgeChannel(recorded);
}

/** Part of the write that records the refusal: whatever dies, the template is sent once. */
function fallbackCommand(ids: Ids, entry: EntryDocument): OutboxCommand {
  const { orgId, channelId, conversationId: key, _id: messageId } = entry;
  const id = fallbackMessageId(ids, messageId);
  const command = { id, type: 'send-fallback', orgId, channelId, messageId } as const;
  return outboxCommand({ to: { kind: 'conversation', key }, command });
}

/**
 * Edits and deletions of a message by its author. A change is recorded beside the message; an entry
 * of its own updates the conversation's preview.
 *
 * A turn may be cut off between the two writes. The network's next report of the change then
 * completes it: the decision on the preview reads the record, not the report.
 */
export async function changeMessage(
  actor: Conversation,
  { messageId, fromMe, change }: ChangeMessageCommand,
): Promise<void> {
  const { clock, ids } = actor.parts.environment;
  const state = await actor.load();
  const entry = await actor.log.entry(messageId, state?.joined);
  const { message } = entry ?? {};
  if (!entry || !message || !mayChange(message, { fromMe })) return;
  const applied = applyChange(entry, change);
  const changed = applied ? await actor.log.changeContent(entry, applied) : entry;
  if (applied) actor.hint(changed);
  // The log of a joined conversation has its own `seq`: only time orders its messages here.
  const seq = entry.conversationId === actor.id ? entry.seq : Number.NaN;
  const decided = state && decidePreview(state, { ...changed, seq, message }, clock.now());
  const { type, at } = change;
  if (decided) await actor.commit(ids.derive('chg', messageId, type, String(at)), decided);
}

export async function recordArrivedMedia(
  actor: Conversation,
  { messageId, media }: MediaArrived,
): Promise<void> {
  const entry = await actor.log.entry(messageId);
  if (!entry?.mediaDue || !entry.message) return;
  const { message } = entry;
  const arrived = media === null ? message : { ...message, revision: message.revision + 1, media };
  const attached = await actor.log.attachMedia(entry, arrived);
  actor.recent.keep(attached);
  actor.hint(attached);
}
