/**
 * What the simulated QR bridge knows beside its messages: the sessions' states, the phones behind
 * hidden ids, and who is registered without the ninth digit.
 */

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
const KEPT_MAX = 10_000;

export class BridgePeople {
  readonly #sessions = new Map<string, SessionStatus>();
  readonly #phonesByLid = new Map<string, string>();
  readonly #registered = new Map<string, string>();

  setSession(session: string, status: SessionStatus): void {
    this.#sessions.set(session, status);
  }

  sessionStatus(session: string): SessionStatus {
    return this.#sessions.get(session) ?? 'WORKING';
  }

  /** Somebody wrote: from now on the bridge knows under which number they are registered. */
  meet(digits: string): void {
    const [, area, rest] = WITHOUT_NINTH_DIGIT.exec(digits) ?? [];
    if (area !== undefined) keep(this.#registered, `${area}9${rest}`, digits);
  }

  /** The digits under which the phone is registered. */
  registered(digits: string): string {
    return this.#registered.get(digits) ?? digits;
  }

  tellPhone(lid: string, digits: string): void {
    keep(this.#phonesByLid, bare(lid), digits);
  }

  phoneBehind(lid: string): string | undefined {
    return this.#phonesByLid.get(bare(lid));
  }

  clear(): void {
    this.#sessions.clear();
    this.#phonesByLid.clear();
    this.#registered.clear();
  }
}

function bare(lid: string): string {
  return lid.replace(/@lid$/, '');
}

function keep(map: Map<string, string>, name: string, value: string): void {
  map.set(name, value);
  if (map.size <= KEPT_MAX) return;
  const oldest = map.keys().next().value;
  if (oldest !== undefined) map.delete(oldest);
}
