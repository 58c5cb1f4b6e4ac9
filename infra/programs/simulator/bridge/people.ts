/**
 * People as the simulated QR bridge knows them: the phones behind hidden ids, and who is
 * registered without the ninth digit, or not at all.
 */
import { accountNumber } from '../network/account-number.ts';
import { chatId, isHidden, personOf } from './ids.ts';

export const SESSION_STATUSES = [
  'WORKING',
  'STOPPED',
  'STARTING',
  'SCAN_QR_CODE',
  'PASSKEY_REQUIRED',
  'PASSKEY_CONFIRMATION_REQUIRED',
  'FAILED',
] as const;
export type SessionStatus = (typeof SESSION_STATUSES)[number];

/** 55, an area code, 8 digits of a mobile: how accounts of before the ninth digit are named. */
const WITHOUT_NINTH_DIGIT = /^(55[1-9][1-9])([6-9]\d{7})$/;
const RETAINED_MAX = 10_000;
const PHONE_MIN_DIGITS = 8;

export class BridgePeople {
  readonly #phonesByLid = new Map<string, string>();
  readonly #lidsByPhone = new Map<string, string>();
  readonly #registered = new Map<string, string>();
  readonly #unregistered = new Map<string, string>();

  /** A contact wrote: from now on the bridge knows under which number they are registered. */
  recordContact(digits: string): void {
    const [, area, rest] = WITHOUT_NINTH_DIGIT.exec(digits) ?? [];
    if (area !== undefined) keep(this.#registered, `${area}9${rest}`, digits);
  }

  /** The digits under which the phone is registered; null where it has no account. */
  registered(digits: string): string | null {
    if (digits.length < PHONE_MIN_DIGITS || this.#unregistered.has(digits)) return null;
    return this.#registered.get(digits) ?? accountNumber(digits);
  }

  setUnregistered(digits: string): void {
    keep(this.#unregistered, digits, digits);
  }

  revealPhone(lid: string, digits: string): void {
    keep(this.#phonesByLid, bare(lid), digits);
    keep(this.#lidsByPhone, digits, `${bare(lid)}@lid`);
  }

  phoneBehind(lid: string): string | undefined {
    return this.#phonesByLid.get(bare(lid));
  }

  /** The chat of the same person in its other form, phone or hidden id, where it is known. */
  otherForm(chat: string): string | undefined {
    if (!isHidden(chat)) return this.#lidsByPhone.get(personOf(chat));
    const phone = this.phoneBehind(chat);
    return phone === undefined ? undefined : chatId(phone);
  }

  /** Whether a chat, in whichever form, is the one with the person of a phone. */
  isChatOf(chat: string, digits: string): boolean {
    const phone = isHidden(chat) ? this.phoneBehind(chat) : personOf(chat);
    return phone === digits || phone === this.registered(digits);
  }

  clear(): void {
    this.#phonesByLid.clear();
    this.#lidsByPhone.clear();
    this.#registered.clear();
    this.#unregistered.clear();
  }
}

function bare(lid: string): string {
  return lid.replace(/@lid$/, '');
}

function keep(map: Map<string, string>, name: string, value: string): void {
  map.set(name, value);
  if (map.size <= RETAINED_MAX) return;
  const oldest = map.keys().next().value;
  if (oldest !== undefined) map.delete(oldest);
}
