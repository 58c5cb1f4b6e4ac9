/**
 * The rate windows of an organization and its keys, and each key's last use: what one call or one
 * slice of calls counts. Without a store or a clock (`rate-windows.ts` has both).
 */
import type { AdmissionSlice } from '../../shared/wire/caller.ts';
import {
  decideRateLimit,
  type RateLimitDecision,
  type RateLimitInput,
  type RateWindow,
  sliceOf,
} from '../domain/rate-limits.ts';
import type { WindowsDocument } from '../model/organization.ts';

type Counted = Pick<WindowsDocument, 'org' | 'keys' | 'lastUsedAt'>;
type Windows = Readonly<Record<'key' | 'org', RateWindow>>;

export type CallLimits = Omit<RateLimitInput, 'key' | 'org'>;
/** `calls`: no more than so many. */
export type WantedSlice = Pick<AdmissionSlice, 'keyLimit' | 'orgLimit' | 'calls'>;

export class CallWindows {
  readonly #keys: Map<string, RateWindow>;
  readonly #lastUsedAt: Map<string, number>;
  #org: RateWindow | undefined;
  /** The windows of which each slice is a part. */
  readonly #given = new WeakMap<AdmissionSlice, Windows & { readonly keyId: string }>();

  constructor(known: Counted | null) {
    this.#org = known?.org;
    this.#keys = new Map(Object.entries(known?.keys ?? {}));
    this.#lastUsedAt = new Map(Object.entries(known?.lastUsedAt ?? {}));
  }

  admit(keyId: string, limits: CallLimits, now: number): RateLimitDecision {
    const input = { key: this.#keys.get(keyId), org: this.#org, ...limits };
    const decision = decideRateLimit(input, now);
    this.#count(keyId, decision);
    this.#lastUsedAt.set(keyId, now);
    return decision;
  }

  /** Counted here, and lost to the windows where it is not used. Null where too little is left. */
  slice(keyId: string, wanted: WantedSlice, now: number): AdmissionSlice | null {
    const { keyLimit, orgLimit } = wanted;
    const windows = { key: this.#keys.get(keyId), org: this.#org };
    const { calls, forMs, key, org } = sliceOf({ ...windows, ...wanted }, now);
    if (calls === 0) return null;
    this.#count(keyId, { key, org });
    const slice = { calls, forMs, keyLimit, orgLimit };
    this.#given.set(slice, { keyId, key, org });
    return slice;
  }

  /** The slice was not given away after all: a window that is still open has its calls again. */
  takeBack(slice: AdmissionSlice): void {
    const given = this.#given.get(slice);
    const key = this.#keys.get(given?.keyId ?? '');
    if (!given || !key || !this.#org) return;
    const without = (window: RateWindow, { openedAt }: RateWindow): RateWindow =>
      window.openedAt === openedAt ? { openedAt, calls: window.calls - slice.calls } : window;
    this.#count(given.keyId, {
      key: without(key, given.key),
      org: without(this.#org, given.org),
    });
  }

  lastUsedAt(keyId: string): number | null {
    return this.#lastUsedAt.get(keyId) ?? null;
  }

  counted(): Counted {
    return {
      ...(this.#org ? { org: this.#org } : {}),
      keys: Object.fromEntries(this.#keys),
      lastUsedAt: Object.fromEntries(this.#lastUsedAt),
    };
  }

  #count(keyId: string, { key, org }: Windows): void {
    this.#keys.set(keyId, key);
    this.#org = org;
  }
}
