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
import type { Readiness } from '../../shared/network.ts';
import type { NetworkFault } from '../../shared/network-fault.ts';
import type { ChannelEntry, NetworkTrouble } from './organization-state.ts';

/** So long the oldest due send may fail before sends are refused. */
export const SENDS_FAIL_FOR_MS = 60_000;
/** A shorter failure is not worth a write. */
export const TROUBLE_TOLD_AFTER_MS = 5_000;
const UNCLEAR = 'A rede do número ainda não confirmou que ele pode enviar.';

export interface NetworkState {
  /** Of the settings that all of this is about. */
  readonly revision: number;
  /** It has had a success under these settings. */
  readonly answered: boolean;
  /** The network's own word against the number (Portuguese). */
  readonly stated: string | null;
  /** Why it counts as unreachable (Portuguese). */
  readonly silent: string | null;
  readonly trouble: NetworkTrouble | null;
}

/** As the organization is told of it. */
export interface ToldReadiness {
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
export function beginFrom(entry: Known): NetworkState {
  const silent = entry.networkReady === false ? (entry.networkReason ?? UNCLEAR) : null;
  const answered = hasAnswered(entry);
  return { revision: revisionOf(entry), answered, stated: null, silent, trouble: null };
}

/** A status request has ended. Sends that fail beside one that succeeds are still a trouble. */
export function afterStatus(
  state: NetworkState,
  said: Readiness,
  { now, sendsFail }: { readonly now: number; readonly sendsFail: boolean },
): NetworkState {
  if (said.ready === true) {
    const trouble = sendsFail ? state.trouble : null;
    return { ...afterSuccess(state), stated: null, trouble };
  }
  if (said.ready === false) return afterWord(state, said);
  if (!state.answered) return { ...state, silent: said.fault?.reason ?? UNCLEAR };
  return { ...state, trouble: said.fault ? troubleOf(state, said.fault, now) : null };
}

/** The network's own word on the number; a good one does not prove that it takes our requests. */
export function afterWord(
  state: NetworkState,
  said: Exclude<Readiness, { ready: 'unknown' }>,
): NetworkState {
  if (said.ready) return { ...state, stated: null };
  return { ...state, stated: said.reason, silent: null, trouble: null };
}

/** A send was answered. */
export function afterSuccess(state: NetworkState): NetworkState {
  return { ...state, answered: true, silent: null, trouble: null };
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
    return { ...state, silent: fault.reason, trouble: null };
  }
  return { ...state, trouble: troubleOf(state, fault, since) };
}

function troubleOf(state: NetworkState, { reason }: NetworkFault, since: number): NetworkTrouble {
  return { since: Math.min(state.trouble?.since ?? since, since), reason };
}

/** Whether sends may be tried. */
export function isOpen({ stated }: NetworkState): boolean {
  return stated === null;
}

/** Whether the last request of each kind had an answer. */
export function isWell({ stated, silent, trouble }: NetworkState): boolean {
  return stated === null && silent === null && trouble === null;
}

export function toldOf(state: NetworkState, now: number): ToldReadiness {
  const { revision, answered, trouble } = state;
  const reason = state.silent ?? state.stated;
  const lasts = trouble !== null && now - trouble.since >= TROUBLE_TOLD_AFTER_MS;
  const told = reason === null && lasts ? trouble : null;
  return { revision, answered, ready: reason === null, reason, trouble: told };
}

/** The channel as it is kept; the same one where nothing changes, or it has other settings now. */
export function withReadiness(entry: ChannelEntry, told: ToldReadiness): ChannelEntry {
  // A process of an earlier release tells no revision and no trouble.
  const { ready: networkReady, reason: networkReason, revision = revisionOf(entry) } = told;
  if (revision !== revisionOf(entry)) return entry;
  const { networkTrouble: known, ...rest } = entry;
  const trouble = told.trouble ? { networkTrouble: told.trouble } : {};
  const isNew = told.answered && entry.networkAnswered !== true;
  const answered = isNew ? { networkAnswered: true as const } : {};
  const isSame =
    !isNew && entry.networkReady === networkReady && entry.networkReason === networkReason;
  if (isSame && known?.since === told.trouble?.since && known?.reason === told.trouble?.reason) {
    return entry;
  }
  return { ...rest, networkReady, networkReason, ...answered, ...trouble };
}
