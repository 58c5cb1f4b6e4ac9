/**
 * Handlers of what a contact does without a message: a call, and the first opening of the chat. The
 * entry's id is derived from the network's: a repeat does nothing.
 */
import { type ConversationState, newConversation } from '../../domain/conversation/conversation.ts';
import { decideCall, decideWelcome } from '../../domain/conversation/network-call.ts';
import type { NetworkCall, NetworkWelcome } from '../../model/conversation.ts';
import { journalBarrier } from '../../runtime/journal-barrier.ts';
import type { TurnContext } from '../../runtime/kind.ts';
import { withWelcomeFlow } from '../flow/routing.ts';
import type { Conversation } from './conversation.ts';
import { contactOf } from './receive.ts';

export async function recordCall(
  actor: Conversation,
  command: NetworkCall,
  context: TurnContext,
): Promise<void> {
  const { ids, clock, store } = actor.parts.environment;
  const { channelId, callId, networkId, at } = command;
  const entryId = ids.derive('call', channelId, callId);
  if (await actor.log.entryAnywhere(entryId)) return journalBarrier(store);
  const state = await stateOf(actor, command, context);
  const decided = decideCall(state, { at, networkId }, clock.now());
  if (decided) await actor.commit(entryId, decided);
}

/** The main flow starts, if it would for a first message (D403). */
export async function recordWelcome(
  actor: Conversation,
  command: NetworkWelcome,
  context: TurnContext,
): Promise<void> {
  const { ids, clock, store } = actor.parts.environment;
  const { channelId, welcomeId, networkId, at } = command;
  const entryId = ids.derive('welcome', channelId, welcomeId);
  const known = await actor.log.entryAnywhere(entryId);
  if (known !== null) {
    // Its turn may have been cut off after the commit: the work that follows is repeated.
    if (known.pending !== undefined && known.conversationId === actor.id) {
      await actor.recoverEntry(entryId);
    } else await journalBarrier(store);
    return;
  }
  const state = await stateOf(actor, command, context);
  const now = clock.now();
  const decided = decideWelcome(state, { at, networkId }, now);
  await actor.commit(
    entryId,
    command.late === true ? decided : withWelcomeFlow(entryId, decided, now),
  );
}

/** The conversation of the person, which begins where there is none. */
async function stateOf(
  actor: Conversation,
  command: NetworkCall | NetworkWelcome,
  context: TurnContext,
): Promise<ConversationState> {
  const { orgId, channelId, networkId } = command;
  const loaded = await actor.load();
  const contact = await contactOf(actor, { command, loaded }, context);
  const identity = { id: actor.id, orgId, channelId, contact, networkId };
  return loaded ?? newConversation(identity, actor.parts.environment.clock.now());
}
