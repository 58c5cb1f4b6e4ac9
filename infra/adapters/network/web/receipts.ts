/** Acknowledgements of the bridge: how far a message of ours went, or why it did not. */
import type { NetworkEvent } from '../../../../shared/ports/network-event.ts';
import { isRecord, type JsonRecord, numberAt, recordAt, textAt } from '../webhook-body.ts';
import { personChat } from './chat-id.ts';
import { RESTRICTED, RESTRICTED_CODE } from './errors.ts';
import { chatInId, idsOf } from './message-id.ts';
import type { About } from './messages.ts';
import { chatOfOwn, personOf } from './people.ts';
import { endOf } from './restriction.ts';

const ACKS: ReadonlyMap<number, 'sent' | 'delivered' | 'read' | 'failed'> = new Map([
  [-1, 'failed'],
  [1, 'sent'],
  [2, 'delivered'],
  [3, 'read'],
  [4, 'read'],
]);
const FAILED = { code: 'ERROR', message: 'A rede não entregou a mensagem.' };

/** Null is malformed or of no interest. */
export function receiptsOf(payload: JsonRecord, about: About): NetworkEvent[] | null {
  const ids = idsOf(payload);
  const ack = numberAt(payload, 'ack');
  if (ids === null || ack === undefined) return null;
  // Pending adds nothing new; an ack of a contact's own message is our reading it.
  if (ack === 0 || payload.fromMe === false) return [];
  const status = ACKS.get(ack);
  const inId = chatInId(ids.fullId);
  if (status === undefined || (inId !== undefined && personChat(inId) === null)) return null;
  const chat = chatOfOwn(payload, about.me);
  const receipt = {
    type: 'receipt',
    ...ids,
    status,
    ...(chat === null ? {} : contactOf(chat, payload, about)),
    at: about.at,
  } as const;
  if (status !== 'failed') return [receipt];
  const error = recordAt(payload, 'error');
  const code = textAt(error, 'code') ?? FAILED.code;
  if (code !== RESTRICTED_CODE) return [{ ...receipt, error: { ...FAILED, code } }];
  // NOWEB accepts the send, and learns of the restriction only here.
  const restriction = { until: endOf(error, 'until') };
  return [
    { ...receipt, error: { code, message: RESTRICTED } },
    { type: 'restriction', restriction },
  ];
}

/** The sender of a receipt is the contact; the message is ours. */
function contactOf(chat: string, payload: JsonRecord, { me }: About) {
  const data = recordAt(payload, '_data');
  const byContact = isRecord(payload._data) && data.IsFromMe === false;
  const { phone, networkId } = personOf(chat, { ...payload, fromMe: !byContact }, me);
  return { phone, networkId };
}
