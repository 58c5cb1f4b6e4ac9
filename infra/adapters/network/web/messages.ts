/**
 * Converts one message of the bridge, from a webhook or a listing, to an event. The message is from
 * a contact, or typed by a person on the connected phone.
 */
import type { NetworkEvent } from '../../../../shared/ports/network-event.ts';
import { type JsonRecord, recordAt, secondsAt, textAt } from '../webhook-body.ts';
import { personChat } from './chat-id.ts';
import { contentOf } from './content.ts';
import { canonicalId, idsOf } from './message-id.ts';
import { chatOfContact, chatOfOwn, type OwnChats, personOf, profileNameOf } from './people.ts';
import { commerceIn } from './raw/commerce.ts';
import { isBookkeeping, quotedIn } from './raw/raw-message.ts';

export interface About {
  /** The connected number's own chats. */
  readonly me: OwnChats;
  readonly now: number;
  /** Time of the bridge's report. */
  readonly at: number;
}

/** `own`: sent by this service; null: malformed or of no interest. */
export function messageOf(message: JsonRecord, about: About): NetworkEvent | 'own' | null {
  if (isBookkeeping(message)) return null;
  return message.fromMe === true ? echo(message, about) : inbound(message, about);
}

function inbound(message: JsonRecord, { me, now }: About): NetworkEvent | null {
  const ids = idsOf(message);
  const chat = chatOfContact(message);
  if (ids === null || chat === null) return null;
  const profileName = profileNameOf(message);
  return {
    type: 'message',
    ...ids,
    ...personOf(chat, message, me),
    ...(profileName === undefined ? {} : { profileName }),
    ...contentOf(message, ids),
    ...commerceIn(message),
    ...quoteOf(message),
    at: secondsAt(message, 'timestamp', now),
  };
}

/**
 * Only messages that the bridge knows to be sent through it are ours. After a restart it reports
 * our messages as typed ones, and listings do not distinguish them. The ids of our messages decide,
 * where they are known.
 */
function echo(message: JsonRecord, { me, now }: About): NetworkEvent | 'own' | null {
  if (message.source === 'api') return 'own';
  const ids = idsOf(message);
  const chat = chatOfOwn(message, me);
  if (ids === null || chat === null) return null;
  // A choice is a contact's alone.
  const { answer: _, ...said } = contentOf(message, ids);
  return {
    type: 'echo',
    ...ids,
    ...personOf(chat, message, me),
    ...said,
    ...quoteOf(message),
    at: secondsAt(message, 'timestamp', now),
  };
}

function quoteOf(message: JsonRecord): { readonly replyToExternalId?: string } {
  const replyTo = textAt(recordAt(message, 'replyTo'), 'id') ?? quotedIn(message);
  return replyTo === undefined ? {} : { replyToExternalId: canonicalId(replyTo) };
}

/** A reaction is a message that answers another one; a removed reaction has an empty text. */
export function reactionOf(message: JsonRecord, about: About): NetworkEvent | 'own' | null {
  const { me, now } = about;
  const reaction = recordAt(message, 'reaction');
  const target = textAt(reaction, 'messageId');
  const ids = idsOf(message);
  if (message.fromMe === true && message.source === 'api') return 'own';
  const own = message.fromMe === true;
  const chat = own ? chatOfOwn(message, me) : chatOfContact(message);
  if (target === undefined || ids === null || chat === null) return null;
  const said = {
    ...ids,
    ...personOf(chat, message, me),
    kind: 'reaction',
    text: textAt(reaction, 'text') ?? '',
    replyToExternalId: canonicalId(target),
    at: secondsAt(message, 'timestamp', now),
  };
  return { type: own ? 'echo' : 'message', ...said };
}

/** `id` is of the change; in some engines it is the changed message's own. */
export function editOf(message: JsonRecord, about: About): NetworkEvent | null {
  const change = changeOf(message, textAt(message, 'editedMessageId'), about);
  return change && { type: 'edit', ...change, text: textAt(message, 'body') ?? null };
}

/** `before` is mostly absent, and `after` may be. */
export function deletionOf(payload: JsonRecord, about: About): NetworkEvent | null {
  const before = recordAt(payload, 'before');
  const after = recordAt(payload, 'after');
  const reported = idsOf(after) === null ? before : after;
  const target = textAt(payload, 'revokedMessageId') ?? idsOf(before)?.externalId;
  const change = changeOf(reported, target, about);
  return change && { type: 'deletion', ...change };
}

function changeOf(message: JsonRecord, target: string | undefined, { me, now, at }: About) {
  const ids = idsOf(message);
  const fromMe = message.fromMe === true;
  const chat = fromMe ? chatOfOwn(message, me) : chatOfContact(message);
  if (ids === null || chat === null) return null;
  const externalId = target === undefined ? ids.externalId : canonicalId(target);
  return {
    externalId,
    ...personOf(chat, message, me),
    fromMe,
    at: secondsAt(message, 'timestamp', at > 0 ? at : now),
  };
}

/** A call of the contact; one of a group is of no interest. */
export function callOf(call: JsonRecord, { me, now }: About): NetworkEvent | null {
  const chat = personChat(textAt(call, 'from'));
  const callId = textAt(call, 'id');
  if (chat === null || callId === undefined || call.isGroup === true || me.has(chat)) return null;
  return {
    type: 'call',
    ...personOf(chat, call, me),
    callId,
    at: secondsAt(call, 'timestamp', now),
  };
}
