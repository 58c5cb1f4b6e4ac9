/**
 * Calls of the inbound webhook of a channel, as people read them in the panel. The gateway that has
 * answered them tells the channel's owner, which keeps the last ones in memory.
 */
import type { Issue } from '../failures.ts';

export interface InboundCall {
  readonly requestId: string;
  readonly orgId: string;
  /** Epoch milliseconds of the answer. */
  readonly at: number;
  readonly status: number;
  /** First characters of the key. */
  readonly keyPrefix: string;
  /** Only its last digits; null where none was given. */
  readonly phone: string | null;
  /** Names of the properties that were given, without their values. */
  readonly given: readonly string[];
  readonly error: string | null;
  readonly issues: readonly Issue[];
}

/** Nudge to a channel: calls that were answered since the last one. */
export interface InboundCallsNudge {
  readonly channelId: string;
  readonly inboundCalls: readonly InboundCall[];
}

/** Answers `InboundCallList`, newest first. */
export interface ListInboundCalls {
  readonly id: string;
  readonly type: 'list-inbound-calls';
  readonly orgId: string;
}

export interface InboundCallList {
  readonly data: readonly Readonly<Record<string, unknown>>[];
  /** From when on calls are known: they are in memory, and another owner begins anew. */
  readonly since: string;
}
