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
  NamedMessage,
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
  { to, text, replyTo, quotesOwn, ...message }: OutboundText,
): Promise<SendOutcome> {
  // An id that was journaled is used even before the engine is known: a repeat must go under it.
  const ownId = sender.engines.isWithout(channel, 'own-ids') ? undefined : message.ownId;
  const part = { text };
  return postMessage(sender, channel, { to, call: 'sendText', replyTo, quotesOwn, ownId, part });
}

interface Posted {
  readonly to: string;
  /** `sendText`, `sendImage`, … */
  readonly call: string;
  readonly replyTo: string | undefined;
  readonly quotesOwn?: boolean | undefined;
  readonly ownId?: string | undefined;
  /** The body's properties beside session, chat and reply. */
  readonly part: Readonly<Record<string, unknown>>;
  /** The file that is sent as `data` in the body's `file`. */
  readonly data?: ReadableFile;
  readonly timeoutMs?: number;
  /** The call for a repeat where the bridge does not have the first. */
  readonly otherwise?: string;
  /** The message that a reaction is about: the call names it, and no chat. */
  readonly target?: NamedMessage;
  /** The name of a message for which the bridge may answer none. */
  readonly nameless?: string;
}

/** A failed reaction is repeated whether it happened or not: it names one message and one emoji. */
const AGAIN: SendOutcome = {
  outcome: 'later',
  scope: 'pair',
  waitMs: CONNECT_WAIT_MS,
  failure: { code: 'reaction', reason: 'A rede falhou repetidas vezes ao enviar a reação.' },
};

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
  // Every bridge sends texts: what this one lacks is the id.
  if (message.ownId !== undefined && message.call === 'sendText' && lacksCall(answer)) {
    // Without our own id the same bridge may accept it; this answer means that nothing was sent.
    sender.engines.lacks(channel, 'own-ids');
    const cause = 'the bridge takes no ids';
    return { outcome: 'later', scope: 'number', waitMs: CONNECT_WAIT_MS, cause };
  }
  if (!isSuccess(answer.status)) {
    const outcome = outcomeOfSend(answer.status, answer.body);
    return message.target !== undefined && outcome.outcome === 'unknown' ? AGAIN : outcome;
  }
  const ids = idsOf(parseRecord(answer.body) ?? {});
  const named = ids ?? (message.nameless === undefined ? null : { externalId: message.nameless });
  if (named === null) return { outcome: 'unknown', cause: 'accepted without an id' };
  // Only the bridge's report is knowledge; the contact may have written under another id since.
  const reported = chatId === chatIdOf(message.to) ? {} : { networkId: chatId };
  return { outcome: 'accepted', ...named, ...reported };
}

function post(
  sender: BridgeSender,
  channel: NetworkChannel,
  message: Posted & { readonly chatId: string },
): Promise<HttpAnswer> {
  const { call, chatId, part, data, replyTo, quotesOwn, ownId, timeoutMs, target } = message;
  const about = target === undefined ? { chatId } : { messageId: fullIdOf(target, chatId) };
  return postBridge(sender, channel, {
    path: `/api/${call}`,
    ...(target === undefined ? {} : { method: 'PUT' as const }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(data === undefined ? {} : { data }),
    body: {
      session: sessionOf(channel),
      ...about,
      ...(ownId === undefined ? {} : { id: ownId }),
      ...(replyTo === undefined
        ? {}
        : { reply_to: serialized(replyTo, { chatId, fromMe: quotesOwn ?? false }) }),
      ...part,
    },
  });
}

/** As the bridge spells it: whose message it is, the chat, the id. */
export function fullIdOf({ externalId, fullId, fromMe }: NamedMessage, chatId: string): string {
  return fullId ?? `${fromMe}_${chatId}_${externalId}`;
}

/** The bridge requires the full id. */
function serialized(
  id: string,
  { chatId, fromMe }: { readonly chatId: string; readonly fromMe: boolean },
): string {
  return canonicalId(id) === id ? `${fromMe}_${chatId}_${id}` : id;
}

function lacksCall(answer: HttpAnswer): boolean {
  if (!answer.answered) return false;
  const { status, body } = answer;
  return !isSuccess(status) && isUnsupported(status, body);
}
