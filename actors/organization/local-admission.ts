/**
 * Admission of calls in the process that runs their commands, so that an organization's owner is
 * not asked for each of them (D346).
 *
 * 1. Keys and limits are those of the process's view of the organization (`views.ts`).
 * 2. Calls are admitted from a slice of the key's and the organization's windows. The owner counts
 *    it, and journals that, before it gives it away: no window lets more through than its limit.
 * 3. What is left of a slice when its windows close is lost. So none is larger than twice what was
 *    used here of late, and a key that seldom calls gets none.
 * 4. Without a slice, as near the end of a window, the owner admits each call.
 * 5. A repeat counts nothing: the first ask was counted where it arrived. One that had never
 *    arrived is let through.
 * 6. A caller is told of its slice as what remains: nobody else can use that up.
 */
import { RATE_WINDOW_MS } from '../../shared/limits.ts';
import type { IncomingAsk, PiggybackedAdmission } from '../../shared/ports/bus.ts';
import type { Admission, AdmissionSlice, AdmitCommand, Rate } from '../../shared/wire/caller.ts';
import { isExpired } from '../domain/organization/keys.ts';
import type { OrganizationState } from '../domain/organization.ts';
import type { Environment } from '../environment.ts';
import { keysOf } from './admission.ts';
import { callerOf } from './caller.ts';
import type { OrganizationViews } from './views.ts';

/** Keys that were seen; beyond so many those without a slice are forgotten. */
const KEYS_MAX = 10_000;
/** After so many calls of a window, halved, a slice is asked for. */
const SLICE_MIN = 16;

interface Slice extends AdmissionSlice {
  remaining: number;
  /** Monotonic milliseconds; counted from before the ask. */
  readonly until: number;
}

/** Of one key. */
interface Holding {
  slice: Slice | null;
  /** An ask for a slice. Calls wait for it only where the last one was granted. */
  asking: Promise<void> | null;
  isGranted: boolean;
  /** Twice the calls that were admitted here of late: so large a slice is asked for. */
  wanted: number;
  /** Since when calls of the owner's admission count, monotonic milliseconds. */
  countedSince: number;
}

type Asked = Pick<IncomingAsk, 'deadline' | 'repeat'>;
type AdmissionEnvironment = Pick<Environment, 'bus' | 'clock'>;

interface LocalAdmissionParts {
  readonly environment: AdmissionEnvironment;
  readonly views: Pick<OrganizationViews, 'read'>;
  /** Called for each call that is admitted here. */
  readonly onAdmitted: (orgId: string) => void;
}

export class LocalAdmission {
  readonly #parts: LocalAdmissionParts;
  readonly #holdings = new Map<string, Holding>();

  constructor(parts: LocalAdmissionParts) {
    this.#parts = parts;
  }

  /** @throws {AskFailed} where the owner had to be asked and did not answer */
  async admit(attached: PiggybackedAdmission, asked: Asked): Promise<Admission | undefined> {
    const { orgId, command } = attached;
    if (command.of !== undefined) return this.#askOwner(attached, asked);
    const holding = this.#holdingOf(`${orgId} ${command.digest}`);
    for (let waited = false; ; waited = true) {
      const admission = await this.#bySlice(holding, attached, asked);
      if (admission) {
        this.#parts.onAdmitted(orgId);
        return admission;
      }
      if (!holding.asking && !holding.slice && holding.wanted >= SLICE_MIN) {
        return this.#askForSlice(holding, attached, asked);
      }
      if (waited || !holding.asking || !holding.isGranted) {
        return this.#countedByOwner(holding, attached, asked);
      }
      await holding.asking;
    }
  }

  #holdingOf(name: string): Holding {
    const known = this.#holdings.get(name);
    if (known) return known;
    if (this.#holdings.size >= KEYS_MAX) this.#forgetEnded();
    const unused = { slice: null, asking: null, isGranted: false, wanted: 0 };
    const holding: Holding = { ...unused, countedSince: Number.NEGATIVE_INFINITY };
    this.#holdings.set(name, holding);
    return holding;
  }

  /** Calls that may be admitted here now. */
  slicedCalls(): number {
    let calls = 0;
    for (const { slice } of this.#holdings.values()) {
      if (slice && !this.#isEnded(slice)) calls += slice.remaining;
    }
    return calls;
  }

  #isEnded({ until }: Slice): boolean {
    return this.#parts.environment.clock.monotonic() >= until;
  }

  /** At worst all keys have slices: then none is forgotten until their windows have closed. */
  #forgetEnded(): void {
    for (const [name, { slice, asking }] of this.#holdings) {
      if (asking === null && (slice === null || this.#isEnded(slice))) this.#holdings.delete(name);
    }
  }

  /** Null where the owner has to decide. */
  async #bySlice(
    holding: Holding,
    { orgId, command }: PiggybackedAdmission,
    { repeat }: Asked,
  ): Promise<Admission | null> {
    if (!holding.slice) return null;
    const state = await this.#view(orgId);
    const { slice } = holding;
    const now = this.#parts.environment.clock.monotonic();
    if (!state || !slice) return null;
    const isOver = now >= slice.until || slice.remaining === 0 || !isOfLimits(slice, state);
    if (isOver && holding.slice === slice) {
      const used = 2 * (slice.calls - slice.remaining);
      holding.slice = null;
      holding.wanted = now < slice.until ? Math.max(used, holding.wanted) : used;
      holding.countedSince = now;
    }
    const key = keysOf(state).get(command.digest);
    const { knownVersion } = command;
    // A gateway that knows more has read a later version.
    const isBehind = knownVersion !== null && knownVersion > state.version;
    const isGood = key !== undefined && !isExpired(key, this.#parts.environment.clock.now());
    if (isOver || !isGood || state.removed === true || isBehind) return null;
    if (!repeat && command.isUncounted !== true) slice.remaining--;
    const rates = {
      key: rateOf(slice, slice.keyLimit, now),
      org: rateOf(slice, slice.orgLimit, now),
    };
    return knownVersion === state.version
      ? { outcome: 'admitted', rates }
      : { outcome: 'admitted-with-caller', rates, caller: callerOf(state, key) };
  }

  /** Null where it cannot be read now. */
  async #view(orgId: string): Promise<OrganizationState | null> {
    try {
      return await this.#parts.views.read(orgId);
    } catch {
      return null;
    }
  }

  /** The owner admits this one. */
  async #countedByOwner(
    holding: Holding,
    attached: PiggybackedAdmission,
    asked: Asked,
  ): Promise<Admission | undefined> {
    const now = this.#parts.environment.clock.monotonic();
    if (now - holding.countedSince >= RATE_WINDOW_MS) {
      holding.countedSince = now;
      holding.wanted = 0;
    }
    holding.wanted += 2;
    return this.#askOwner(attached, asked);
  }

  async #askForSlice(
    holding: Holding,
    { orgId, command }: PiggybackedAdmission,
    asked: Asked,
  ): Promise<Admission | undefined> {
    const { clock } = this.#parts.environment;
    const { promise, resolve } = Promise.withResolvers<void>();
    holding.asking = promise;
    const askedAt = clock.monotonic();
    try {
      const wanting: AdmitCommand = { ...command, wantsSlice: holding.wanted };
      const admission = await this.#askOwner({ orgId, command: wanting }, asked);
      if (!admission || !('slice' in admission)) return admission;
      const { slice, ...given } = admission;
      if (slice) holding.slice = { ...slice, remaining: slice.calls, until: askedAt + slice.forMs };
      return given;
    } finally {
      holding.isGranted = holding.slice !== null;
      holding.asking = null;
      resolve();
    }
  }

  async #askOwner(
    { orgId, command }: PiggybackedAdmission,
    { deadline, repeat }: Asked,
  ): Promise<Admission | undefined> {
    const to = { kind: 'organization', key: orgId } as const;
    const asking = repeat ? { ...command, repeat: true } : command;
    const { admission } = await this.#parts.environment.bus.ask(to, asking, { deadline });
    return admission;
  }
}

/** Limits that the organization has of its own: others are the same for all until a restart. */
function isOfLimits(
  { keyLimit, orgLimit }: AdmissionSlice,
  { limits: { perKey, perOrg } }: OrganizationState,
): boolean {
  return (perKey ?? keyLimit) === keyLimit && (perOrg ?? orgLimit) === orgLimit;
}

function rateOf({ remaining, until }: Slice, limit: number, now: number): Rate {
  return { limit, remaining, resetSeconds: Math.max(1, Math.ceil((until - now) / 1000)) };
}
