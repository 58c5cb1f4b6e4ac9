/**
 * The customer service windows of the simulated Cloud API. A message or a call of the contact
 * opens 24 hours for free messages, from the second that its webhook tells. Enforcement is off
 * until a control turns it on.
 *
 * Source: Meta, "Send messages", customer service windows (2026). A message or a call of a user
 * starts or refreshes them.
 */
const WINDOW_MS = 24 * 60 * 60_000;
const RETAINED_MAX = 100_000;

export class ContactWindows {
  readonly #wroteAt = new Map<string, number>();
  readonly #enforced = new Set<string>();

  enforce(phoneNumberId: string, active: boolean): void {
    if (active) this.#enforced.add(phoneNumberId);
    else this.#enforced.delete(phoneNumberId);
  }

  /** The contact wrote or called, at epoch milliseconds; null forgets it. */
  set(phoneNumberId: string, contact: string, at: number | null): void {
    const key = keyOf(phoneNumberId, contact);
    this.#wroteAt.delete(key);
    if (at === null) return;
    this.#wroteAt.set(key, Math.floor(at / 1000) * 1000);
    const { value, done } = this.#wroteAt.keys().next();
    if (this.#wroteAt.size > RETAINED_MAX && done !== true) this.#wroteAt.delete(value);
  }

  /** The same for a contact's own message, which never shortens a window. */
  extend(phoneNumberId: string, contact: string, at: number): void {
    const known = this.#wroteAt.get(keyOf(phoneNumberId, contact)) ?? 0;
    if (at > known) this.set(phoneNumberId, contact, at);
  }

  /** Whether the number's free message to the contact is refused. */
  refuses(phoneNumberId: string, contacts: readonly string[], now: number): boolean {
    return this.#enforced.has(phoneNumberId) && !this.isOpen(phoneNumberId, contacts, now);
  }

  /** Whether the contact wrote or called within 24 hours, enforced or not. */
  isOpen(phoneNumberId: string, contacts: readonly string[], now: number): boolean {
    return contacts.some((contact) => {
      const at = this.#wroteAt.get(keyOf(phoneNumberId, contact));
      return at !== undefined && now < at + WINDOW_MS;
    });
  }

  clear(): void {
    this.#wroteAt.clear();
    this.#enforced.clear();
  }
}

function keyOf(phoneNumberId: string, contact: string): string {
  return `${phoneNumberId}/${contact}`;
}
