/**
 * The bridge's look-ups: a chat's messages, one message by its id, the overview of chats. They
 * return the session's sent and received messages, newest first, in the engine's dialect.
 */
import type { JsonRecord } from '../../../../adapters/network/webhook-body.ts';
import type { Reply } from '../../cloud/schema/errors.ts';
import { type Exchange, respond, respondJson, respondUnder } from '../../http/exchange.ts';
import { type Fault, lookupKey, numberKey } from '../../network/faults.ts';
import type { SimulatorState } from '../../state/simulator-state.ts';
import { dialectOf } from '../dialects.ts';
import { bareId, chatId, jidOf } from '../ids.ts';
import { ackName, type BridgeMessage } from '../message.ts';
import type { BridgeSession } from '../sessions.ts';
import { type RenderContext, viewOf } from '../views.ts';
import { exception, notWorking, refusal, unsupported } from './errors.ts';

const MESSAGES_DEFAULT = 10;
const CHATS_DEFAULT = 20;
const ALL = 'all';
const INJECTED = 'Injected by the simulator control.';

export function serveChats(
  simulator: SimulatorState,
  exchange: Exchange,
  asked: { readonly session: BridgeSession; readonly words: readonly string[] },
): void {
  const { session, words } = asked;
  const fault = faultOf(simulator, session.name);
  const answer = respondUnder(fault, simulator.clock, exchange);
  const thrown = (message: string) =>
    exception({ session, exchange, json: '', now: simulator.clock.now() }, message);
  const refused = notWorking(session.name, session.status) ?? refusalOf(fault, session, thrown);
  if (refused !== null || fault?.loseRequest) {
    return answer(refused ?? refusal(500, 'the connection is torn down'));
  }
  const [chat = '', what, id] = words;
  // The page has no chat of that name.
  if (chat === ALL && session.engine === 'webjs') {
    return answer(thrown('Evaluation failed: Chat not found'));
  }
  const query = new URLSearchParams(exchange.query);
  const given = ok(lookUp({ simulator, session, query }, { chat, what, id }));
  answer(given ?? refusal(404, `Cannot GET ${exchange.path}`));
}

interface Asking {
  readonly simulator: SimulatorState;
  readonly session: BridgeSession;
  readonly query: URLSearchParams;
}

/** Undefined where there is no such path, null where there is no such message. */
function lookUp(
  asking: Asking,
  path: {
    readonly chat: string;
    readonly what: string | undefined;
    readonly id: string | undefined;
  },
): unknown {
  const { chat, what, id } = path;
  if (what === undefined) return chat === 'overview' ? overview(asking) : undefined;
  if (what !== 'messages') return undefined;
  return id === undefined ? listMessages(asking, chat) : findMessage(asking, chat, id);
}

function ok(given: unknown): Reply | null {
  if (given === undefined) return null;
  if (given === null) return refusal(404, 'Message not found');
  return { status: 200, body: JSON.stringify(given) };
}

/** A fault of look-ups is consumed by them; one of sends only appears in them. */
function faultOf(simulator: SimulatorState, session: string): Fault | null {
  const own = simulator.faults.consume(lookupKey(session));
  if (own !== null) return own;
  const shown = simulator.faults.peek(numberKey('web', session));
  const tells = shown?.status !== undefined && shown.status >= 500 && !shown.acceptFirst;
  return tells ? { status: shown.status } : null;
}

function refusalOf(
  fault: Fault | null,
  session: BridgeSession,
  thrown: (message: string) => Reply,
): Reply | null {
  if (fault?.unsupported) return unsupported(session);
  if (fault?.status === undefined) return null;
  if (fault.status === 422) return notWorking(session.name, 'STOPPED');
  const message = fault.message ?? INJECTED;
  return fault.status === 500 ? thrown(message) : refusal(fault.status, message);
}

function renderContextOf({ simulator, session, query }: Asking, fallback: boolean): RenderContext {
  const wanted = (query.get('downloadMedia') ?? String(fallback)) === 'true';
  const downloaded = wanted ? 'asked' : 'not-at-all';
  return { session, people: simulator.people, now: simulator.clock.now(), downloaded };
}

function renderMessage(renderContext: RenderContext, message: BridgeMessage): JsonRecord {
  return dialectOf(renderContext.session.engine).message(viewOf(renderContext, message));
}

/** WEBJS accepts full ids only, the others the bare one as well. */
function findMessage(asking: Asking, chat: string, id: string): unknown {
  const { session } = asking;
  if (session.engine === 'webjs' && bareId(id) === id) return null;
  const message = session.messages.find(bareId(id));
  if (message === undefined) return null;
  const elsewhere = chat !== ALL && session.engine !== 'gows' && !isIn(asking, message, chat);
  return elsewhere ? null : renderMessage(renderContextOf(asking, true), message);
}

function listMessages(asking: Asking, chat: string): readonly JsonRecord[] {
  const { query, session } = asking;
  const renderContext = renderContextOf(asking, true);
  const found = session.messages
    .list()
    .filter((message) => (chat === ALL || isIn(asking, message, chat)) && isWanted(message, query));
  if (query.get('sortOrder') !== 'asc') found.reverse();
  return page(found, query, MESSAGES_DEFAULT).map((message) =>
    renderMessage(renderContext, message),
  );
}

function isWanted(message: BridgeMessage, query: URLSearchParams): boolean {
  const since = Number(query.get('filter.timestamp.gte') ?? 0);
  const until = Number(query.get('filter.timestamp.lte') ?? Number.POSITIVE_INFINITY);
  const mine = query.get('filter.fromMe');
  const ack = query.get('filter.ack');
  const at = Math.floor(message.at / 1000);
  return (
    at >= since &&
    at <= until &&
    (mine === null || String(message.fromMe) === mine) &&
    (ack === null || ackName(message.ack) === ack)
  );
}

/** The chats of one person's two forms are one, unless they are asked for apart. */
function isIn({ simulator, query }: Asking, message: BridgeMessage, asked: string): boolean {
  const chat = chatId(asked);
  if (message.chat === chat) return true;
  return query.get('merge') !== 'false' && simulator.people.otherForm(chat) === message.chat;
}

function overview(asking: Asking): readonly JsonRecord[] {
  const { simulator, session, query } = asking;
  const merge = query.get('merge') !== 'false';
  const newest = new Map<string, BridgeMessage>();
  for (const message of session.messages.list()) {
    const other = merge ? simulator.people.otherForm(message.chat) : undefined;
    const chat = other !== undefined && newest.has(other) ? other : message.chat;
    newest.delete(chat);
    newest.set(chat, message);
  }
  const renderContext = renderContextOf(asking, false);
  const sorted = [...newest].sort(([, a], [, b]) => b.at - a.at);
  return page(sorted, query, CHATS_DEFAULT).map(([id, message]) => ({
    id,
    name: message.name ?? null,
    picture: null,
    lastMessage: renderMessage({ ...renderContext, downloaded: 'not-at-all' }, message),
    _chat: { id: jidOf(id), conversationTimestamp: Math.floor(message.at / 1000) },
  }));
}

function page<T>(all: readonly T[], query: URLSearchParams, usual: number): readonly T[] {
  const limit = Number(query.get('limit') ?? usual) || usual;
  const offset = Number(query.get('offset') ?? 0) || 0;
  return all.slice(offset, offset + limit);
}

/** The phone behind a hidden id, and the hidden id of a phone. */
export function serveLids(
  simulator: SimulatorState,
  exchange: Exchange,
  asked: { readonly session: BridgeSession; readonly words: readonly string[] },
): void {
  const { session, words } = asked;
  const closed = notWorking(session.name, session.status);
  if (closed !== null) return respond(exchange.response, closed);
  const [lid = '', phone] = words;
  if (lid === 'pn' && phone !== undefined) {
    const pn = chatId(phone.replace(/[^\d@a-z.]/g, ''));
    const known = simulator.people.otherForm(pn) ?? null;
    return respondJson(exchange.response, 200, { lid: known, pn });
  }
  const digits = simulator.people.phoneBehind(lid);
  respondJson(exchange.response, 200, { lid, pn: digits === undefined ? null : chatId(digits) });
}
