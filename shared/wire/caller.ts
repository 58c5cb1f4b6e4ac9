/** The authenticated key as the gateway knows it (C5), and its admission. */
import type { Provider, Scope } from '../vocabulary.ts';

export interface CallerChannel {
  readonly id: string;
  readonly provider: Provider;
  readonly ready: boolean;
  /** Portuguese; null when ready. */
  readonly reason: string | null;
}

export interface Caller {
  readonly orgId: string;
  /** ISO 3166-1 alpha-2: default country of phones without a country code. */
  readonly country: string;
  /** IANA name. */
  readonly timeZone: string;
  readonly keyId: string;
  readonly keyName: string;
  /** First characters of the key, for logs. */
  readonly keyPrefix: string;
  readonly scope: Scope;
  /** Set exactly for a channel key. */
  readonly channelId: string | null;
  /** All channels of the organization that are not removed. */
  readonly channels: readonly CallerChannel[];
  /** Of the organization's document: the gateway keeps a caller until it changes. */
  readonly version: number;
}

/** A fixed 60 s window after this call (D34). */
export interface Rate {
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until the window closes, at least 1. */
  readonly resetSeconds: number;
}

export interface AdmitCommand {
  readonly id: string;
  readonly type: 'admit';
  /** Digest of the key. */
  readonly digest: string;
  /** The caller's version the gateway already holds: the answer then leaves the caller out. */
  readonly knownVersion: number | null;
  /** The ask is a repeat: an owner may already have received this admission. */
  readonly repeat?: boolean;
  readonly [field: string]: unknown;
}

/** Admitted, and the gateway's knowledge of the caller is current. */
export const ADMITTED = 200;
/** Admitted; the body has a caller newer than the gateway's. */
export const ADMITTED_WITH_CALLER = 205;
/**
 * Status of an answer to a command that was not run because its admission was refused or changed.
 */
export const NOT_RUN = 428;

/** Header of a repeated admission: this owner, and no other, gave it before to the same command. */
export const REPEATED = 'recado-said-before';

/** Header of a NOT_RUN of which an earlier ask may have run: its answer is unknown. */
export const MAY_HAVE_RUN = 'recado-may-have-run';

/** JSON body of the answer to `admit`; its status is ADMITTED, ADMITTED_ANEW, 401 or 429. */
export interface Admission {
  readonly caller?: Caller;
  readonly rates?: { readonly key: Rate; readonly org: Rate };
  /** On 429. */
  readonly retryAfterSeconds?: number;
}
