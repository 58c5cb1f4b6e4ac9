/**
 * Read marks and typing, which the contact sees beside messages. The network has one call for both:
 * a typing indicator marks the contact's message as read too, with all before it. Typing ends with
 * our message, or after 25 s (Meta, Typing indicators; Mark messages as read).
 */
import type { NetworkChannel, Presence } from '../../../../shared/ports/network.ts';
import { parseRecord } from '../webhook-body.ts';
import { type CloudSender, callMessages, missingSetting } from './send.ts';

/** Whether the network took it; never rejects. */
export async function show(
  sender: CloudSender,
  channel: NetworkChannel,
  { shows, message }: Presence,
): Promise<boolean> {
  if (missingSetting(channel) !== null) return false;
  const answer = await callMessages(sender, channel, {
    messaging_product: 'whatsapp',
    status: 'read',
    message_id: message.externalId,
    ...(shows === 'typing' ? { typing_indicator: { type: 'text' } } : {}),
  });
  return answer.answered && parseRecord(answer.body)?.success === true;
}
