/** Sending of templates, buttons and lists, reactions, locations and contact cards. */
import type {
  NetworkChannel,
  OutboundContent,
  SendOutcome,
} from '../../../../shared/ports/network.ts';
import { contentPart, quoteOf } from './content-bodies.ts';
import { blameMedia } from './media.ts';
import { type CloudSender, postMessage, recipient } from './send.ts';

/** Sends; resolves with the outcome and never rejects. */
export async function sendContent(
  sender: CloudSender,
  channel: NetworkChannel,
  message: OutboundContent,
): Promise<SendOutcome> {
  const outcome = await postMessage(sender, channel, contentBody(message));
  const hasFile = message.type === 'template' && message.header !== undefined;
  return hasFile ? blameMedia(outcome) : outcome;
}

function contentBody(message: OutboundContent): Record<string, unknown> {
  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    ...recipient(message.to),
    ...contentPart(message),
    ...quoteOf(message),
    biz_opaque_callback_data: message.messageId,
  };
}
