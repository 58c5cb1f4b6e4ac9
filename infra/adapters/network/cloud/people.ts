/**
 * The person behind an entry of a `cloud` webhook: a phone, where the network shows one, and the
 * business-scoped ids beside it. The phone is written to where there is one.
 */
import type { NetworkEvent } from '../../../../shared/ports/network-event.ts';
import { isRecord, type JsonRecord, listAt, textAt } from '../webhook-body.ts';

/** As the port has a person. */
export type Person = Extract<NetworkEvent, { type: 'number-change' }>['from'];

interface PersonIds {
  readonly phone: string | undefined;
  /** The business-scoped id, then the one of the parent business. */
  readonly userIds: readonly (string | undefined)[];
}

/** Which fields of an entry name the person. */
export interface PersonFields {
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
export interface Contacts {
  readonly only: JsonRecord | undefined;
  find(phone: string | undefined, userId: string | undefined): JsonRecord | undefined;
}

export function contactsOf(value: JsonRecord): Contacts {
  const contacts = listAt(value, 'contacts').filter(isRecord);
  const byPhone = new Map(contacts.map((each) => [phoneKey(textAt(each, 'wa_id')), each]));
  const byId = new Map(contacts.map((each) => [textAt(each, 'user_id'), each]));
  return {
    only: contacts.length === 1 ? contacts[0] : undefined,
    find: (phone, userId) => {
      const found = [
        userId === undefined ? undefined : byId.get(userId),
        phone === undefined ? undefined : byPhone.get(phoneKey(phone)),
      ];
      return found.find((each) => each !== undefined && !contradicts(each, phone, userId));
    },
  };
}

/** The person of an entry, with the ids that the `contacts` beside it hold of the same one. */
export function personIn(
  entry: JsonRecord,
  naming: PersonFields,
  contacts: Contacts,
): Person | null {
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
  return differ(phoneKey(phone), phoneKey(itsPhone)) || differ(userId, itsId);
}

const BRAZILIAN_AREA_DIGITS = 4;
const LINE_DIGITS = 8;

/** Brazilian numbers: `wa_id` and `from` may differ by the ninth digit. */
function phoneKey(phone: string | undefined): string | undefined {
  const digits = digitsOf(phone);
  if (!/^55\d{2}9\d{8}$/.test(digits)) return digits || phone;
  return digits.slice(0, BRAZILIAN_AREA_DIGITS) + digits.slice(-LINE_DIGITS);
}
