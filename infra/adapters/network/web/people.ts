/**
 * The person behind a message, from the data of the three engines beside the chat. It has the same
 * person's other id (phone or hidden), and the name that the person chose.
 */
import { type JsonRecord, recordAt, textAt } from '../webhook-body.ts';
import { isBroadcastList, personChat, phoneOfChat } from './chat-id.ts';
import { chatInId, idsOf } from './message-id.ts';

export interface Person {
  /** Digits, or empty where only the hidden id is known. */
  readonly phone: string;
  readonly networkId: string;
  readonly aliases?: readonly string[];
}

/** The chats of the connected number itself, by phone and hidden. */
export type OwnChats = ReadonlySet<string>;

/** The chats of `me`, as in events and sessions. */
export function ownChats(me: JsonRecord): OwnChats {
  const chats = [textAt(me, 'id'), textAt(me, 'lid')].map(personChat);
  return new Set(chats.filter((chat) => chat !== null));
}

/** The chat of what a contact sent us: also by a list of theirs, to which nobody can answer. */
export function chatOfContact(message: JsonRecord): string | null {
  const from = textAt(message, 'from');
  return personChat(isBroadcastList(from) ? textAt(message, 'participant') : from);
}

/**
 * The chat of a message of our own number. Engines differ in the contents of `from` and `to`
 * (ourselves, the chat, nothing), and agree on the chat inside the serialized id.
 */
export function chatOfOwn(message: JsonRecord, me: OwnChats): string | null {
  const inId = chatInId(idsOf(message)?.fullId);
  // A group is no person, even where a member is named beside.
  if (inId !== undefined && personChat(inId) === null) return null;
  const named = [textAt(message, 'to'), inId, textAt(message, 'from')].map(personChat);
  return named.find((chat) => chat !== null && !me.has(chat)) ?? null;
}

/** The phone identifies the person where any engine reports it; every other id is an alias. */
export function personOf(chat: string, message: JsonRecord, me: OwnChats): Person {
  const known = [chat, ...othersOf(message)].filter((each) => each !== null && !me.has(each));
  const ids = [...new Set(known)].filter((each) => each !== null);
  const networkId = ids.find((each) => phoneOfChat(each) !== '') ?? chat;
  // Two phones would be two persons: only a hidden id is another name of this one.
  const aliases = ids.filter((each) => each !== networkId && phoneOfChat(each) === '');
  return {
    phone: phoneOfChat(networkId),
    networkId,
    ...(aliases.length === 0 ? {} : { aliases }),
  };
}

/** NOWEB reports it in `key` (of a broadcast list's author in `participantAlt`), GOWS in `Info`, and for a receipt beside the chat. */
function othersOf(message: JsonRecord): (string | null)[] {
  const data = recordAt(message, '_data');
  const key = recordAt(data, 'key');
  const info = data.Info === undefined ? data : recordAt(data, 'Info');
  const reported =
    message.fromMe === true
      ? [textAt(info, 'RecipientAlt')]
      : [textAt(key, 'participantAlt'), textAt(info, 'SenderAlt'), textAt(info, 'Sender')];
  return [textAt(key, 'remoteJidAlt'), ...reported].map(personChat);
}

/** The name that the sender chose: WEBJS, NOWEB and GOWS have a field each. */
export function profileNameOf(message: JsonRecord): string | undefined {
  const data = recordAt(message, '_data');
  return (
    textAt(data, 'notifyName') ??
    textAt(data, 'pushName') ??
    textAt(recordAt(data, 'Info'), 'PushName')
  );
}
