/**
 * The QR bridge's HTTP API (WAHA) as a session sees it. The order of refusal is the bridge's: key,
 * session, state of the session, then (here) an injected fault, then the body.
 */

import type { Reply } from '../../cloud/schema/errors.ts';
import { type Exchange, respond, respondBytes, respondJson } from '../../http/exchange.ts';
import { type SimulatedChannel, sessionOf } from '../../network/channels.ts';
import { numberKey, proxyKey } from '../../network/faults.ts';
import type { SimulatorState } from '../../state/simulator-state.ts';
import { hasNewMessageIds, returnsPhoneInCheck } from '../engines.ts';
import { chatId, freshMessageId } from '../ids.ts';
import type { BridgeSession } from '../sessions.ts';
import { act, isAction } from './actions.ts';
import { fileNotFound, noSession, notWorking, ofProxy, refusal, unsupported } from './errors.ts';
import { serveChats, serveLids } from './lookups.ts';
import { isSend, send } from './send.ts';

const WEBHOOK_EVENTS = [
  ...['message.any', 'message.ack', 'message.reaction', 'message.edited', 'message.revoked'],
  'session.status',
];

export async function serveBridge(simulator: SimulatorState, exchange: Exchange): Promise<void> {
  const { request, response, method, path } = exchange;
  const apiKey = String(request.headers['x-api-key'] ?? '');
  const known = await simulator.directory.find((set) => set.knowsApiKey(apiKey) || undefined);
  if (known === undefined) return respond(response, refusal(401, 'Unauthorized'));
  const proxied = proxyAnswer(simulator, apiKey);
  if (proxied !== null) return respond(response, proxied);
  const words = path.split('/').slice(2).map(decodeURIComponent);
  const [first = '', second, ...others] = words;
  if (method === 'POST' && isSend(first)) return send(simulator, exchange, { name: first, apiKey });
  if (isAction(method, first)) return act(simulator, exchange, { name: first, apiKey });
  if (method !== 'GET') return respond(response, refusal(404, `Cannot ${method} ${path}`));
  if (first === 'files') return serveFile(simulator, exchange, words.slice(1).join('/'));
  if (first === 'contacts' && second === 'check-exists') return checkExists(simulator, exchange);
  if (first === 'version' || (first === 'server' && second === 'version')) {
    return respondVersion(simulator, exchange, apiKey);
  }
  const name = first === 'sessions' ? (second ?? '') : first;
  const channels = await simulator.directory.find((set) => sessionOf(set, name, apiKey));
  const isMissing = simulator.faults.peek(numberKey('web', name))?.missing === true;
  if (channels === undefined || isMissing) {
    const isWaitedFor = first !== 'sessions';
    return respond(response, isWaitedFor ? noSession(name) : refusal(404, 'Session not found'));
  }
  const session = simulator.sessions.get(name);
  if (first === 'sessions') return describe(simulator, exchange, { session, channels });
  if (second === 'lids') return serveLids(simulator, exchange, { session, words: others });
  if (second === 'chats') return serveChats(simulator, exchange, { session, words: others });
  if (second === 'new-message-id' && hasNewMessageIds(session.version)) {
    return respondMessageId(exchange, session);
  }
  respond(response, refusal(404, `Cannot ${method} ${path}`));
}

/** Null where no proxy is in the way. A key is one bridge's. */
function proxyAnswer(simulator: SimulatorState, apiKey: string): Reply | null {
  const session = simulator.directory.known().withApiKey(apiKey)?.network.session ?? '';
  const status = simulator.faults.peek(proxyKey(session))?.status;
  return status === undefined ? null : ofProxy(status);
}

/** The bytes of a contact's file; its address is `/api/files/{session}/{id}.{ext}`. */
function serveFile(simulator: SimulatorState, { response }: Exchange, name: string): void {
  const media = simulator.media.get(name);
  if (media === undefined) return respond(response, fileNotFound());
  respondBytes(response, media);
}

function respondMessageId({ response }: Exchange, session: BridgeSession): void {
  const closed = notWorking(session.name, session.status);
  if (closed !== null) return respond(response, closed);
  if (session.engine === 'webjs') return respond(response, unsupported(session));
  respondJson(response, 200, { id: freshMessageId() });
}

/** The version is one bridge's: of the first session that the key is for. */
function respondVersion(simulator: SimulatorState, { response }: Exchange, apiKey: string): void {
  const channel = simulator.directory.known().withApiKey(apiKey);
  const session = simulator.sessions.get(channel?.network.session ?? '');
  const { version, engine, tier, browser } = session.environment();
  const platform = 'linux/x64';
  respondJson(response, 200, { version, engine, tier, browser, platform, worker: { id: null } });
}

interface Described {
  readonly session: BridgeSession;
  /** The session posts to each of them. */
  readonly channels: readonly SimulatedChannel[];
}

function describe(
  simulator: SimulatorState,
  exchange: Exchange,
  { session, channels }: Described,
): void {
  const fault = simulator.faults.peek(numberKey('web', session.name));
  const status = fault?.acceptFirst ? 200 : (fault?.status ?? 200);
  if (status === 401 || status === 403 || status >= 500) {
    respond(exchange.response, refusal(status, 'Injected by the simulator control.'));
    return;
  }
  const state = status === 422 ? 'STOPPED' : session.status;
  respondJson(exchange.response, 200, {
    name: session.name,
    status: state,
    config: { metadata: {}, webhooks: channels.map(hookOf) },
    me: session.meInfo(simulator.clock.now()),
    presence: null,
    timestamps: { activity: null },
    assignedWorker: '',
    engine: { engine: session.label() },
  });
}

/** As docs/networks.md has it set. */
function hookOf({ webhookUrl, network }: SimulatedChannel): Record<string, unknown> {
  return {
    url: webhookUrl,
    events: WEBHOOK_EVENTS,
    hmac: { key: network.webhookSecret },
    retries: { policy: 'exponential', delaySeconds: 2, attempts: 12 },
    customHeaders: null,
  };
}

/** A hidden person is named by the hidden id; only the newest GOWS names the phone beside it. */
function checkExists(simulator: SimulatorState, exchange: Exchange): void {
  const query = new URLSearchParams(exchange.query);
  const session = simulator.sessions.get(query.get('session') ?? '');
  const closed = notWorking(session.name, session.status);
  if (closed !== null) return respond(exchange.response, closed);
  const phone = query.get('phone')?.replace(/\D/g, '') ?? '';
  const digits = simulator.people.registered(phone);
  if (digits === null) {
    const none = session.engine === 'gows' ? { chatId: null } : {};
    return respondJson(exchange.response, 200, { numberExists: false, ...none });
  }
  const chat = chatId(digits);
  const hidden = session.engine === 'webjs' ? undefined : simulator.people.otherForm(chat);
  const pn = returnsPhoneInCheck(session) ? { pn: chat } : {};
  respondJson(exchange.response, 200, { numberExists: true, chatId: hidden ?? chat, ...pn });
}
