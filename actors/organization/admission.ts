/**
 * Admission of one call: finds the key by its digest, then counts the call in both windows. A slice
 * of what is left goes to a process that admits the key's next calls by itself
 * (`local-admission.ts`).
 *
 * The states are rate windows and answered admissions by organization, for one tenure. They outlive
 * the actor, which may be closed between any two turns. The state of a closed actor is evicted when
 * its windows have ended and are written. The next call reads them from the store.
 */

import { RATE_WINDOW_MS } from '../../shared/limits.ts';
import type { Admission, AdmissionSlice, AdmitCommand } from '../../shared/wire/caller.ts';
import { partitionOf } from '../../shared/wire/subjects.ts';
import { isExpired, isLive } from '../domain/organization/keys.ts';
import type { KeyEntry, OrganizationState } from '../domain/organization.ts';
import type { Environment, Settings } from '../environment.ts';
import { CompletionRecords } from '../runtime/mailbox.ts';
import { callerOf } from './caller.ts';
import { RateWindows } from './rate-windows.ts';
import { SessionWindows } from './sessions.ts';

/** Live keys by digest, expired ones among them, cached per state: a state is immutable. */
const liveKeys = new WeakMap<OrganizationState, ReadonlyMap<string, KeyEntry>>();

export function keysOf(state: OrganizationState): ReadonlyMap<string, KeyEntry> {
  const known = liveKeys.get(state);
  if (known) return known;
  const keys = new Map(state.keys.filter(isLive).map((key) => [key.digest, key]));
  liveKeys.set(state, keys);
  return keys;
}

interface Admitting {
  readonly windows: RateWindows;
  readonly settings: Settings;
  /** Epoch milliseconds. */
  readonly now: number;
}

export function admit(
  state: OrganizationState,
  { windows, settings, now }: Admitting,
  command: AdmitCommand,
): Admission {
  const key = state.removed === true ? undefined : keysOf(state).get(command.digest);
  if (!key) return { outcome: 'unauthorized' };
  if (isExpired(key, now)) return { outcome: 'unauthorized', expired: true };
  const limits = limitsOf(state, settings);
  const isCounted = command.isUncounted !== true;
  const { admitted, rates, retryAfterSeconds } = windows.admit(key.id, { ...limits, isCounted });
  const { wantsSlice: calls } = command;
  const slice = admitted && calls ? windows.slice(key.id, { ...limits, calls }) : null;
  const given = slice ? { rates, slice } : { rates };
  const caller = command.knownVersion === state.version ? null : callerOf(state, key);
  if (admitted && caller) return { outcome: 'admitted-with-caller', ...given, caller };
  if (admitted) return { outcome: 'admitted', ...given };
  const known = caller ? { caller } : {};
  return { outcome: 'rate-limited', rates, ...known, retryAfterSeconds: retryAfterSeconds ?? 1 };
}

/** Calls a window that a key and its organization may make. */
function limitsOf(
  { limits }: Pick<OrganizationState, 'limits'>,
  settings: Pick<Settings, 'callsPerKey' | 'callsPerOrganization'>,
): Pick<AdmissionSlice, 'keyLimit' | 'orgLimit'> {
  return {
    keyLimit: limits.perKey ?? settings.callsPerKey,
    orgLimit: limits.perOrg ?? settings.callsPerOrganization,
  };
}

export interface AdmissionState {
  readonly windows: RateWindows;
  /** Of people's sessions. */
  readonly sessionWindows: SessionWindows;
  /** Answers of earlier admissions, for repeats. */
  readonly admissions: CompletionRecords;
}

interface OwnedAdmissionState {
  readonly epoch: number;
  readonly state: Promise<AdmissionState>;
  /** Monotonic milliseconds; null while an actor uses it. */
  releasedAt: number | null;
}

/** Longer than a window, and than any turn that outlives its actor. */
const IDLE_MS = 2 * RATE_WINDOW_MS;

export class AdmissionStates {
  readonly #environment: Environment;
  readonly #states = new Map<string, OwnedAdmissionState>();
  /** Organizations by partition. */
  readonly #byPartition = new Map<number, Set<string>>();
  #evictionScheduled = false;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  acquire(orgId: string, epoch: number): Promise<AdmissionState> {
    const known = this.#states.get(orgId);
    if (known?.epoch === epoch) {
      known.releasedAt = null;
      return known.state;
    }
    const state = this.#begin(orgId, epoch);
    // A turn that outlives its tenure must not replace the state of a later one.
    if (known && known.epoch > epoch) return state;
    const owned: OwnedAdmissionState = { epoch, state, releasedAt: null };
    this.#states.set(orgId, owned);
    this.#orgsOf(partitionOf('organization', orgId)).add(orgId);
    if (known) closeWindows(known);
    state.catch(() => {
      if (this.#states.get(orgId) === owned) this.#evict(orgId);
    });
    return state;
  }

  /** Number of organizations in memory. */
  get size(): number {
    return this.#states.size;
  }

  /** Called when the organization's actor is closed. */
  release(orgId: string, epoch: number): void {
    const owned = this.#states.get(orgId);
    if (owned?.epoch !== epoch) return;
    owned.releasedAt = this.#environment.clock.monotonic();
    this.#scheduleEviction();
  }

  #scheduleEviction(): void {
    if (this.#evictionScheduled) return;
    this.#evictionScheduled = true;
    this.#environment.clock.after(IDLE_MS, () => void this.#evictIdle());
  }

  async #evictIdle(): Promise<void> {
    const before = this.#environment.clock.monotonic() - IDLE_MS;
    let remaining = false;
    for (const [orgId, owned] of this.#states) {
      if (owned.releasedAt === null) continue;
      const isOld = owned.releasedAt <= before;
      const isWritten = isOld && (await owned.state.then(isClean, () => true));
      const isEvictable = isWritten && owned.releasedAt !== null && owned.releasedAt <= before;
      if (isEvictable && this.#states.get(orgId) === owned) this.#evict(orgId);
      else remaining = true;
    }
    this.#evictionScheduled = false;
    if (remaining) this.#scheduleEviction();
  }

  #evict(orgId: string): void {
    this.#states.delete(orgId);
    this.#byPartition.get(partitionOf('organization', orgId))?.delete(orgId);
  }

  releasePartition(partition: number): void {
    for (const orgId of this.#orgsOf(partition)) {
      const owned = this.#states.get(orgId);
      this.#states.delete(orgId);
      if (owned) closeWindows(owned);
    }
    this.#byPartition.delete(partition);
  }

  #orgsOf(partition: number): Set<string> {
    const known = this.#byPartition.get(partition) ?? new Set();
    this.#byPartition.set(partition, known);
    return known;
  }

  async #begin(orgId: string, epoch: number): Promise<AdmissionState> {
    const windows = await RateWindows.load({ orgId, epoch }, this.#environment);
    const { clock } = this.#environment;
    const sessionWindows = new SessionWindows(() => clock.now());
    return { windows, sessionWindows, admissions: new CompletionRecords(clock) };
  }
}

function isClean({ windows }: AdmissionState): boolean {
  return !windows.dirty;
}

function closeWindows({ state }: OwnedAdmissionState): void {
  // The caller of `acquire` gets the read error.
  state.then(
    ({ windows }) => windows.close(),
    () => undefined,
  );
}
