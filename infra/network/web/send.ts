/**
 * Sending one message through the QR bridge (WAHA's HTTP API), and looking for one whose answer was
 * lost.
 *
 * 1. The bridge takes no message id of ours: an answer lost after the request was written is
 *    `unknown`, and only the chat's own messages can tell.
 * 2. A session that does not work is `later` for the whole channel, never a failed message.
 */
import type { LentFile } from '../../../shared/media.ts';
import type {
  DoubtfulSend,
  NetworkChannel,
  OutboundText,
  SendOutcome,
  SentLookup,
} from '../../../shared/network.ts';
import {
  isRecord,
  type JsonRecord,
  numberAt,
  parseList,
  parseRecord,
  textAt,
} from '../json-shape.ts';
import {
  type BridgeCaller,
  isSuccess,
  missingSetting,
  postBridge,
  readBridge,
  sessionOf,
} from './bridge-call.ts';
import { chatIdOf, messageIdOf } from './chat-id.ts';
import type { Directory } from './directory.ts';
import { outcomeOfError } from './errors.ts';

const CONNECT_WAIT_MS = 2_000;
const MISCONFIGURED_WAIT_MS = 60_000;
/** Or no such look-up, or no such session: then the send will say so. */
const NO_SUCH_CHAT = 404;
const MESSAGES_READ = 100;
/** The chat's times are the network's own, in whole seconds. */
const CLOCKS_APART_MS = 60_000;

export interface BridgeSender extends BridgeCaller {
  readonly directory: Directory;
}

/** Sends; resolves with the outcome and never rejects. */
export function sendText(
  sender: BridgeSender,
  channel: NetworkChannel,
  { to, text, replyTo }: OutboundText,
): Promise<SendOutcome> {
  return postMessage(sender, channel, { to, call: 'sendText', replyTo, part: { text } });
}

interface Posted {
  readonly to: string;
  /** `sendText`, `sendImage`, … */
  readonly call: string;
  readonly replyTo: string | undefined;
  /** What the body holds beside session, chat and reply. */
  readonly part: Readonly<Record<string, unknown>>;
  /** The file that the body's `file` carries as its `data`. */
  readonly data?: LentFile;
  readonly timeoutMs?: number;
}

/** Never rejects. */
export async function postMessage(
  sender: BridgeSender,
  channel: NetworkChannel,
  message: Posted,
): Promise<SendOutcome> {
  const missing = missingSetting(channel);
  if (missing !== null) {
    const waitMs = MISCONFIGURED_WAIT_MS;
    return { outcome: 'later', scope: 'account', waitMs, channelReason: missing };
  }
  const recipient = await sender.directory.recipient(channel, message.to);
  if ('outcome' in recipient) return recipient.outcome;
  const { chatId } = recipient;
  const { call, part, data, replyTo, timeoutMs } = message;
  const answer = await postBridge(sender, channel, {
    path: `/api/${call}`,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(data === undefined ? {} : { data }),
    body: {
      session: sessionOf(channel),
      chatId,
      ...(replyTo === undefined ? {} : { reply_to: replyTo }),
      ...part,
    },
  });
  if (!answer.answered) {
    return answer.written
      ? { outcome: 'unknown', cause: answer.cause }
      : { outcome: 'later', scope: 'number', waitMs: CONNECT_WAIT_MS };
  }
  if (!isSuccess(answer.status)) return outcomeOfError(answer.status, answer.body);
  const externalId = messageIdOf(parseRecord(answer.body) ?? {});
  if (externalId === undefined) return { outcome: 'unknown', cause: 'accepted without an id' };
  // Only what the bridge told is knowledge; the contact may have written under another id since.
  const told = chatId === chatIdOf(message.to) ? {} : { networkId: chatId };
  return { outcome: 'accepted', externalId, ...told };
}

/**
 * Looks among the chat's recent messages. A bridge that keeps no messages (a complete refusal)
 * cannot tell, and the answer is as where there is no look-up.
 */
export async function findSent(
  sender: BridgeSender,
  channel: NetworkChannel,
  message: DoubtfulSend,
): Promise<SentLookup> {
  const recipient = await sender.directory.recipient(channel, message.to);
  if ('outcome' in recipient) return unless(recipient.outcome);
  const since = message.handedOverAt - CLOCKS_APART_MS;
  const query = new URLSearchParams({
    limit: String(MESSAGES_READ),
    downloadMedia: 'false',
    'filter.fromMe': 'true',
    'filter.timestamp.gte': String(Math.floor(since / 1000)),
  });
  const chat = encodeURIComponent(recipient.chatId);
  const path = `/api/${encodeURIComponent(sessionOf(channel))}/chats/${chat}/messages?${query}`;
  const answer = await readBridge(sender, channel, path);
  if (!answer.answered) return { found: 'unknown', cause: answer.cause };
  if (answer.status === NO_SUCH_CHAT) return { found: false };
  if (!isSuccess(answer.status)) return unless(outcomeOfError(answer.status, answer.body));
  const messages = parseList(answer.body)?.filter(isRecord);
  if (messages === undefined) return { found: 'unknown', cause: 'not a list of messages' };
  // The newest come first, and many share a second.
  const ours = messages.filter((each) => isIt(each, message, since)).reverse();
  const [oldest] = ours.sort(byTime);
  const externalId = oldest && messageIdOf(oldest);
  return externalId === undefined ? { found: false } : { found: true, externalId };
}

/** What turned the look-up away may pass, or is the bridge's way of saying that it cannot tell. */
function unless(outcome: SendOutcome): SentLookup {
  return outcome.outcome === 'later'
    ? { found: 'unknown', cause: outcome.channelReason ?? 'not now' }
    : { found: false };
}

function isIt(message: JsonRecord, sent: DoubtfulSend, since: number): boolean {
  const externalId = messageIdOf(message);
  const at = numberAt(message, 'timestamp');
  return (
    externalId !== undefined &&
    !sent.recorded.has(externalId) &&
    message.fromMe === true &&
    // A person on the phone may have typed the very same.
    message.source !== 'app' &&
    (message.hasMedia === true) === (sent.hasMedia ?? false) &&
    (textAt(message, 'body') ?? '').trim() === sent.text.trim() &&
    (at === undefined || at * 1000 >= since)
  );
}

function byTime(a: JsonRecord, b: JsonRecord): number {
  return (numberAt(a, 'timestamp') ?? 0) - (numberAt(b, 'timestamp') ?? 0);
}
