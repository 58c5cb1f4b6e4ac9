/** The media of a contact's message is here, or will never be: recorded on the message's entry. */
import type { MediaArrived } from './commands.ts';
import type { Conversation } from './conversation.ts';

export async function recordArrivedMedia(
  actor: Conversation,
  { messageId, media }: MediaArrived,
): Promise<void> {
  const entry = await actor.log.entry(messageId);
  if (!entry?.mediaDue || !entry.message) return;
  const { message } = entry;
  const arrived = media === null ? message : { ...message, revision: message.revision + 1, media };
  actor.recent.keep(await actor.log.attachMedia(entry, arrived));
}
