/** Handler of contacts' calls. The entry's id is derived from the call's: a repeat does nothing. */
import { newConversation } from '../../domain/conversation/conversation.ts';
import { decideCall } from '../../domain/conversation/network-call.ts';
import type { NetworkCall } from '../../model/conversation.ts';
import { journalBarrier } from '../../runtime/journal-barrier.ts';
import type { TurnContext } from '../../runtime/kind.ts';
import type { Conversation } from './conversation.ts';
import { contactOf } from './receive.ts';

export async function recordCall(
  actor: Conversation,
  command: NetworkCall,
  context: TurnContext,
): Promise<void> {
  const { ids, clock, store } = actor.parts.environment;
  const { orgId, channelId, callId, networkId, at } = command;
  const entryId = ids.derive('call', channelId, callId);
  if (await actor.log.entryAnywhere(entryId)) return journalBarrier(store);
  const loaded = await actor.load();
  const contact = await contactOf(actor, { command, loaded }, context);
  const identity = { id: actor.id, orgId, channelId, contact, networkId };
  const state = loaded ?? newConversation(identity, clock.now());
  const decided = decideCall(state, { at, networkId }, clock.now());
  if (decided) await actor.commit(entryId, decided);
}
