/**
 * Whether a session is connected to the channel's own number. Another phone that scans the QR code
 * turns the session into another number's, and the bridge says so only by `me`.
 *
 * 1. Numbers are compared by the table of their spellings. A session without a phone in `me`, or a
 *    channel without one, is not doubted.
 * 2. What a session of another number reports is not the channel's.
 */
import type { NetworkChannel } from '../../../../shared/ports/network.ts';
import type { Readiness } from '../../../../shared/ports/network-event.ts';
import { isSameNumber } from '../../../../shared/text/phone-spellings.ts';
import { type JsonRecord, parseRecord, recordAt, textAt } from '../webhook-body.ts';
import { type BridgeCaller, isSuccess, readBridge, sessionOf } from './bridge-call.ts';
import { personChat, phoneOfChat } from './chat-id.ts';
import type { Directory } from './directory.ts';

/** Shorter is no phone: `0@c.us` is nobody. */
const PHONE_MIN_DIGITS = 8;
const PHONE_MAX_DIGITS = 15;

export type OtherNumber = Extract<Readiness, { ready: false }>;

/** The digits of the number that `me` names; undefined where it names none. */
export function phoneOfMe(session: JsonRecord): string | undefined {
  const me = recordAt(session, 'me');
  const phones = [textAt(me, 'id'), textAt(me, 'jid')].map((id) => phoneOfChat(id ?? ''));
  return phones.find(isPhone);
}

/** The same where `me` has only the hidden id: the bridge is asked for the phone behind it. */
export async function findPhoneOfMe(
  directory: Directory,
  channel: NetworkChannel,
  session: JsonRecord,
  timeoutMs?: number,
): Promise<string | undefined> {
  const named = phoneOfMe(session);
  if (named !== undefined) return named;
  const me = recordAt(session, 'me');
  const hidden = [textAt(me, 'id'), textAt(me, 'lid')]
    .map(personChat)
    .find((chat) => chat?.endsWith('@lid'));
  if (!hidden) return undefined;
  const found = await directory.findPhone(channel, hidden, timeoutMs);
  return found.known && isPhone(found.phone) ? found.phone : undefined;
}

function isPhone({ length }: string): boolean {
  return length >= PHONE_MIN_DIGITS && length <= PHONE_MAX_DIGITS;
}

export function isOurs(channel: NetworkChannel, phone: string): boolean {
  return isSameNumber(phone, channel.phone);
}

/** Why nothing may be sent through the session; null where the number is ours, or not known. */
export function otherNumber(
  channel: NetworkChannel,
  phone: string | undefined,
): OtherNumber | null {
  if (phone === undefined || channel.phone === '' || isOurs(channel, phone)) return null;
  const reason =
    `A sessão está conectada ao número +${phone}, e o canal é do número +${channel.phone}: ` +
    'leia o QR code com o telefone certo ou corrija o número (phone) do canal.';
  return { ready: false, reason, otherNumber: true };
}

/**
 * Asked before it is believed that a session does not have something: another number's has nothing
 * of ours. An answer that names no number is not doubted.
 */
export async function isOwnSession(
  caller: BridgeCaller,
  channel: NetworkChannel,
): Promise<boolean> {
  const path = `/api/sessions/${encodeURIComponent(sessionOf(channel))}`;
  const answer = await readBridge(caller, channel, { path });
  if (!answer.answered) return false;
  const session = isSuccess(answer.status) ? parseRecord(answer.body) : null;
  return session === null || otherNumber(channel, phoneOfMe(session)) === null;
}
