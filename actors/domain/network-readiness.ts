/**
 * Readiness of a channel's network: what the network says of the number, and whether it answers.
 *
 * 1. A network without a success under the present settings is not ready from its first failure on.
 *    Until the first request has ended nothing is held against it.
 * 2. A network that had one stays ready until its oldest due send has failed for 60 s. A failed
 *    status request alone changes nothing.
 * 3. The first success of either kind, status or send, ends both.
 * 4. The network's own word against the number (a stopped session, a lock) holds at once, and
 *    until the network's own word ends it. Only such a word stops the queue: sends go on trying a
 *    network that fails.
 */

import type { NetworkFault } from '../../shared/network-fault.ts';
import type { Readiness } from '../../shared/ports/network.ts';
import type { ChannelEntry, NetworkTrouble } from './organization/state.ts';

/** So long the oldest due send may fail before sends are refused. */
export const SENDS_FAIL_FOR_MS = 60_000;
/** A shorter failure is not worth a write. */
export const TROUBLE_REPORTED_AFTER_MS = 5_000;
const UNCLEAR = 'A rede do número ainda não confirmou que ele pode enviar.';

export interface NetworkState {
  /** Of the settings that all of this is about. */
  readonly revision: number;
  /** It has had a success under these settings. */
  readonly answered: boolean;
  /** The network's own word against the number (Portuguese). */
  readonly statedReason: string | null;
  /** Why it counts as unreachable (Portuguese). */
  readonly unreachableReason: string | null;
  readonly trouble: NetworkTrouble | null;
}

/** As the organization is told of it. */
export interface ReadinessReport {
  readonly revision: number;
  readonly answered: boolean;
  readonly ready: boolean;
  readonly reason: string | null;
  readonly trouble: NetworkTrouble | null;
}

type Known = Partial<
  Pick<
    ChannelEntry,
    'networkReady' | 'networkReason' | 'networkRevision' | 'networkAnswered' | 'networkTrouble'
  >
>;

export function revisionOf({ networkRevision = 0 }: Known): number {
  return networkRevision;
}

/** On a channel that an earlier release wrote nothing tells: it counts as it stands. */
export function hasAnswered({ networkAnswered, networkRevision, networkReady }: Known): boolean {
  return networkAnswered ?? (networkRevision === undefined && networkReady !== false);
}

/** A new owner's knowledge. The kind of an earlier reason is not on record: sends may try. */
export function initialState(entry: Known): NetworkState {
  const unreachableReason = entry.networkReady === false ? (entry.networkReason ?? UNCLEAR) : null;
  const answered = hasAnswered(entry);
  return {
    revision: revisionOf(entry),
    answered,
    statedReason: null,
    unreachableReason,
    trouble: null,
  };
}

/** A status request has ended. Sends that fail beside one that succeeds are still a trouble. */
export function afterStatus(
  state: NetworkState,
  readiness: Readiness,
  { now, sendsFail }: { readonly now: number; readonly sendsFail: boolean },
): NetworkState {
  if (readiness.ready === true) {
    const trouble = sendsFail ? state.trouble : null;
    return { ...afterSuccess(state), statedReason: null, trouble };
  }
  if (readiness.ready === false) return afterStatement(state, readiness);
  if (!state.answered) return { ...state, unreachableReason: readiness.fault?.reason ?? UNCLEAR };
  return { ...state, trouble: readiness.fault ? troubleOf(state, readiness.fault, now) : null };
}

/** The network's own word on the number; a good one does not prove that it takes our requests. */
export function afterStatement(
  state: NetworkState,
  readiness: Exclude<Readiness, { ready: 'unknown' }>,
): NetworkState {
  if (readiness.ready) return { ...state, statedReason: null };
  return { ...state, statedReason: readiness.reason, unreachableReason: null, trouble: null };
}

/** A send was answered. */
export function afterSuccess(state: NetworkState): NetworkState {
  return { ...state, answered: true, unreachableReason: null, trouble: null };
}

/** The oldest due send has failed since then, the last time for this fault. */
export function afterFailure(
  state: NetworkState,
  {
    fault,
    since,
    now,
  }: { readonly fault: NetworkFault; readonly since: number; readonly now: number },
): NetworkState {
  if (!state.answered || now - since >= SENDS_FAIL_FOR_MS) {
    return { ...state, unreachableReason: fault.reason, trouble: null };
  }
  return { ...state, trouble: troubleOf(state, fault, since) };
}

function troubleOf(state: NetworkState, { reason }: NetworkFault, since: number): NetworkTrouble {
  return { since: Math.min(state.trouble?.since ?? since, since), reason };
}

/** Whether sends may be tried. */
export function maySend({ statedReason }: NetworkState): boolean {
  return statedReason === null;
}

/** Whether the last request of each kind had an answer. */
export function isHealthy({ statedReason, unreachableReason, trouble }: NetworkState): boolean {
  return statedReason === null && unreachableReason === null && trouble === null;
}

export function reportOf(state: NetworkState, now: number): ReadinessReport {
  const { revision, answered, trouble } = state;
  const reason = state.unreachableReason ?? state.statedReason;
  const isReportable = trouble !== null && now - trouble.since >= TROUBLE_REPORTED_AFTER_MS;
  const report = reason === null && isReportable ? trouble : null;
  return { revision, answered, ready: reason === null, reason, trouble: report };
}

/** The channel as it is kept; the same one where nothing changes, or it has other settings now. */
export function withReadiness(entry: ChannelEntry, report: ReadinessReport): ChannelEntry {
  // A process of an earlier release tells no revision and no trouble.
  const { ready: networkReady, reason: networkReason, revision = revisionOf(entry) } = report;
  if (revision !== revisionOf(entry)) return entry;
  const { networkTrouble: known, ...rest } = entry;
  const trouble = report.trouble ? { networkTrouble: report.trouble } : {};
  const isNew = report.answered && entry.networkAnswered !== true;
  const answered = isNew ? { networkAnswered: true as const } : {};
  const isSame =
    !isNew && entry.networkReady === networkReady && entry.networkReason === networkReason;
  if (
    isSame &&
    known?.since === report.trouble?.since &&
    known?.reason === report.trouble?.reason
  ) {
    return entry;
  }
  return { ...rest, networkReady, networkReason, ...answered, ...trouble };
}
