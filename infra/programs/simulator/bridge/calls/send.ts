/**
 * The bridge's sends.
 *
 * 1. An accepted message is on record before it is answered, also where a fault answers otherwise.
 * 2. A repeated send under an id that the session already sent is the same message for the contact.
 *    It is answered alike and delivered once.
 * 3. A restricted number reaches contacts that wrote to it before. For others GOWS and WEBJS throw,
 *    while NOWEB answers 201 and reports the restriction in an acknowledgement.
 */
import {
  type JsonRecord,
  parseRecord,
  recordAt,
  textAt,
} from '../../../../adapters/network/webhook-body.ts';
import type { Reply } from '../../cloud/schema/errors.ts';
import { type Exchange, held, readBody, respond, respondUnder } from '../../http/exchange.ts';
import { type SimulatedChannel, sessionOf } from '../../network/channels.ts';
import { type Fault, numberKey } from '../../network/faults.ts';
import { accept, type SimulatorState } from '../../state/simulator-state.ts';
import { dialectOf } from '../dialects.ts';
import { hasStickers, takesOwnIds } from '../engines.ts';
import { bareId, chatId, freshMessageId, personOf, serializedId } from '../ids.ts';
import type { BridgeMessage } from '../message.ts';
import type { BridgeSession } from '../sessions.ts';
import { viewOf } from '../views.ts';
import { exception, noSession, notWorking, RESTRICTED, refusal, unsupported } from './errors.ts';
import { cardsIn, detailsOf, mediaIn, placeIn, problemOf, type SendKind } from './parts.ts';

const KINDS: Readonly<Record<string, SendKind>> = {
  sendText: 'text',
  sendImage: 'image',
  sendVideo: 'video',
  sendVoice: 'audio',
  sendFile: 'document',
  sendSticker: 'sticker',
  sendLocation: 'location',
  sendContactVcard: 'contacts',
};
const RESTRICTED_CODE = 463;
const INJECTED = 'Injected by the simulator control.';

export interface SendCall {
  readonly name: string;
  readonly apiKey: string;
}

export function isSend(name: string): boolean {
  return KINDS[name] !== undefined;
}

interface Sent {
  readonly simulator: SimulatorState;
  readonly session: BridgeSession;
  readonly channels: readonly SimulatedChannel[];
  readonly body: JsonRecord;
  readonly kind: SendKind;
  readonly fault: Fault | null;
}

export async function send(
  simulator: SimulatorState,
  exchange: Exchange,
  call: SendCall,
): Promise<void> {
  const json = (await readBody(exchange.request)).toString('utf8');
  const body = parseRecord(json) ?? {};
  const name = textAt(body, 'session') ?? '';
  const channels = await simulator.directory.find((set) => sessionOf(set, name, call.apiKey));
  const session = simulator.sessions.get(name);
  const chat = chatId(textAt(body, 'chatId') ?? '');
  const fault = simulator.faults.consume(numberKey('web', name), (digits) =>
    simulator.people.isChatOf(chat, digits),
  );
  await held(simulator.clock, fault);
  if (channels === undefined || fault?.missing) {
    return respond(exchange.response, noSession(name));
  }
  const answer = respondUnder(fault, simulator.clock, exchange);
  const kind = KINDS[call.name] ?? 'text';
  const thrown = { session, exchange, json, now: simulator.clock.now() };
  const injected = refusalOf(fault, session, (message) => exception(thrown, message));
  const after = fault?.acceptFirst === true;
  const closed = notWorking(name, session.status) ?? stickerProblem(session, kind);
  const refused = closed ?? (after ? null : injected) ?? problemOf(body, kind);
  if (refused !== null || fault?.loseRequest) {
    return answer(refused ?? refusal(500, 'the connection is torn down'));
  }
  const cold = isRestricted(simulator, session, chat);
  if (cold && session.engine !== 'noweb') return answer(exception(thrown, RESTRICTED));
  const sent = { simulator, session, channels, body, kind, fault };
  const message = acceptOnce(sent, cold ? RESTRICTED_CODE : undefined);
  if (after && injected !== null) return answer(injected);
  if (fault?.emptyAnswer) return answer({ status: 201, body: '' });
  const renderContext = { session, people: simulator.people, now: simulator.clock.now() };
  const view = viewOf(renderContext, message);
  answer({ status: 201, body: JSON.stringify(dialectOf(session.engine).answer(view)) });
}

/** Accepts the message, or finds it accepted already under its own id. */
function acceptOnce(sent: Sent, restricted: number | undefined): BridgeMessage {
  const { simulator, session, channels, body, kind, fault } = sent;
  const given = takesOwnIds(session) ? textAt(body, 'id') : undefined;
  const known = given === undefined ? undefined : session.messages.find(given);
  if (known?.fromMe === true && known.ack >= 0) {
    simulator.sent.repeat(known.id);
    return known;
  }
  const message = messageOf(sent, given ?? freshMessageId());
  session.messages.keep(message);
  const failCode = restricted ?? fault?.failReceiptCode ?? lateCode(session, fault);
  accept(
    simulator,
    {
      provider: 'web',
      channelIds: channels.map((channel) => channel.channelId),
      externalId: message.id,
      fullId: serializedId(message),
      to: personOf(message.chat),
      kind,
      text: message.text,
      media: mediaIn(body),
      details: detailsOf(body, kind),
      bridge: { session, message },
    },
    failCode === undefined ? fault : { ...fault, failReceiptCode: failCode },
  );
  return message;
}

function messageOf({ simulator, session, body, kind }: Sent, id: string): BridgeMessage {
  const text = textAt(body, kind === 'text' ? 'text' : 'caption') ?? null;
  const replyTo = textAt(body, 'reply_to');
  return {
    id,
    fromMe: true,
    chat: chatId(textAt(body, 'chatId') ?? ''),
    at: simulator.clock.now(),
    text,
    ...contentIn(body, kind),
    ...(replyTo === undefined ? {} : { replyTo: session.messages.quoted(bareId(replyTo)) }),
    sentInRun: session.run,
    ack: 1,
  };
}

function contentIn(
  body: JsonRecord,
  kind: SendKind,
): Pick<BridgeMessage, 'file' | 'place' | 'cards'> {
  if (kind === 'text') return {};
  if (kind === 'location') return { place: placeIn(body) };
  if (kind === 'contacts') return { cards: cardsIn(body) };
  const file = recordAt(body, 'file');
  const mimeType = textAt(file, 'mimetype') ?? 'application/octet-stream';
  return { file: { kind, mimeType, fileName: textAt(file, 'filename') } };
}

/** A contact who never wrote to the session, while its number may begin no conversations. */
function isRestricted(simulator: SimulatorState, session: BridgeSession, chat: string): boolean {
  if (session.reach.restrictedAt(simulator.clock.now()) === null) return false;
  const other = simulator.people.otherForm(chat);
  return (
    !session.reach.hasContact(chat) && !(other !== undefined && session.reach.hasContact(other))
  );
}

/** NOWEB reports the network's refusals later, in an acknowledgement. */
function lateCode(session: BridgeSession, fault: Fault | null): number | undefined {
  return session.engine === 'noweb' && !fault?.acceptFirst ? fault?.code : undefined;
}

function stickerProblem(session: BridgeSession, kind: SendKind): Reply | null {
  if (kind !== 'sticker') return null;
  if (!hasStickers(session.version)) return refusal(404, 'Cannot POST /api/sendSticker');
  return session.engine === 'webjs' ? unsupported(session) : null;
}

function refusalOf(
  fault: Fault | null,
  session: BridgeSession,
  thrown: (message: string) => Reply,
): Reply | null {
  if (fault?.unsupported) return unsupported(session);
  if (fault?.code !== undefined && session.engine === 'noweb' && !fault.acceptFirst) return null;
  if (fault?.code !== undefined) return thrown(`server returned error ${fault.code}`);
  if (fault?.status === undefined) return null;
  if (fault.status === 422) return notWorking(session.name, 'STOPPED');
  if (fault.status === 401) return refusal(401, 'Unauthorized');
  return fault.status === 500
    ? thrown(fault.message ?? INJECTED)
    : refusal(fault.status, fault.message ?? INJECTED);
}
