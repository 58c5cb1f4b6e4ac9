/** The authenticated key as the gateway knows it (C5), and its admission. */
import type { Access, Provider, Role, Scope } from '../vocabulary.ts';

export interface CallerChannel {
  readonly id: string;
  readonly provider: Provider;
  readonly ready: boolean;
  /** Portuguese; null when ready. */
  readonly reason: string | null;
}

/** The person behind a session; the operator is no member, and has no id of one. */
export interface CallerMember {
  readonly id: string | null;
  readonly name: string;
  readonly role: Role;
  readonly sessionId: string;
  /** Key of the actor that holds the passphrase. */
  readonly personId: string;
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
  /** What a key may call; `full` unless set. */
  readonly access?: Access;
  /** What the key changes has the origin `assistant`. */
  readonly assistant?: true;
  /** All channels of the organization that are not removed. */
  readonly channels: readonly CallerChannel[];
  /** The member that a session in the panel acts for; absent for a key. */
  readonly member?: CallerMember;
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
  /** Digest of the key, or of the session's secret. */
  readonly digest: string;
  /** The caller's version the gateway already holds: the answer then leaves the caller out. */
  readonly knownVersion: number | null;
  /** Of what the digest is; of a key unless set. */
  readonly of?: 'session' | 'operator';
  /** The call counts in no rate window, and no full window refuses it. */
  readonly isUncounted?: true;
  /** The ask is a repeat: an owner may already have received this admission. */
  readonly repeat?: boolean;
  /** So many of the key's next calls the asking process would admit by itself. */
  readonly wantsSlice?: number;
}

/** Calls that are counted in both windows already, for one process to admit. */
export interface AdmissionSlice {
  readonly calls: number;
  /** Milliseconds until the first of both windows closes. */
  readonly forMs: number;
  /** The limits under which it was given. */
  readonly keyLimit: number;
  readonly orgLimit: number;
}

export interface Rates {
  readonly key: Rate;
  readonly org: Rate;
}

/** In the envelope of the answer to `admit`, or to a command that carries it. */
export type Admission = {
  /** This owner, and no other, gave it before to the same command. */
  readonly givenBefore?: true;
} & (
  | { readonly outcome: 'admitted'; readonly rates: Rates; readonly slice?: AdmissionSlice }
  /** Admitted, with a caller newer than the gateway's: a command that carries it is not run. */
  | {
      readonly outcome: 'admitted-with-caller';
      readonly rates: Rates;
      readonly slice?: AdmissionSlice;
      readonly caller: Caller;
      /** An earlier ask of the command may have run: its answer is unknown. */
      readonly mayHaveRun?: true;
    }
  | {
      readonly outcome: 'unauthorized';
      /** There is such a key, and its time has passed. */
      readonly expired?: true;
    }
  | {
      readonly outcome: 'rate-limited';
      readonly rates: Rates;
      readonly caller?: Caller;
      readonly retryAfterSeconds: number;
    }
);
