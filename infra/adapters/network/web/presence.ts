/**
 * Read marks and typing, which the contact sees beside messages (WAHA, Send seen; Presence). Typing
 * ends with our message, or in the contact's app after some seconds: no call stops it.
 */
import type { NetworkChannel, Presence } from '../../../../shared/ports/network.ts';
import { isSuccess, missingSetting, postBridge, sessionOf } from './bridge-call.ts';
import { type BridgeSender, fullIdOf } from './send.ts';

/** Whether the bridge took it; never rejects. */
export async function show(
  sender: BridgeSender,
  channel: NetworkChannel,
  { to, shows, message, earlier = [] }: Presence,
): Promise<boolean> {
  if (missingSetting(channel) !== null) return false;
  const recipient = await sender.directory.recipient(channel, to);
  if ('outcome' in recipient) return false;
  const { chatId } = recipient;
  // NOWEB and GOWS mark the messages that are named, WEBJS the whole chat.
  const messageIds = [message, ...earlier].map((each) => fullIdOf(each, chatId));
  const seen = shows === 'read' ? { messageIds } : {};
  const answer = await postBridge(sender, channel, {
    path: shows === 'read' ? '/api/sendSeen' : '/api/startTyping',
    body: { session: sessionOf(channel), chatId, ...seen },
  });
  return answer.answered && isSuccess(answer.status);
}
