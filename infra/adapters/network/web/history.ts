/**
 * Reads missed messages back from the bridge, after the session or the service was down. It reads
 * chats with activity since then, the newest first, and each chat's messages, the oldest first.
 *
 * 1. Bounded: 1,000 chats, 1,000 messages of each. Beyond that the older ones are left out.
 * 2. A bridge that keeps no messages has nothing to read; one that stops answering is an error.
 */

import type { Clock } from '../../../../shared/ports/clock.ts';
import type { NetworkChannel } from '../../../../shared/ports/network.ts';
import type { NetworkEvent } from '../../../../shared/ports/network-event.ts';
import {
  isRecord,
  type JsonRecord,
  numberAt,
  parseList,
  parseRecord,
  recordAt,
  textAt,
} from '../webhook-body.ts';
import {
  type BridgeCaller,
  type BridgeGet,
  isSuccess,
  readBridge,
  sessionOf,
} from './bridge-call.ts';
import { isBroadcastList, personChat } from './chat-id.ts';
import { isSessionUnknown, outcomeOfLookup } from './errors.ts';
import { messageOf } from './messages.ts';
import { otherNumber, phoneOfMe } from './own-number.ts';
import { ownChats } from './people.ts';

const CHATS_PAGE = 20;
const CHATS_MAX = 1_000;
/** With the raw messages and their thumbnails, an answer stays under the 1 MiB that is read. */
const MESSAGES_PAGE = 25;
const MESSAGES_MAX = 1_000;
/** The overview has the pictures of the chats fetched, too. */
const OVERVIEW_TIMEOUT_MS = 30_000;
const NOT_FOUND = 404;

export interface HistoryReader extends BridgeCaller {
  readonly clock: Clock;
}

/** One list for each chat. Rejects when the bridge does not answer. */
export async function* readSince(
  reader: HistoryReader,
  channel: NetworkChannel,
  since: number,
): AsyncGenerator<readonly NetworkEvent[]> {
  const fromSecond = Math.max(0, Math.floor(since / 1000));
  const session = encodeURIComponent(sessionOf(channel));
  const me = await ownChatsOf(reader, channel);
  const read = new Set<string>();
  for (let offset = 0; offset < CHATS_MAX; offset += CHATS_PAGE) {
    const query = new URLSearchParams({ limit: String(CHATS_PAGE), offset: String(offset) });
    const path = `/api/${session}/chats/overview?${query}`;
    const chats = (await list(reader, channel, { path, timeoutMs: OVERVIEW_TIMEOUT_MS })) ?? [];
    const active = chats.filter((chat) => activityOf(chat) >= fromSecond);
    for (const chat of active.map(chatOf)) {
      if (chat === null || read.has(chat)) continue;
      read.add(chat);
      const events = await messagesOf(reader, channel, { chat, fromSecond, me });
      if (events.length > 0) yield events;
    }
    // The last activity orders the chats; one without a message may appear anywhere.
    if (active.length === 0) return;
  }
}

async function ownChatsOf(reader: HistoryReader, channel: NetworkChannel) {
  const path = `/api/sessions/${encodeURIComponent(sessionOf(channel))}`;
  const answer = await readBridge(reader, channel, path);
  if (!answer.answered) throw new Error(`the bridge did not answer: ${answer.cause}`);
  const session = isSuccess(answer.status) ? parseRecord(answer.body) : null;
  if (session === null) return ownChats({});
  // The chats of another phone are other people's, and not the channel's.
  if (otherNumber(channel, phoneOfMe(session)) !== null) {
    throw new Error('the session works as another number');
  }
  return ownChats(recordAt(session, 'me'));
}

interface Chat {
  readonly chat: string;
  readonly fromSecond: number;
  readonly me: ReturnType<typeof ownChats>;
}

async function messagesOf(
  reader: HistoryReader,
  channel: NetworkChannel,
  { chat, fromSecond, me }: Chat,
): Promise<NetworkEvent[]> {
  const session = encodeURIComponent(sessionOf(channel));
  const found: JsonRecord[] = [];
  for (let offset = 0; offset < MESSAGES_MAX; offset += MESSAGES_PAGE) {
    const query = new URLSearchParams({
      limit: String(MESSAGES_PAGE),
      offset: String(offset),
      downloadMedia: 'false',
      'filter.timestamp.gte': String(fromSecond),
    });
    const path = `/api/${session}/chats/${encodeURIComponent(chat)}/messages?${query}`;
    const page = (await list(reader, channel, { path })) ?? [];
    // A page may be short before the end: items that are no messages are left out of it.
    if (page.length === 0) break;
    found.push(...page);
  }
  // The newest come first, and many share a second.
  const messages = found.filter((each) => timeOf(each) >= fromSecond).reverse();
  messages.sort((a, b) => timeOf(a) - timeOf(b));
  const now = reader.clock.now();
  return messages.flatMap((message) => {
    const event = messageOf(message, { me, now, at: now });
    return event === null || event === 'own' ? [] : [event];
  });
}

/** Null where the bridge has no such data. */
async function list(
  reader: HistoryReader,
  channel: NetworkChannel,
  get: BridgeGet,
): Promise<JsonRecord[] | null> {
  const answer = await readBridge(reader, channel, get);
  if (!answer.answered) throw new Error(`the bridge did not answer: ${answer.cause}`);
  const { status, body } = answer;
  if (isSuccess(status)) {
    const items = parseList(body);
    if (items === null) throw new Error('the bridge answered with no list');
    return items.filter(isRecord);
  }
  if (status === NOT_FOUND && !isSessionUnknown(body)) return null;
  if (outcomeOfLookup(status, body).outcome === 'refused') return null;
  throw new Error(`the bridge answered with status ${status}`);
}

/** Null where nobody writes to us. */
function chatOf(chat: JsonRecord): string | null {
  const id = isRecord(chat.id) ? textAt(chat.id, '_serialized') : textAt(chat, 'id');
  return id !== undefined && isBroadcastList(id) ? id : personChat(id);
}

/** In seconds; a chat without a message has none. */
function activityOf(chat: JsonRecord): number {
  return numberAt(recordAt(chat, 'lastMessage'), 'timestamp') ?? 0;
}

function timeOf(message: JsonRecord): number {
  return numberAt(message, 'timestamp') ?? 0;
}
