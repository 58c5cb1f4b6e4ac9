/**
 * Edits and deletions of a message by its author. A change is recorded beside the message; an entry
 * of its own updates the conversation's preview.
 *
 * A turn may be cut off between the two writes. The network's next report of the change then
 * completes it: the decision on the preview reads the record, not the report.
 */
import { applyChange, decidePreview, mayChange } from '../domain/message-change.ts';
import type { ChangeMessageCommand } from './commands.ts';
import type { Conversation } from './conversation.ts';

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
  // The log of a joined conversation has its own `seq`: only time orders its messages here.
  const seq = entry.conversationId === actor.id ? entry.seq : Number.NaN;
  const decided = state && decidePreview(state, { ...changed, seq, message }, clock.now());
  const { type, at } = change;
  if (decided) await actor.commit(ids.derive('chg', messageId, type, String(at)), decided);
}
