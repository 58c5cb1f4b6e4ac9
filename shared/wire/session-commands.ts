/** Commands of the panel about sessions to `organization`, key = organization id. */

import type { Role } from '../vocabulary.ts';
import type { SignInWay } from './person-commands.ts';

/** Opens a session of a member; 401 unless it is live and that person's. */
export interface OpenSession {
  readonly id: string;
  readonly type: 'open-session';
  /** Of the session's secret, which only the browser keeps. */
  readonly digest: string;
  readonly memberId: string;
  readonly personId: string;
  readonly way: SignInWay;
  readonly address: string;
}

/** The session as the panel shows it; timestamps are ISO 8601 in UTC. */
export interface ShownSession {
  readonly id: string;
  readonly role: Role;
  readonly member: {
    readonly id: string;
    readonly name: string;
    readonly email: string | null;
  } | null;
  readonly organization: {
    readonly id: string;
    readonly name: string;
    readonly timeZone: string;
  } | null;
  readonly way: SignInWay;
  readonly createdAt: string;
  readonly expiresAt: string;
}

/** Answers the session of that id. */
export interface DescribeSession {
  readonly id: string;
  readonly type: 'describe-session';
  readonly sessionId: string;
}

export interface EndSession {
  readonly id: string;
  readonly type: 'end-session';
  readonly sessionId: string;
}

/** Ends the sessions of a person, but for one: its passphrase has changed. Audited by `by`. */
export interface EndPersonSessions {
  readonly id: string;
  readonly type: 'end-person-sessions';
  readonly personId: string;
  readonly except: string;
  /** Of the new passphrase, for the audit log. */
  readonly provenBy: 'mailbox' | 'link';
}

export interface ListSessions {
  readonly id: string;
  readonly type: 'list-sessions';
}

export interface SessionRow {
  readonly id: string;
  readonly memberId: string;
  readonly memberName: string;
  readonly way: SignInWay;
  readonly address: string;
  readonly createdAt: string;
  readonly seenAt: string;
  readonly expiresAt: string;
}
