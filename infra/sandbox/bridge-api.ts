/** The QR bridge's HTTP API (WAHA) as a session sees it: sends, the session, a chat's messages. */
import { isRecord, type JsonRecord, parseRecord, recordAt, textAt } from '../network/json-shape.ts';
import { chatId } from './bridge-events.ts';
import type { SessionStatus } from './bridge-people.ts';
import type { ChannelSet, SandboxChannel } from './channels.ts';
import { type Exchange, readBody, respond, respondJson, respondUnder } from './exchange.ts';
import { type Fault, numberKey } from './faults.ts';
import type { Reply } from './graph-errors.ts';
import { digestOf, sentMedia } from './media-store.ts';
import type { SentMedia } from './sent-log.ts';
import { accept, freshHex, type World } from './world.ts';

const KINDS: Readonly<Record<string, string>> = {
  sendText: 'text',
  sendImage: 'image',
  sendVideo: 'video',
  sendVoice: 'audio',
  sendFile: 'document',
};
const MESSAGES_DEFAULT = 100;

export async function serveBridge(world: World, exchange: Exchange): Promise<void> {
  const { request, response, method, path } = exchange;
  const apiKey = String(request.headers['x-api-key'] ?? '');
  const known = await world.directory.find((set) => set.knowsApiKey(apiKey) || undefined);
  if (known === undefined) return respond(response, refusal(401, 'Unauthorized'));
  const words = path.split('/').slice(2).map(decodeURIComponent);
  const kind = KINDS[words[0] ?? ''];
  if (method === 'POST' && kind !== undefined) return send(world, exchange, { kind, apiKey });
  if (method !== 'GET') return respond(response, refusal(404, `Cannot ${method} ${path}`));
  if (words[0] === 'contacts' && words[1] === 'check-exists') return checkExists(world, exchange);
  const session = words[0] === 'sessions' ? words[1] : words[0];
  const channels = await world.directory.find((set) => sessions(set, session ?? '', apiKey));
  if (channels === undefined) return respond(response, refusal(404, 'Session not found'));
  if (words[0] === 'sessions') return describe(world, exchange, session ?? '');
  if (words[1] === 'lids' && words[2] !== undefined) return tellPhone(world, exchange, words[2]);
  if (words[1] === 'chats' && words[3] === 'messages') {
    return listMessages(world, exchange, { channels, chat: words[2] ?? '' });
  }
  respond(response, refusal(404, `Cannot ${method} ${path}`));
}

function sessions(
  set: ChannelSet,
  session: string,
  apiKey: string,
): readonly SandboxChannel[] | undefined {
  const found = set.bySession(session).filter((c) => c.network.apiKey === apiKey);
  return found.length === 0 ? undefined : found;
}

async function send(
  world: World,
  exchange: Exchange,
  call: { readonly kind: string; readonly apiKey: string },
): Promise<void> {
  const body = parseRecord((await readBody(exchange.request)).toString('utf8')) ?? {};
  const session = textAt(body, 'session') ?? '';
  const channels = await world.directory.find((set) => sessions(set, session, call.apiKey));
  if (channels === undefined) {
    return respond(exchange.response, refusal(404, `Session "${session}" does not exist`));
  }
  const fault = world.faults.take(numberKey('web', session));
  const answer = respondUnder(fault, world.clock, exchange);
  const closed = notWorking(session, world.people.sessionStatus(session));
  const refused = closed ?? refusalOf(fault, session) ?? problemOf(body, call.kind);
  if (refused !== null || fault?.loseRequest) {
    return answer(refused ?? refusal(500, 'the connection is torn down'));
  }
  const chat = textAt(body, 'chatId') ?? '';
  const externalId = `true_${chat}_3EB0${freshHex()}`;
  const channelIds = channels.map((channel) => channel.channelId);
  const to = chat.endsWith('@c.us') ? chat.slice(0, -'@c.us'.length) : chat;
  const text = textAt(body, call.kind === 'text' ? 'text' : 'caption') ?? null;
  const media = mediaIn(body);
  const { kind } = call;
  const message = { provider: 'web' as const, channelIds, externalId, to, kind, text, media };
  accept(world, message, fault);
  const timestamp = Math.floor(world.clock.now() / 1000);
  const sent = { id: externalId, timestamp, fromMe: true, source: 'api', to: chat, body: text };
  answer({ status: 201, body: JSON.stringify(sent) });
}

/** The file that travels with a message. */
function mediaIn(body: JsonRecord): SentMedia | undefined {
  const file = recordAt(body, 'file');
  const data = textAt(file, 'data');
  if (data === undefined) return undefined;
  const bytes = Buffer.from(data, 'base64');
  const mimeType = textAt(file, 'mimetype') ?? 'application/octet-stream';
  const fileName = textAt(file, 'filename');
  const named = fileName === undefined ? {} : { fileName };
  return sentMedia({ bytes, mimeType, sha256: digestOf(bytes), ...named });
}

function problemOf(body: JsonRecord, kind: string): Reply | null {
  if (!/@(c\.us|lid|g\.us)$/.test(textAt(body, 'chatId') ?? '')) {
    return refusal(400, 'chatId is not valid');
  }
  if (kind === 'text') {
    return textAt(body, 'text') === undefined ? refusal(400, 'text should not be empty') : null;
  }
  const file = recordAt(body, 'file');
  const given = isRecord(body.file) && (textAt(file, 'url') ?? textAt(file, 'data'));
  return given ? null : refusal(400, 'file should have url or data');
}

/** A 422 is the bridge's way of saying that the session does not work. */
function notWorking(session: string, status: SessionStatus): Reply | null {
  if (status === 'WORKING') return null;
  const error = 'Session status is not as expected. Try again later or restart the session';
  const body = { error, session, status, expected: ['WORKING'] };
  return { status: 422, body: JSON.stringify(body) };
}

function refusalOf(fault: Fault | null, session: string): Reply | null {
  if (fault?.status === undefined && fault?.code === undefined) return null;
  const status = fault.status ?? 500;
  if (status === 422) return notWorking(session, 'STOPPED');
  const code = fault.code === undefined ? {} : { error: `Error: ${fault.code}`, code: fault.code };
  const message = status === 401 ? 'Unauthorized' : 'Injected by the simulator control.';
  return { status, body: JSON.stringify({ statusCode: status, message, ...code }) };
}

function describe(world: World, exchange: Exchange, session: string): void {
  const fault = world.faults.peek(numberKey('web', session));
  const status = fault?.status ?? 200;
  if (status === 401 || status === 403 || status >= 500) {
    respond(exchange.response, refusal(status, 'Injected by the simulator control.'));
    return;
  }
  respondJson(exchange.response, 200, {
    name: session,
    status: status === 422 ? 'STOPPED' : world.people.sessionStatus(session),
    me: { id: `${session}@c.us`, pushName: 'Sandbox' },
    engine: { engine: 'GOWS' },
  });
}

function tellPhone(world: World, exchange: Exchange, lid: string): void {
  const phone = world.people.phoneBehind(lid);
  respondJson(exchange.response, 200, { lid, pn: phone === undefined ? null : chatId(phone) });
}

function checkExists(world: World, exchange: Exchange): void {
  const phone = new URLSearchParams(exchange.query).get('phone')?.replace(/\D/g, '') ?? '';
  const exists = phone.length >= 8;
  const found = exists
    ? { numberExists: true, chatId: chatId(world.people.registered(phone)) }
    : { numberExists: false };
  respondJson(exchange.response, 200, found);
}

/** Newest first, as the bridge lists them; only what this service sent is known here. */
function listMessages(
  world: World,
  exchange: Exchange,
  asked: { readonly channels: readonly SandboxChannel[]; readonly chat: string },
): void {
  const session = asked.channels[0]?.network.session ?? '';
  const fault = world.faults.peek(numberKey('web', session));
  if (fault?.status !== undefined && fault.status >= 500) {
    return respond(exchange.response, refusal(fault.status, 'Injected by the simulator control.'));
  }
  const query = new URLSearchParams(exchange.query);
  const limit = Number(query.get('limit') ?? MESSAGES_DEFAULT) || MESSAGES_DEFAULT;
  const ids = new Set(asked.channels.map((channel) => channel.channelId));
  const to = asked.chat.replace(/@c\.us$/, '');
  const messages = world.sent
    .list(to)
    .filter((message) => ids.has(message.channel))
    .slice(-limit)
    .reverse()
    .map((message) => ({
      id: message.externalId,
      timestamp: Math.floor(message.at / 1000),
      from: asked.chat,
      to: asked.chat,
      fromMe: true,
      source: 'api',
      body: message.text ?? '',
      hasMedia: message.kind !== 'text',
      ack: 1,
    }));
  respondJson(exchange.response, 200, messages);
}

function refusal(statusCode: number, message: string): Reply {
  return { status: statusCode, body: JSON.stringify({ message, statusCode }) };
}
