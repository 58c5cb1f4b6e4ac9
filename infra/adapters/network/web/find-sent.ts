/**
 * Look-up of a send in doubt: by our own id where the message has one, else by its text among the
 * chat's recent messages.
 *
 * 1. By own id the answer is sure in both directions: that very message is there or not.
 * 2. By text only a find is sure. A bridge that keeps no messages, or has not stored this one yet,
 *    finds nothing either: later look-ups would not decide it.
 * 3. Only the bridge decides: an error without its JSON is that of a proxy before it.
 * 4. That another number's session lacks the message says nothing.
 */
import type { DoubtfulSend, NetworkChannel, SentLookup } from '../../../../shared/ports/network.ts';
import {
  isRecord,
  type JsonRecord,
  numberAt,
  parseList,
  parseRecord,
  textAt,
} from '../webhook-body.ts';
import { isSuccess, readBridge, sessionOf } from './bridge-call.ts';
import { placeIn, vcardsIn } from './content.ts';
import { isNothingFound, isSessionUnknown, isUnsupported, outcomeOfLookup } from './errors.ts';
import { canonicalId, idsOf, type MessageIds } from './message-id.ts';
import { isOwnSession } from './own-number.ts';
import { isBookkeeping } from './raw/raw-message.ts';
import type { BridgeSender } from './send.ts';
import { cardOf } from './vcard.ts';

const NOT_FOUND = 404;
const MESSAGES_READ = 100;
/** The chat's times are the network's own, in whole seconds. */
const CLOCKS_APART_MS = 60_000;
/** A centimetre: the network keeps degrees as binary fractions. */
const DEGREES_APART = 1e-6;

/** Never rejects. */
export async function findSent(
  sender: BridgeSender,
  channel: NetworkChannel,
  message: DoubtfulSend,
): Promise<SentLookup> {
  // The bridge lists no reactions, and a repeat of one changes nothing.
  if (message.content?.type === 'reaction') return { found: false };
  const looked = await search(sender, channel, message);
  if (looked.found === true || looked.found === 'unknown') return looked;
  if (await isOwnSession(sender, channel)) return looked;
  return { found: 'unknown', cause: 'the session may work as another number' };
}

function search(
  sender: BridgeSender,
  channel: NetworkChannel,
  message: DoubtfulSend,
): Promise<SentLookup> {
  // A file is sent by a call without an id parameter: the network assigns its id. An engine that
  // the session was moved to since cannot be asked by an id either.
  const without = message.hasMedia || sender.engines.isWithout(channel, 'own-ids');
  const { ownId } = message;
  return without || ownId === undefined
    ? findByText(sender, channel, message)
    : findById(sender, channel, ownId);
}

async function findById(
  sender: BridgeSender,
  channel: NetworkChannel,
  ownId: string,
): Promise<SentLookup> {
  const session = encodeURIComponent(sessionOf(channel));
  const path = `/api/${session}/chats/all/messages/${ownId}?downloadMedia=false`;
  const answer = await readBridge(sender, channel, path);
  if (!answer.answered) return { found: 'unknown', cause: answer.cause };
  const { status, body } = answer;
  if (isSuccess(status)) return idIn(body, ownId);
  if (parseRecord(body) === null) return ofProxy(status);
  if (isUnsupported(status, body)) return { found: 'never', cause: 'no look-up by id' };
  if (status === NOT_FOUND && !isSessionUnknown(body)) return { found: false };
  if (status >= 500 && isNothingFound(body)) return { found: false };
  return lookupRefused(status, body);
}

function idIn(body: string, ownId: string): SentLookup {
  if (body.trim() === '' || body.trim() === 'null') return { found: false };
  const ids = idsOf(parseRecord(body) ?? {});
  if (ids?.externalId === ownId) return { found: true, ...ids };
  return { found: 'unknown', cause: 'not the message that was asked for' };
}

async function findByText(
  sender: BridgeSender,
  channel: NetworkChannel,
  message: DoubtfulSend,
): Promise<SentLookup> {
  const recipient = await sender.directory.recipient(channel, message.to);
  if ('outcome' in recipient) {
    const { outcome } = recipient;
    return outcome.outcome === 'later'
      ? { found: 'unknown', cause: outcome.channelReason ?? outcome.cause ?? 'not now' }
      : { found: 'never', cause: 'no such recipient' };
  }
  const since = message.handedOverAt - CLOCKS_APART_MS;
  const query = new URLSearchParams({
    limit: String(MESSAGES_READ),
    downloadMedia: 'false',
    'filter.fromMe': 'true',
    'filter.timestamp.gte': String(Math.max(0, Math.floor(since / 1000))),
  });
  const chat = encodeURIComponent(recipient.chatId);
  const path = `/api/${encodeURIComponent(sessionOf(channel))}/chats/${chat}/messages?${query}`;
  const answer = await readBridge(sender, channel, path);
  if (!answer.answered) return { found: 'unknown', cause: answer.cause };
  const { status, body } = answer;
  if (!isSuccess(status) && parseRecord(body) === null) return ofProxy(status);
  if (status === NOT_FOUND && !isSessionUnknown(body)) {
    return { found: 'never', cause: 'no such chat or look-up' };
  }
  if (!isSuccess(status)) return lookupRefused(status, body);
  const messages = parseList(body)?.filter(isRecord);
  if (messages === undefined) return { found: 'unknown', cause: 'not a list of messages' };
  // GOWS knows the device of each message; the others forget with a restart which ones were ours.
  const isTyped = (each: JsonRecord) =>
    each.source === 'app' && sender.engines.engineOf(channel) === 'GOWS';
  const ids = chosen(
    messages.filter((each) => !isTyped(each) && isLike(each, message, since)),
    message.recorded,
  );
  return ids === null
    ? { found: 'never', cause: 'not among the messages' }
    : { found: true, ...ids };
}

/** The oldest that is not accounted for; of equal texts the one that the bridge knows as ours. */
function chosen(alike: readonly JsonRecord[], recorded: ReadonlySet<string>): MessageIds | null {
  const accounted = new Set([...recorded].map(canonicalId));
  const isFree = (message: JsonRecord) => {
    const ids = idsOf(message);
    return ids !== null && !accounted.has(ids.externalId);
  };
  // The newest come first, and many share a second.
  const free = alike.filter(isFree).reverse().sort(byTime);
  const likeliest =
    free.find(({ source }) => source === 'api') ??
    free.find(({ source }) => source !== 'app') ??
    free[0];
  return likeliest === undefined ? null : idsOf(likeliest);
}

function isLike(message: JsonRecord, sent: DoubtfulSend, since: number): boolean {
  const at = numberAt(message, 'timestamp');
  return (
    message.fromMe === true &&
    !isBookkeeping(message) &&
    (message.hasMedia === true) === (sent.hasMedia ?? false) &&
    isSameContent(message, sent) &&
    (at === undefined || at * 1000 >= since)
  );
}

/** A place or cards are compared as such: engines differ in the text beside them. */
function isSameContent(message: JsonRecord, { content, text }: DoubtfulSend): boolean {
  switch (content?.type) {
    case 'location': {
      const { latitude, longitude } = content.location;
      const place = placeIn(message) ?? {};
      const isNear = (key: string, degrees: number) =>
        Math.abs(Number(textAt(place, key) ?? Number.NaN) - degrees) < DEGREES_APART;
      return isNear('latitude', latitude) && isNear('longitude', longitude);
    }
    case 'contacts': {
      const names = content.contacts.map(({ name }) => name.trim());
      const reported = vcardsIn(message).map((card) => cardOf(card)?.name);
      return String(reported) === String(names);
    }
    default:
      return (textAt(message, 'body') ?? '').trim() === text.trim();
  }
}

function ofProxy(status: number): SentLookup {
  return { found: 'unknown', cause: `status ${status} of a proxy` };
}

/** The refusal may be temporary, or the bridge cannot answer this look-up. */
function lookupRefused(status: number, body: string): SentLookup {
  const outcome = outcomeOfLookup(status, body);
  return outcome.outcome === 'later'
    ? { found: 'unknown', cause: outcome.channelReason ?? outcome.cause ?? `status ${status}` }
    : { found: 'never', cause: `status ${status}` };
}

function byTime(a: JsonRecord, b: JsonRecord): number {
  return (numberAt(a, 'timestamp') ?? 0) - (numberAt(b, 'timestamp') ?? 0);
}
