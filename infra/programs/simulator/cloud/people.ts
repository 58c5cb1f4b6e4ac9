/**
 * People as the simulated Cloud API knows them: the business-scoped id of each phone, and
 * the health and debts of each number.
 */
import { createHash } from 'node:crypto';

const RETAINED_MAX = 10_000;

/** Opaque business-scoped ids are `CC.` and letters or digits; phones are bare digits. */
export function isUserId(person: string): boolean {
  return !/^\d+$/.test(person);
}

export interface Health {
  readonly canSend: 'AVAILABLE' | 'LIMITED' | 'BLOCKED';
  readonly entity: 'PHONE_NUMBER' | 'WABA' | 'BUSINESS' | 'APP';
  readonly errors: readonly {
    readonly error_code: number;
    readonly error_description: string;
    readonly possible_solution: string;
  }[];
}

/** The account of a number owes Meta. */
export interface Debt {
  /** Where the error of a message that has to be paid for is. */
  readonly refusesBy: 'answer' | 'status';
  /** Whether the number's health shows it. */
  readonly isShown: boolean;
}

export class CloudPeople {
  readonly #debts = new Map<string, Debt>();
  readonly #userIds = new Map<string, string>();
  readonly #health = new Map<string, Health>();

  /** Every person has one, whether the phone is shown or not. */
  userIdOf(phone: string): string {
    const known = this.#userIds.get(phone);
    return known ?? userIdOf(phone);
  }

  setUserId(phone: string, userId: string): void {
    this.#userIds.set(phone, userId);
    const oldest = this.#userIds.keys().next().value;
    if (this.#userIds.size > RETAINED_MAX && oldest !== undefined) this.#userIds.delete(oldest);
  }

  healthOf(phoneNumberId: string): Health | undefined {
    return this.#health.get(phoneNumberId);
  }

  setHealth(phoneNumberId: string, health: Health): void {
    this.#health.set(phoneNumberId, health);
  }

  debtOf(phoneNumberId: string): Debt | undefined {
    return this.#debts.get(phoneNumberId);
  }

  /** Null: it is paid. */
  setDebt(phoneNumberId: string, debt: Debt | null): void {
    if (debt === null) this.#debts.delete(phoneNumberId);
    else this.#debts.set(phoneNumberId, debt);
  }

  clear(): void {
    this.#debts.clear();
    this.#userIds.clear();
    this.#health.clear();
  }
}

/** The default id of a phone. */
export function userIdOf(phone: string): string {
  const digest = createHash('sha256').update(phone).digest();
  return `BR.${digest.readBigUInt64BE(0) % 10n ** 17n}`;
}
