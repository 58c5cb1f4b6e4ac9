/**
 * Readiness of a channel and of its network: the network's reports about the number, and whether it
 * answers.
 *
 * 1. A network without a success under the present settings is not ready from its first failure on.
 *    Until the first request has ended it counts as ready.
 * 2. A network that had a success stays ready until its oldest due send has failed for 60 s. A
 *    failed status request alone changes nothing.
 * 3. The first success of either kind, status or send, ends both.
 * 4. A statement of the network against the number (a stopped session, a lock) holds at once, until
 *    another statement ends it. Only such a statement stops the queue: sends keep trying a network
 *    that fails.
 * 5. A number that is not the channel's holds over a change of owner and of settings, until a
 *    status request names the channel's own: nothing is sent through another number. Under new
 *    settings one that names none is enough, since another bridge may never name any.
 */
import type { NetworkFault } from '../../shared/network-fault.ts';
import type { Readiness } from '../../shared/ports/network-event.ts';
import { isSame } from './is-same.ts';
import type { ChannelEntry, NetworkTrouble } from './organization.ts';

/** Time for which the oldest due send may fail before sends are refused. */
export const SENDS_FAIL_FOR_MS = 60_000;
/** A shorter failure is not reported: it is not worth a write. */
export const TROUBLE_REPORTED_AFTER_MS = 5_000;
const UNCONFIRMED_NUMBER = 'A rede ainda não confirmou de que número é a sessão do canal.';
const UNCLEAR = 'A rede do número ainda não confirmou que ele pode enviar.';

export interface NetworkState {
  /** Revision of the settings that this state describes. */
  readonly revision: number;
  /** Whether the network had a success under these settings. */
  readonly answered: boolean;
  /** The network's statement against the number (Portuguese). */
  readonly statedReason: string | null;
  /** The statement is that another number than the channel's is connected. */
  readonly otherNumber: boolean;
  /** Why the network counts as unreachable (Portuguese). */
  readonly unreachableReason: string | null;
  readonly trouble: NetworkTrouble | null;
}

/** The report that the organization stores. */
export interface ReadinessReport extends Pick<NetworkState, 'revision' | 'answered' | 'trouble'> {
  readonly otherNumber?: true;
  readonly ready: boolean;
  readonly reason: string | null;
}

/** Before the channel's record is read, nothing is held against its network. */
export const NOTHING_KNOWN: NetworkState = {
  ...{ revision: 0, answered: true },
  ...{ statedReason: null, otherNumber: false, unreachableReason: null, trouble: null },
};

type Known = Pick<
  ChannelEntry,
  'networkReady' | 'networkReason' | 'networkRevision' | 'networkAnswered' | 'networkOtherNumber'
>;

/**
 * Initial state of a new owner, or under new settings. The kind of a stored reason is unknown, so
 * sends may be tried, unless another number was connected.
 */
export function initialState(entry: Known): NetworkState {
  const { networkRevision: revision, networkAnswered, networkReady, networkReason } = entry;
  const known = { ...NOTHING_KNOWN, revision, answered: networkAnswered === true };
  if (entry.networkOtherNumber === true) {
    return { ...known, statedReason: networkReason ?? UNCONFIRMED_NUMBER, otherNumber: true };
  }
  return { ...known, unreachableReason: networkReady ? null : (networkReason ?? UNCLEAR) };
}

/** After a status request. A successful one does not end the trouble of failing sends. */
export function afterStatus(
  state: NetworkState,
  readiness: Readiness,
  { now, sendsFail }: { readonly now: number; readonly sendsFail: boolean },
): NetworkState {
  if (readiness.ready === true) {
    const trouble = sendsFail ? state.trouble : null;
    return { ...afterSuccess(state), statedReason: null, otherNumber: false, trouble };
  }
  if (readiness.ready === false) return afterStatement(state, readiness);
  if (!state.answered) return { ...state, unreachableReason: readiness.fault?.reason ?? UNCLEAR };
  return { ...state, trouble: readiness.fault ? troubleOf(state, readiness.fault, now) : null };
}

/** After a statement about the number; a good one does not prove that requests are accepted. */
export function afterStatement(
  state: NetworkState,
  readiness: Exclude<Readiness, { ready: 'unknown' }>,
): NetworkState {
  if (readiness.ready) return { ...state, statedReason: null, otherNumber: false };
  // A session that stops has the same number when it starts again, perhaps under a next owner.
  const { reason: statedReason, otherNumber = knowsOtherNumber(state) } = readiness;
  return { ...state, statedReason, otherNumber, unreachableReason: null, trouble: null };
}

/** After an answered send. */
export function afterSuccess(state: NetworkState): NetworkState {
  return { ...state, answered: true, unreachableReason: null, trouble: null };
}

/** After a failed send. `since`: begin of the oldest due send's failures; `fault`: the latest. */
export function afterFailure(
  state: NetworkState,
  failure: { readonly fault: NetworkFault; readonly since: number; readonly now: number },
): NetworkState {
  const { fault, since, now } = failure;
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

/** Whether the answer to a status request leaves another number's hold as it was. */
export function leavesOtherNumber(state: NetworkState, readiness: Readiness): boolean {
  return knowsOtherNumber(state) && readiness.ready === true && readiness.unnamed === true;
}

/** Under new settings it is only supposed: their first answer decides. */
function knowsOtherNumber({ otherNumber, statedReason }: NetworkState): boolean {
  return otherNumber && statedReason !== UNCONFIRMED_NUMBER;
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
  const other = state.otherNumber ? { otherNumber: true as const } : {};
  return { revision, answered, ready: reason === null, reason, trouble: report, ...other };
}

/** The entry with the report; the same object where nothing changes, or the settings are newer. */
export function withReadiness(entry: ChannelEntry, report: ReadinessReport): ChannelEntry {
  const { ready: networkReady, reason: networkReason } = report;
  if (report.revision !== entry.networkRevision) return entry;
  const { networkTrouble: _trouble, networkOtherNumber: _other, ...rest } = entry;
  const trouble = report.trouble ? { networkTrouble: report.trouble } : {};
  const answered = report.answered ? { networkAnswered: true as const } : {};
  const other = report.otherNumber ? { networkOtherNumber: true as const } : {};
  const next = { ...rest, networkReady, networkReason, ...answered, ...trouble, ...other };
  return isSame(next, entry) ? entry : next;
}

/** `reason` is a Portuguese sentence exactly when the channel is not ready. */
export function readinessOf(
  channel: Pick<ChannelEntry, 'enabled' | 'networkReady' | 'networkReason'>,
): { ready: boolean; reason: string | null } {
  if (!channel.enabled) return { ready: false, reason: 'O canal está desativado.' };
  if (channel.networkReady) return { ready: true, reason: null };
  return { ready: false, reason: channel.networkReason ?? 'O número não está conectado à rede.' };
}
