/**
 * `POST /{phoneNumberId}/messages`: a send is judged, then on record before it is answered.
 *
 * 1. A template is judged against the account's own (`templates/judge.ts`) and refused at once.
 * 2. A free message outside of the contact's window is accepted, and a status reports it as failed
 *    with 131047. Meta reports that code in a status; a fault gives it in the answer.
 * 3. An account that owes Meta (`unpaid`) has its messages outside of the window refused with 131042,
 *    in the answer or in a status. What is inside goes. Source: Meta, Pricing (July 2025) and Error
 *    codes: replies are free, and 131042 is a payment issue.
 * 4. Of a reaction only `sent` is reported. One to a message that the network does not have fails
 *    with 131009 in a status. Source: Meta, "Reaction messages" (May 2026).
 */
import {
  numberAt,
  parseRecord,
  recordAt,
  textAt,
} from '../../../../adapters/network/webhook-body.ts';
import { type Exchange, readBody, respondUnder } from '../../http/exchange.ts';
import type { SentDetails } from '../../logs/sent.ts';
import { accountOf, type SimulatedChannel } from '../../network/channels.ts';
import { type Fault, numberKey } from '../../network/faults.ts';
import { sentMedia } from '../../state/media-store.ts';
import { accept, freshHex, type SimulatorState } from '../../state/simulator-state.ts';
import { isUserId } from '../people.ts';
import { codeOfStatus, graphError, jsonReply, proxyPage, type Reply } from '../schema/errors.ts';
import { type GraphMessage, type GraphSend, readMessage } from '../schema/message.ts';
import { judgeTemplate, type ShownTemplate } from '../templates/judge.ts';
import { MESSAGING } from '../token-scopes.ts';

const OUTSIDE_WINDOW = 131047;
const UNKNOWN_MESSAGE = 131009;
const UNPAID = 131042;

interface Sending {
  readonly simulator: SimulatorState;
  readonly channels: readonly SimulatedChannel[];
  readonly phoneNumberId: string;
}

export async function sendCloud(
  simulator: SimulatorState,
  exchange: Exchange,
  channels: readonly SimulatedChannel[],
): Promise<void> {
  const json = (await readBody(exchange.request)).toString('utf8');
  const message = readMessage(json);
  const phoneNumberId = channels[0]?.network.phoneNumberId ?? '';
  const fault = simulator.faults.consume(
    numberKey('cloud', phoneNumberId),
    (digits) => message.type === 'message' && message.to === digits,
  );
  const answer = respondUnder(fault, simulator.clock, exchange);
  const injected = injectedBy(fault);
  const after = fault?.acceptFirst === true;
  const refusal = (after ? null : injected) ?? scopeProblem(simulator, channels);
  if (refusal !== null || fault?.loseRequest) {
    return answer(refusal ?? graphError(131000, 'The connection is torn down.'));
  }
  const sending = { simulator, channels, phoneNumberId };
  const reply = judge(sending, message, fault);
  if (reply.status !== 200) noteRefused(sending, json, reply);
  answer(after && reply.status === 200 && injected !== null ? injected : reply);
}

function noteRefused({ simulator, phoneNumberId }: Sending, body: string, reply: Reply): void {
  const error = recordAt(parseRecord(reply.body) ?? {}, 'error');
  const details = textAt(recordAt(error, 'error_data'), 'details') ?? '';
  const code = numberAt(error, 'code') ?? 0;
  simulator.refused.add({ phoneNumberId, code, details, body, at: simulator.clock.now() });
}

function scopeProblem(simulator: SimulatorState, [channel]: readonly SimulatedChannel[]) {
  const token = channel?.network.accessToken ?? '';
  if (simulator.scopes.has(token, MESSAGING)) return null;
  return graphError(10, 'Application does not have permission for this action');
}

/** With `asStatus` the error is not in the answer. */
function injectedBy(fault: Fault | null): Reply | null {
  if (fault?.asStatus) return null;
  if (fault?.status === undefined && fault?.code === undefined) return null;
  if (fault.proxy) return proxyPage(fault.status ?? 502);
  const code = fault.code ?? codeOfStatus(fault.status ?? 400);
  return graphError(code, 'Injected by the simulator control.', fault);
}

function judge(sending: Sending, message: GraphMessage, fault: Fault | null): Reply {
  switch (message.type) {
    case 'invalid':
      return message.reply;
    case 'mark-read':
      return markRead(sending, message);
    case 'message':
      return acceptMessage(sending, message, fault);
  }
}

/** The network knows the contact by the message; typing also marks it as read. */
function markRead(
  { simulator, channels }: Sending,
  { messageId, typing }: Extract<GraphMessage, { type: 'mark-read' }>,
): Reply {
  const to = simulator.received.authorOf(messageId);
  if (to === undefined) {
    return graphError(100, 'Param message_id is not the id of a received message.');
  }
  const channel = channels[0]?.channelId ?? '';
  const mark = { to, messageId, channel, at: simulator.clock.now() };
  simulator.seen.add({ ...mark, kind: 'read' });
  if (typing) simulator.seen.add({ ...mark, kind: 'typing' });
  return jsonReply({ success: true });
}

function acceptMessage(sending: Sending, message: GraphSend, fault: Fault | null): Reply {
  const { simulator, channels } = sending;
  const judged = shownOf(sending, message);
  if ('reply' in judged) return judged.reply;
  const { template } = judged;
  const unpaid = unpaidOf(sending, message);
  if (unpaid === 'answer') return graphError(UNPAID, 'The account has no valid payment method.');
  const mediaId = template?.mediaId ?? message.mediaId;
  const upload = mediaId === undefined ? undefined : simulator.media.get(mediaId);
  if (mediaId !== undefined && upload === undefined) {
    return graphError(131009, 'The media id does not exist.');
  }
  const externalId = `wamid.${freshHex()}`;
  const failCode = unpaid === 'status' ? UNPAID : failCodeOf(sending, message, fault);
  accept(
    simulator,
    {
      provider: 'cloud',
      channelIds: channels.map(({ channelId }) => channelId),
      externalId,
      to: message.to,
      kind: message.kind,
      text: template?.text ?? message.text,
      callbackData: message.callbackData,
      media: upload && sentMedia(upload),
      details: detailsOf(message, template),
      category: template?.category.toLowerCase(),
      sentOnly: message.kind === 'reaction',
    },
    failCode === undefined ? fault : { ...fault, failReceiptCode: failCode },
  );
  const { to, input } = message;
  const person = isUserId(to) ? { user_id: to } : { wa_id: to };
  const contacts = [{ input, ...person }];
  return jsonReply({ messaging_product: 'whatsapp', contacts, messages: [{ id: externalId }] });
}

function shownOf(
  { simulator, channels: [channel] }: Sending,
  { template: input }: GraphSend,
): { readonly template?: ShownTemplate } | { readonly reply: Reply } {
  if (input === undefined || channel === undefined) return {};
  const { name, language } = input;
  const template = simulator.templates.find(accountOf(channel), name, language.code);
  const judged = judgeTemplate(template, input);
  if ('value' in judged) return { template: judged.value };
  const { code, details } = judged.refusal;
  return { reply: graphError(code, details) };
}

/** How an account in debt has the message refused; null where it is free, or paid. */
function unpaidOf({ simulator, phoneNumberId }: Sending, { to }: GraphSend) {
  const debt = simulator.cloudPeople.debtOf(phoneNumberId);
  if (debt === undefined) return null;
  const forms = isUserId(to) ? [to] : [to, simulator.cloudPeople.userIdOf(to)];
  const isInside = simulator.windows.isOpen(phoneNumberId, forms, simulator.clock.now());
  return isInside ? null : debt.refusesBy;
}

/** The code with which the accepted message fails; undefined where the contact gets it. */
function failCodeOf(
  { simulator, phoneNumberId }: Sending,
  message: GraphSend,
  fault: Fault | null,
): number | undefined {
  if (fault?.asStatus && fault.code !== undefined) return fault.code;
  if (fault?.failReceiptCode !== undefined) return fault.failReceiptCode;
  const { to, kind, reaction } = message;
  const forms = isUserId(to) ? [to] : [to, simulator.cloudPeople.userIdOf(to)];
  const isFree = kind !== 'template';
  if (isFree && simulator.windows.refuses(phoneNumberId, forms, simulator.clock.now())) {
    return OUTSIDE_WINDOW;
  }
  if (reaction === undefined) return undefined;
  const { messageId } = reaction;
  const known =
    simulator.received.authorOf(messageId) !== undefined ||
    simulator.sent.find(messageId) !== undefined;
  return known ? undefined : UNKNOWN_MESSAGE;
}

function detailsOf(
  { interactive, reaction, location, contacts, replyTo }: GraphSend,
  template: ShownTemplate | undefined,
): SentDetails {
  const { text: _text, category: _category, mediaId: _media, ...shown } = template ?? {};
  return {
    ...(template === undefined
      ? {}
      : { template: { ...shown, name: template.name, language: template.language } }),
    ...(interactive === undefined ? {} : { interactive }),
    ...(reaction === undefined ? {} : { reaction }),
    ...(location === undefined ? {} : { location }),
    ...(contacts === undefined ? {} : { contacts }),
    ...(replyTo === undefined ? {} : { replyTo }),
  };
}
