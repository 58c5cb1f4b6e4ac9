/**
 * The bridge's calls that are no messages: a reaction, read marks, typing.
 *
 * Sources: WAHA's OpenAPI 2026.7.1 (`waha-docs`), MessageReactionRequest, SendSeenRequest and
 * ChatRequest; devlikeapro/waha, session.noweb.core.ts and session.webjs.core.ts. A reaction
 * answers with the raw message on NOWEB. On WEBJS the page returns nothing, so the answer is
 * empty; and it is not remembered as sent over the API, so it is reported as typed, under an id
 * that nobody was told. GOWS answers as to any send.
 */
import {
  type JsonRecord,
  listAt,
  parseRecord,
  textAt,
} from '../../../../adapters/network/webhook-body.ts';
import type { Reply } from '../../cloud/schema/errors.ts';
import { type Exchange, readBody, respond, respondUnder } from '../../http/exchange.ts';
import { type SimulatedChannel, sessionOf } from '../../network/channels.ts';
import { numberKey } from '../../network/faults.ts';
import type { SimulatorState } from '../../state/simulator-state.ts';
import { bridgeChange } from '../../webhooks/bridge-events.ts';
import { dialectOf } from '../dialects.ts';
import { bareId, chatId, freshMessageId, personOf, serializedId } from '../ids.ts';
import type { BridgeMessage } from '../message.ts';
import type { BridgeSession } from '../sessions.ts';
import { viewOf } from '../views.ts';
import { noSession, notWorking, refusal } from './errors.ts';
import { chatProblem, unknownProperty } from './parts.ts';
import type { SendCall } from './send.ts';

const KNOWN: Readonly<Record<string, readonly string[]>> = {
  reaction: ['session', 'messageId', 'reaction'],
  sendSeen: ['session', 'chatId', 'messageId', 'messageIds', 'participant'],
  startTyping: ['session', 'chatId'],
  stopTyping: ['session', 'chatId'],
};
const TYPING: Readonly<Record<string, 'typing' | 'paused'>> = {
  startTyping: 'typing',
  stopTyping: 'paused',
};
const SERIALIZED = /^(?:true|false)_([^_]+)_[^_]+/;

/** A reaction is a PUT, the others are POSTs. */
export function isAction(method: string, name: string): boolean {
  return KNOWN[name] !== undefined && method === (name === 'reaction' ? 'PUT' : 'POST');
}

interface Acting {
  readonly simulator: SimulatorState;
  readonly exchange: Exchange;
  readonly session: BridgeSession;
  readonly channels: readonly SimulatedChannel[];
  readonly body: JsonRecord;
}

export async function act(
  simulator: SimulatorState,
  exchange: Exchange,
  { name, apiKey }: SendCall,
): Promise<void> {
  const body = parseRecord((await readBody(exchange.request)).toString('utf8')) ?? {};
  const asked = textAt(body, 'session') ?? '';
  const channels = await simulator.directory.find((set) => sessionOf(set, asked, apiKey));
  const { response } = exchange;
  if (channels === undefined) {
    return respond(response, noSession(asked));
  }
  const session = simulator.sessions.get(asked);
  const problem = notWorking(asked, session.status) ?? unknownProperty(body, KNOWN[name]);
  if (problem !== null) return respond(response, problem);
  const acting = { simulator, exchange, session, channels, body };
  if (name === 'reaction') return react(acting);
  respond(response, mark(acting, name));
}

/** Read marks and typing are of a chat, and the contact sees them at once. */
function mark({ simulator, channels, body }: Acting, name: string): Reply {
  const problem = chatProblem(body);
  if (problem !== null) return problem;
  const to = personOf(textAt(body, 'chatId') ?? '');
  const about = { to, channel: channels[0]?.channelId ?? '', at: simulator.clock.now() };
  const typing = TYPING[name];
  if (typing !== undefined) {
    simulator.seen.add({ ...about, kind: typing });
    return { status: 201, body: '' };
  }
  const ids = [...listAt(body, 'messageIds'), body.messageId].filter(
    (id): id is string => typeof id === 'string',
  );
  for (const id of ids) simulator.seen.add({ ...about, kind: 'read', messageId: bareId(id) });
  if (ids.length === 0) simulator.seen.add({ ...about, kind: 'read' });
  return { status: 201, body: '{}' };
}

function react({ simulator, exchange, session, channels, body }: Acting): void {
  const messageId = textAt(body, 'messageId') ?? '';
  const chat = SERIALIZED.exec(messageId)?.[1];
  const { reaction: emoji } = body;
  if (chat === undefined || typeof emoji !== 'string') {
    const words = chat === undefined ? 'messageId is not valid' : 'reaction must be a string';
    return respond(exchange.response, refusal(400, words));
  }
  const fault = simulator.faults.consume(numberKey('web', session.name), (digits) =>
    simulator.people.isChatOf(chatId(chat), digits),
  );
  const answer = respondUnder(fault, simulator.clock, exchange);
  if (fault?.status !== undefined) {
    return answer(refusal(fault.status, fault.message ?? 'Injected by the simulator control.'));
  }
  if (fault?.loseRequest) return answer(refusal(500, 'the connection is torn down'));
  const now = simulator.clock.now();
  const message: BridgeMessage = {
    id: freshMessageId(),
    fromMe: true,
    chat,
    at: now,
    text: null,
    reaction: { of: bareId(messageId), text: emoji },
    ack: 1,
    sentInRun: session.engine === 'webjs' ? undefined : session.run,
  };
  const renderContext = { session, people: simulator.people, now };
  const change = { type: 'reaction', of: messageId, text: emoji } as const;
  const entry = bridgeChange(renderContext, message, change);
  const to = personOf(chat);
  // Under the name that its other reports have: those of one chat keep their order.
  for (const { channelId } of channels) simulator.webhookQueues.queue(channelId, to, entry);
  const sent = {
    to,
    text: null,
    kind: 'reaction',
    externalId: message.id,
    fullId: serializedId(message),
    channel: channels[0]?.channelId ?? '',
    reaction: { messageId: bareId(messageId), emoji },
    at: now,
  };
  simulator.sent.add(sent);
  simulator.observer?.accepted(sent, null);
  if (session.engine === 'webjs') return answer({ status: 200, body: '' });
  const view = viewOf(renderContext, message);
  answer({ status: 200, body: JSON.stringify(dialectOf(session.engine).answer(view)) });
}
