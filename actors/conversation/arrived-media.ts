/** Media arrival: records on a message's entry that its media is stored, or will never be. */
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
