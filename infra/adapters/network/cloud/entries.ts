/**
 * Single entries of a `cloud` webhook (messages, echoes, statuses) as events. The person behind an
 * entry has a phone, where the network shows one, and the business-scoped ids beside it.
 *
 * 1. Null is a malformed entry, an empty list one that concerns nothing here: groups, and sentences
 *    of the network itself.
 * 2. An edit or a deletion concerns the original message and is never a message of its own.
 */
import type { NetworkEvent } from '../../../../shared/ports/network-event.ts';
import { phoneKey } from '../../../../shared/text/phone-spellings.ts';
import { isRecord, type JsonRecord, listAt, recordAt, secondsAt, textAt } from '../webhook-body.ts';
import { adIn, commerceIn } from './commerce.ts';
import { contentOf, editedTextOf, referralOf } from './content.ts';
import {
  blockOf,
  type ChannelBlock,
  cloudErrorOf,
  failureReason,
  isAboutTemplate,
  isUnpaid,
} from './send.ts';

type Events = readonly NetworkEvent[];
type ReceiptStatus = 'sent' | 'delivered' | 'read' | 'failed';

/** The surroundings of an entry in its change. */
export interface EntryContext {
  readonly now: number;
  readonly contacts: Contacts;
  /** Digits of our own number, empty where the change does not show them. */
  readonly ownPhone: string;
}

const RECEIPTS: ReadonlyMap<string, ReceiptStatus> = new Map([
  ['sent', 'sent'],
  ['delivered', 'delivered'],
  ['read', 'read'],
  ['played', 'read'],
  ['failed', 'failed'],
]);
const SENDER: PersonFields = { phone: 'from', userIds: ['from_user_id', 'from_parent_user_id'] };
const RECEIVER: PersonFields = { phone: 'to', userIds: ['to_user_id', 'to_parent_user_id'] };
const PREFERRING: PersonFields = { phone: 'wa_id', userIds: ['user_id', 'parent_user_id'] };
const RECIPIENT: PersonFields = {
  phone: 'recipient_id',
  userIds: ['recipient_user_id', 'recipient_parent_user_id', 'parent_recipient_user_id'],
};

/** A user with a username may be shown only by an opaque id: then `phone` is empty. */
export function messageEvents(context: EntryContext, message: JsonRecord): Events | null {
  if (isOfGroup(message)) return [];
  const person = personIn(message, SENDER, context.contacts);
  const externalId = textAt(message, 'id');
  if (person === null || externalId === undefined) return null;
  if (isChange(message)) return changeEvents(message, { person, fromMe: false, now: context.now });
  const content = contentOf(message);
  if (content === null) return null;
  const profileName = profileNameOf(message, context.contacts);
  const referral = referralOf(message);
  const event: NetworkEvent = {
    type: 'message',
    externalId,
    ...person,
    ...(profileName === undefined ? {} : { profileName }),
    ...content,
    ...(referral === null ? {} : { referral }),
    ...commerceIn(message),
    at: secondsAt(message, 'timestamp', context.now),
  };
  return [event];
}

/** The contact opened the chat for the first time, and wrote nothing. */
export function welcomeEvents(context: EntryContext, message: JsonRecord): Events | null {
  const person = personIn(message, SENDER, context.contacts);
  const welcomeId = textAt(message, 'id');
  if (person === null || welcomeId === undefined) return null;
  const profileName = profileNameOf(message, context.contacts);
  const ad = adIn(message);
  return [
    {
      type: 'welcome',
      ...person,
      welcomeId,
      ...(profileName === undefined ? {} : { profileName }),
      ...(ad === null ? {} : { ad }),
      at: secondsAt(message, 'timestamp', context.now),
    },
  ];
}

/** A message that a person typed on the connected phone. */
export function echoEvents(context: EntryContext, message: JsonRecord): Events | null {
  if (isOfGroup(message) || textAt(message, 'type') === 'system') return [];
  const turned = context.ownPhone !== '' && digitsOf(textAt(message, 'to')) === context.ownPhone;
  // Changes have been seen with sender and receiver the wrong way round.
  const person = personIn(message, turned ? SENDER : RECEIVER, context.contacts);
  const externalId = textAt(message, 'id');
  if (person === null || externalId === undefined) return null;
  if (isChange(message)) return changeEvents(message, { person, fromMe: true, now: context.now });
  const content = contentOf(message);
  if (content === null) return null;
  // A choice is a contact's alone.
  const { answer: _, ...said } = content;
  const event: NetworkEvent = {
    type: 'echo',
    externalId,
    ...person,
    ...said,
    at: secondsAt(message, 'timestamp', context.now),
  };
  return [event];
}

/** A call of a contact to our number; one of ours to a contact concerns nothing here. */
export function callEvents(context: EntryContext, call: JsonRecord): Events | null {
  if (textAt(call, 'direction') !== 'USER_INITIATED') return [];
  const person = personIn(call, SENDER, context.contacts);
  const callId = textAt(call, 'id');
  if (person === null || callId === undefined) return null;
  const profileName = profileNameOf(call, context.contacts);
  // The report of its end has the time of that end.
  const at = secondsAt(call, 'start_time', secondsAt(call, 'timestamp', context.now));
  return [
    {
      type: 'call',
      ...person,
      callId,
      ...(profileName === undefined ? {} : { profileName }),
      at,
    },
  ];
}

/**
 * A choice of the contact in the network's own app: `stop` or `resume` of marketing messages. Any
 * other category or value concerns nothing here.
 */
export function preferenceEvents(context: EntryContext, preference: JsonRecord): Events | null {
  const person = personIn(preference, PREFERRING, context.contacts);
  const value = textAt(preference, 'value');
  if (person === null || value === undefined) return null;
  if (textAt(preference, 'category') !== 'marketing_messages') return [];
  if (value !== 'stop' && value !== 'resume') return [];
  const at = secondsAt(preference, 'timestamp', context.now);
  return [{ type: 'marketing-wish', ...person, wanted: value === 'resume', at }];
}

export function isOfGroup(entry: JsonRecord): boolean {
  return textAt(entry, 'group_id') !== undefined || entry.recipient_type === 'group';
}

function isChange(message: JsonRecord): boolean {
  return message.type === 'edit' || message.type === 'revoke';
}

interface Changed {
  readonly person: Person;
  readonly fromMe: boolean;
  readonly now: number;
}

function changeEvents(message: JsonRecord, { person, fromMe, now }: Changed): Events | null {
  const edited = message.type === 'edit';
  const part = recordAt(message, edited ? 'edit' : 'revoke');
  const externalId = textAt(part, 'original_message_id');
  if (externalId === undefined) return null;
  const change = { externalId, ...person, fromMe, at: secondsAt(message, 'timestamp', now) };
  if (!edited) return [{ type: 'deletion', ...change }];
  return [{ type: 'edit', ...change, text: editedTextOf(recordAt(part, 'message')) }];
}

/** A receipt; beside it the ids that it shows of one person. */
export function statusEvents(context: EntryContext, status: JsonRecord): Events | null {
  if (isOfGroup(status)) return [];
  const externalId = textAt(status, 'id');
  const step = RECEIPTS.get(textAt(status, 'status') ?? '');
  if (externalId === undefined || step === undefined) return null;
  const messageId = textAt(status, 'biz_opaque_callback_data');
  const person = personIn(status, RECIPIENT, context.contacts);
  const receipt: NetworkEvent = {
    type: 'receipt',
    externalId,
    ...(messageId === undefined ? {} : { messageId }),
    status: step,
    ...(person === null || person.phone === '' ? {} : { phone: person.phone }),
    ...(person === null ? {} : { networkId: person.networkId }),
    ...(step === 'failed' ? { error: failureOf(status) } : {}),
    at: secondsAt(status, 'timestamp', context.now),
  };
  if (person?.aliases === undefined) return [receipt];
  return [receipt, { type: 'identity', ...person }];
}

/** Null where a status, or an error beside the statuses, does not concern the whole channel. */
export function blockIn(entry: unknown): ChannelBlock | null {
  const error = isRecord(entry) ? cloudErrorOf(entry) : null;
  return error === null ? null : blockOf(error);
}

/** Whether an error tells that the account owes the network. */
export function isPaymentError(entry: unknown): boolean {
  const error = isRecord(entry) ? cloudErrorOf(entry) : null;
  return error !== null && isUnpaid(error);
}

/** Whether the error of a status means that a template is not as it is known here. */
export function blamesTemplate(entry: unknown): boolean {
  const error = isRecord(entry) ? cloudErrorOf(entry) : null;
  return error !== null && isAboutTemplate(error);
}

/** The error of a failed status; undefined in any other. */
export function errorOf(status: unknown): unknown {
  if (!isRecord(status) || status.status !== 'failed' || isOfGroup(status)) return undefined;
  return listAt(status, 'errors')[0];
}

function failureOf(status: JsonRecord): { code: string; message: string } {
  const [first] = listAt(status, 'errors');
  const error = isRecord(first) ? cloudErrorOf(first) : null;
  if (error === null) return { code: 'unknown', message: 'A rede não entregou a mensagem.' };
  return { code: String(error.code), message: failureReason(error) };
}

function profileNameOf(message: JsonRecord, contacts: Contacts): string | undefined {
  const own = contacts.find(textAt(message, 'from'), textAt(message, 'from_user_id'));
  const named = own ?? contacts.only;
  return named === undefined ? undefined : textAt(recordAt(named, 'profile'), 'name');
}

/** As the port has a person, who is written to by the phone where there is one. */
export type Person = Extract<NetworkEvent, { type: 'number-change' }>['from'];

interface PersonIds {
  readonly phone: string | undefined;
  /** The business-scoped id, then the one of the parent business. */
  readonly userIds: readonly (string | undefined)[];
}

/** Which fields of an entry name the person. */
interface PersonFields {
  readonly phone: string;
  readonly userIds: readonly string[];
}

/** Null when no id identifies a person. */
export function personOf({ phone, userIds }: PersonIds): Person | null {
  const ids = [phone, ...userIds].filter((id) => id !== undefined);
  const [networkId, ...aliases] = new Set(ids);
  if (networkId === undefined) return null;
  const shown = { phone: digitsOf(phone), networkId };
  return aliases.length === 0 ? shown : { ...shown, aliases };
}

/** Digits; empty for an opaque id, which may appear in place of a phone. */
export function digitsOf(phone: string | undefined): string {
  return phone === undefined || /[^\d\s()+.-]/.test(phone) ? '' : phone.replace(/\D/g, '');
}

/** The `contacts` of a change, found without a walk: a batch may hold thousands. */
interface Contacts {
  readonly only: JsonRecord | undefined;
  find(phone: string | undefined, userId: string | undefined): JsonRecord | undefined;
}

export function contactsOf(value: JsonRecord): Contacts {
  const contacts = listAt(value, 'contacts').filter(isRecord);
  const byPhone = new Map(contacts.map((each) => [keyOf(textAt(each, 'wa_id')), each]));
  const byId = new Map(contacts.map((each) => [textAt(each, 'user_id'), each]));
  return {
    only: contacts.length === 1 ? contacts[0] : undefined,
    find: (phone, userId) => {
      const found = [
        userId === undefined ? undefined : byId.get(userId),
        phone === undefined ? undefined : byPhone.get(keyOf(phone)),
      ];
      return found.find((each) => each !== undefined && !contradicts(each, phone, userId));
    },
  };
}

/** The person of an entry, with the ids that the `contacts` beside it hold of the same one. */
function personIn(entry: JsonRecord, naming: PersonFields, contacts: Contacts): Person | null {
  const phone = textAt(entry, naming.phone);
  const userIds = naming.userIds.map((field) => textAt(entry, field));
  const beside = contacts.find(phone, userIds[0]);
  if (beside === undefined) return personOf({ phone, userIds });
  return personOf({
    phone: phone ?? textAt(beside, 'wa_id'),
    userIds: [...userIds, textAt(beside, 'user_id'), textAt(beside, 'parent_user_id')],
  });
}

/** Whether the contact has another phone or another id than the reported ones. */
function contradicts(
  contact: JsonRecord,
  phone: string | undefined,
  userId: string | undefined,
): boolean {
  const itsPhone = textAt(contact, 'wa_id');
  const itsId = textAt(contact, 'user_id');
  const differ = (one: string | undefined, other: string | undefined) =>
    one !== undefined && other !== undefined && one !== other;
  return differ(keyOf(phone), keyOf(itsPhone)) || differ(userId, itsId);
}

/** `wa_id` and `from` may be two spellings of a number. */
function keyOf(phone: string | undefined): string | undefined {
  return phoneKey(digitsOf(phone)) || phone;
}
