/**
 * Sends one message through the QR bridge (WAHA's HTTP API).
 *
 * 1. A text gets an id of our own where the bridge accepts one; calls with a file accept none.
 * 2. Some answers are `unknown`: a loss after the request was written, a fault of the bridge, or an
 *    answer without a message id. Then only a look-up can decide.
 * 3. A session that does not work is `later` for the whole channel, never a failed message.
 */
import type { ReadableFile } from '../../../../shared/ports/media.ts';
import type {
  NetworkChannel,
  OutboundText,
  SendOutcome,
} from '../../../../shared/ports/network.ts';
import type { HttpAnswer } from '../http-caller.ts';
import { parseRecord } from '../webhook-body.ts';
import {
  type BridgeCaller,
  isSuccess,
  missingSetting,
  postBridge,
  sessionOf,
} from './bridge-call.ts';
import { chatIdOf } from './chat-id.ts';
import type { Directory } from './directory.ts';
import type { Engines } from './engines.ts';
import { isUnsupported, outcomeOfSend } from './errors.ts';
import { canonicalId, idsOf } from './message-id.ts';

const CONNECT_WAIT_MS = 2_000;
const MISCONFIGURED_WAIT_MS = 60_000;

export interface BridgeSender extends BridgeCaller {
  readonly directory: Directory;
  readonly engines: Engines;
}

/** Sends; resolves with the outcome and never rejects. */
export function sendText(
  sender: BridgeSender,
  channel: NetworkChannel,
  { to, text, replyTo, ...message }: OutboundText,
): Promise<SendOutcome> {
  // An id that was journaled is used even before the engine is known: a repeat must go under it.
  const ownId = sender.engines.isMissing(channel, 'own-ids') ? undefined : message.ownId;
  return postMessage(sender, channel, { to, call: 'sendText', replyTo, ownId, part: { text } });
}

interface Posted {
  readonly to: string;
  /** `sendText`, `sendImage`, … */
  readonly call: string;
  readonly replyTo: string | undefined;
  readonly ownId?: string | undefined;
  /** The body's properties beside session, chat and reply. */
  readonly part: Readonly<Record<string, unknown>>;
  /** The file that is sent as `data` in the body's `file`. */
  readonly data?: ReadableFile;
  readonly timeoutMs?: number;
  /** The call for a repeat where the bridge does not have the first. */
  readonly otherwise?: string;
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
  let answer = await post(sender, channel, { ...message, chatId });
  if (message.otherwise !== undefined && lacksCall(answer)) {
    sender.engines.lacks(channel, 'stickers');
    answer = await post(sender, channel, { ...message, chatId, call: message.otherwise });
  }
  if (!answer.answered) {
    const { cause, fault } = answer;
    return answer.written
      ? { outcome: 'unknown', cause, fault }
      : { outcome: 'later', scope: 'number', waitMs: CONNECT_WAIT_MS, cause, fault };
  }
  if (message.ownId !== undefined && lacksCall(answer)) {
    // Without our own id the same bridge may accept it; this answer means that nothing was sent.
    sender.engines.lacks(channel, 'own-ids');
    const cause = 'the bridge takes no ids';
    return { outcome: 'later', scope: 'number', waitMs: CONNECT_WAIT_MS, cause };
  }
  if (!isSuccess(answer.status)) return outcomeOfSend(answer.status, answer.body);
  const ids = idsOf(parseRecord(answer.body) ?? {});
  if (ids === null) return { outcome: 'unknown', cause: 'accepted without an id' };
  // Only the bridge's report is knowledge; the contact may have written under another id since.
  const told = chatId === chatIdOf(message.to) ? {} : { networkId: chatId };
  return { outcome: 'accepted', ...ids, ...told };
}

function post(
  sender: BridgeSender,
  channel: NetworkChannel,
  message: Posted & { readonly chatId: string },
): Promise<HttpAnswer> {
  const { call, chatId, part, data, replyTo, ownId, timeoutMs } = message;
  return postBridge(sender, channel, {
    path: `/api/${call}`,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(data === undefined ? {} : { data }),
    body: {
      session: sessionOf(channel),
      chatId,
      ...(ownId === undefined ? {} : { id: ownId }),
      ...(replyTo === undefined ? {} : { reply_to: serialized(replyTo, chatId) }),
      ...part,
    },
  });
}

/** The bridge requires the full id; a bare one is most likely of the contact's message. */
function serialized(id: string, chatId: string): string {
  return canonicalId(id) === id ? `false_${chatId}_${id}` : id;
}

function lacksCall(answer: HttpAnswer): boolean {
  return answer.answered && !isSuccess(answer.status) && isUnsupported(answer.body);
}
