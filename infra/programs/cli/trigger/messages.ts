/** Events of messages and of opt-out: the contact writes, or is written to. */
import type { Message } from '../../../../shared/api/message.ts';
import { conversationId } from '../../../../shared/entity-ids.ts';
import { ServiceFailed } from '../service/failure.ts';
import { findMessage, newestMessages, sendText } from '../service/messages.ts';
import { operatorAs } from '../service/operator.ts';
import type { Service } from '../service/service.ts';
import { endMarketingStop, endOptOut, findContact, isOptedOut } from './contacts.ts';
import type { Made, Provocation } from './provocation.ts';
import { failNextSend, withdrawFailure, writeAsContact } from './simulator.ts';
import type { Target } from './target.ts';
import { untilThere } from './until-there.ts';

const LABEL = 'recado trigger';
const OPT_OUT_WORD = 'SAIR';
/** The network's own button below a marketing template. */
const MARKETING_STOP = 'Parar promoções';

export async function receiveMessage({ service, target, text }: Provocation): Promise<Made> {
  const externalId = await writeAsContact(service, target, text);
  const what = "the contact's message is in the conversation";
  return untilThere(what, () => received(service, target, externalId));
}

async function received(
  service: Service,
  target: Target,
  externalId: string,
): Promise<Made | null> {
  const contact = await findContact(service, target);
  if (contact === null) return null;
  const id = conversationId(service.ids, target.channelId, contact.id);
  const messages = await newestMessages(service, target.orgId, id);
  const message = messages.find((each) => each.externalId === externalId);
  return message ? { messageId: message.id, conversationId: id, contactId: contact.id } : null;
}

export async function optOut({ service, target }: Provocation): Promise<Made> {
  await endOptOut(service, target);
  const made = await receiveMessage({ service, target, text: OPT_OUT_WORD });
  await untilThere('the opt-out is in force', async () => {
    const contact = await findContact(service, target);
    return contact !== null && isOptedOut(contact) ? contact : null;
  });
  return made;
}

export async function stopMarketing({ service, target }: Provocation): Promise<Made> {
  await endMarketingStop(service, target);
  const made = await receiveMessage({ service, target, text: MARKETING_STOP });
  await untilThere('the stop of marketing messages is in force', async () => {
    const contact = await findContact(service, target);
    return contact?.marketingOptOutAt === undefined ? null : contact;
  });
  return made;
}

type Reached = (message: Message) => boolean;

/** Sends a message, and waits for the receipt. */
export function sendUntil(receipt: keyof Message['receipts']) {
  return (provocation: Provocation): Promise<Made> =>
    send(provocation, receipt, ({ receipts }) => receipts[receipt] !== null);
}

/** The fault is the contact's alone: no other message meets it. */
export async function failMessage(provocation: Provocation): Promise<Made> {
  const { service, target } = provocation;
  await failNextSend(service, target);
  try {
    return await send(provocation, 'failed', ({ status }) => status === 'failed');
  } catch (cause) {
    await withdrawFailure(service, target);
    throw cause;
  }
}

async function send(
  { service, target, text }: Provocation,
  awaited: string,
  reached: Reached,
): Promise<Made> {
  const { orgId, channelId, phone } = target;
  const by = operatorAs('sendMessage');
  const sent = await sendText(service, {
    ...{ orgId, channelId, phone, text, authorLabel: LABEL, ...by },
  });
  await untilThere(`message ${sent.messageId} is ${awaited}`, async () => {
    const message = await findMessage(service, orgId, sent);
    if (message === undefined || reached(message)) return message ?? null;
    if (message.status === 'failed' || message.status === 'read') throw otherEnd(message, awaited);
    return null;
  });
  const contact = await findContact(service, target);
  return { ...sent, ...(contact === null ? {} : { contactId: contact.id }) };
}

function otherEnd({ id, status, error }: Message, awaited: string): ServiceFailed {
  const reason = error === undefined ? '' : ` (${error.code}): ${error.message}`;
  return new ServiceFailed(`Message ${id} is ${status}, not ${awaited}${reason}`);
}
