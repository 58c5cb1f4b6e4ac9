/**
 * Edits and deletions of a message by its author, recorded beside it; the conversation's preview
 * follows by an entry of its own.
 *
 * A turn that was cut off between the two writes is completed when the network tells again: the
 * preview is decided by what is on record, not by what is new.
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
  // Of a joined log, which counts for itself, a message is the last one by its time alone.
  const seq = entry.conversationId === actor.id ? entry.seq : Number.NaN;
  const decided = state && decidePreview(state, { ...changed, seq, message }, clock.now());
  const { type, at } = change;
  if (decided) await actor.commit(ids.derive('chg', messageId, type, String(at)), decided);
}
