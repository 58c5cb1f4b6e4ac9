/**
 * Commands to `person`: key = `personId` of an e-mail, or `operator` for the installation's
 * operator. Secrets are made by the asker, and only their digests travel.
 */
import type { MemberRole } from '../vocabulary.ts';
import type { Admission } from './caller.ts';

/** Key of the actor that holds the operator's links and sessions. */
export const OPERATOR = 'operator';

/** Parameters of a passphrase's hash. */
export interface HashParameters {
  /** The function and its cost, as `scrypt:N:r:p`. */
  readonly cost: string;
  readonly salt: string;
}

/** A member of an organization, as one chooses it. */
export interface Membership {
  readonly orgId: string;
  readonly orgName: string;
  readonly memberId: string;
  readonly role: MemberRole;
}

/** A person has shown who it is: the ticket opens sessions for `SIGN_IN_TICKET_MS`. */
export interface SignedIn {
  readonly memberships: readonly Membership[];
  readonly way: SignInWay;
  /** Whether there is one that signs in anywhere. */
  readonly passphrase: 'set' | 'unset';
  /** The new session may set one without naming the present one. */
  readonly offersPassphrase: boolean;
}

interface Named {
  readonly id: string;
}

/** Makes a single-use link. */
export interface MakeLink extends Named {
  readonly type: 'make-link';
  readonly digest: string;
  /** Signs in there at once; null: to any organization of the e-mail. */
  readonly to: { readonly orgId: string; readonly memberId: string } | null;
}

/** Mails a link to the person's members; answers alike where there are none. */
export interface MailLink extends Named {
  readonly type: 'mail-link';
  /** The link's token derives from it. */
  readonly seed: string;
}

export interface UseLink extends Named {
  readonly type: 'use-link';
  readonly digest: string;
  readonly ticket: string;
}

/** Two links of one invitation, each good for `INVITATION_LINK_MS`. Answers their end. */
export interface AddInvitation extends Named {
  readonly type: 'add-invitation';
  readonly to: { readonly orgId: string; readonly memberId: string };
  /** Digests: of the one that is mailed, and of the one that the admin copies. */
  readonly mailed: string;
  readonly copied: string;
}

/** `recado.query.send-invitation`: invites a member who is there; 200 `SentInvitation` or 404. */
export interface SendInvitation {
  readonly orgId: string;
  readonly memberId: string;
  /** Name of the person who invites. */
  readonly inviter: string;
  /** The links' tokens derive from it. */
  readonly seed: string;
}

export interface SentInvitation {
  /** Signs in once, in place of the mailed link. */
  readonly url: string;
  readonly expiresAt: string;
  /** A mail has left for the mailbox. */
  readonly mailed: boolean;
}

/** What a hash is made with, and whether the peer goes before strangers. */
export interface PreparedGuess extends HashParameters {
  readonly isKnownPeer: boolean;
}

/** Answers what the person's passphrase is hashed with; of an unknown one something stable. */
export interface PrepareGuess extends Named {
  readonly type: 'prepare-guess';
  /** Digest of the peer. */
  readonly peer: string;
}

/** A guess counts against the account; a right one is given back. */
export interface GuessPassphrase extends Named {
  readonly type: 'guess';
  readonly peer: string;
  /** Digest of the hash. */
  readonly proof: string;
  readonly ticket: string;
}

/** Answers 200 `TicketUse` or 401. */
export interface UseTicket extends Named {
  readonly type: 'use-ticket';
  readonly digest: string;
  readonly orgId: string;
}

export interface TicketUse {
  readonly memberId: string;
  readonly way: SignInWay;
}

/** `mail`: by a link that was mailed, so that the mailbox is proven. */
export type SignInWay = 'link' | 'mail' | 'passphrase';

export interface SetPassphrase extends Named {
  readonly type: 'set-passphrase';
  readonly parameters: HashParameters;
  readonly proof: string;
  readonly peer: string;
  /** The session that sets it: others of the person end. */
  readonly sessionId: string;
  /** The organization of that session. */
  readonly orgId: string;
  /** Digest of the present one's hash; null where there is none, or right after a link. */
  readonly current: string | null;
}

/** Of the operator: a session begins, and ends. */
export interface OpenOperatorSession extends Named {
  readonly type: 'open-operator-session';
  readonly digest: string;
  readonly ticket: string;
}

export interface EndOperatorSession extends Named {
  readonly type: 'end-operator-session';
  readonly digest: string;
  /** Whose streams end, in a repeat too. */
  readonly sessionId: string;
}

/** Admits one call of the operator; the answer has an `OperatorAdmission`. */
export interface AdmitOperator extends Named {
  readonly type: 'admit-operator';
  readonly digest: string;
}

export interface OperatorAdmission {
  readonly outcome: Admission['outcome'] & ('admitted' | 'unauthorized' | 'rate-limited');
  readonly sessionId: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  readonly retryAfterSeconds: number;
}

/** Epoch milliseconds. */
export interface MadeLink {
  readonly expiresAt: number;
}
