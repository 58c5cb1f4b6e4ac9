/**
 * Reactions, locations and contact cards through the bridge (WAHA, OpenAPI 2026.7.1:
 * `/api/reaction`, `/api/sendLocation`, `/api/sendContactVcard`).
 *
 * 1. The network of this driver has no templates and no buttons: they are refused (D278).
 * 2. A reaction takes no id of ours, and a repeat of it changes nothing. WEBJS answers it without
 *    an id: it is accepted under the id that is derived from ours.
 */
import type { Location } from '../../../../shared/message-content.ts';
import type {
  NetworkChannel,
  OutboundContent,
  SendOutcome,
} from '../../../../shared/ports/network.ts';
import { ownIdFor } from './message-id.ts';
import { type BridgeSender, postMessage } from './send.ts';
import { vcardOf } from './vcard.ts';

const NOT_ON_WEB: SendOutcome = {
  outcome: 'refused',
  code: 'unsupported',
  reason: 'Este número não envia modelos de mensagem nem botões: só a API oficial os tem.',
};

/** Sends; resolves with the outcome and never rejects. */
export function sendContent(
  sender: BridgeSender,
  channel: NetworkChannel,
  message: OutboundContent,
): Promise<SendOutcome> {
  const { to, replyTo, quotesOwn } = message;
  const quote = { replyTo, quotesOwn };
  const ownId = sender.engines.isWithout(channel, 'own-ids') ? undefined : message.ownId;
  switch (message.type) {
    case 'reaction':
      return postMessage(sender, channel, {
        ...{ to, call: 'reaction', replyTo: undefined, part: { reaction: message.emoji } },
        target: message.target,
        nameless: ownIdFor(message.messageId),
      });
    case 'location': {
      const part = locationPart(message.location);
      return postMessage(sender, channel, { to, call: 'sendLocation', ...quote, ownId, part });
    }
    case 'contacts': {
      const part = { contacts: message.contacts.map((card) => ({ vcard: vcardOf(card) })) };
      return postMessage(sender, channel, { to, call: 'sendContactVcard', ...quote, ownId, part });
    }
    case 'template':
    case 'interactive':
      return Promise.resolve(NOT_ON_WEB);
    default:
      return message satisfies never;
  }
}

/** The bridge has one field for the place's words, and requires it. */
function locationPart({ latitude, longitude, name, address }: Location) {
  return { latitude, longitude, title: [name, address].filter(Boolean).join(', ') };
}
