/** Admission of one call: finds the key by its digest, then counts the call in both windows. */

import type { Answer } from '../../shared/ports/bus.ts';
import {
  ADMITTED,
  ADMITTED_WITH_CALLER,
  type Admission,
  type AdmitCommand,
} from '../../shared/wire/caller.ts';
import type { KeyEntry, OrganizationState } from '../domain/organization/state.ts';
import type { Settings } from '../environment.ts';
import { callerOf } from './caller.ts';
import type { RateWindows } from './rate-windows.ts';

const UNAUTHORIZED: Answer = { status: 401, body: '{}' };

interface Admitting {
  readonly state: OrganizationState;
  readonly windows: RateWindows;
  readonly settings: Settings;
}

/** Live keys by digest, cached per state: a state is immutable. */
const liveKeys = new WeakMap<OrganizationState, ReadonlyMap<string, KeyEntry>>();

function keysOf(state: OrganizationState): ReadonlyMap<string, KeyEntry> {
  const known = liveKeys.get(state);
  if (known) return known;
  const keys = new Map(
    state.keys
      .filter((key) => key.removed !== true && key.revokedAt === null)
      .map((key) => [key.digest, key]),
  );
  liveKeys.set(state, keys);
  return keys;
}

export function admit({ state, windows, settings }: Admitting, command: AdmitCommand): Answer {
  const key = state.removed === true ? undefined : keysOf(state).get(command.digest);
  if (!key) return UNAUTHORIZED;
  const decision = windows.admit(key.id, {
    keyLimit: state.limits.perKey ?? settings.callsPerKey,
    orgLimit: state.limits.perOrg ?? settings.callsPerOrganization,
  });
  const current = command.knownVersion === state.version;
  const admission: Admission = {
    ...(current ? {} : { caller: callerOf(state, key) }),
    rates: decision.rates,
    ...(decision.retryAfterSeconds === undefined
      ? {}
      : { retryAfterSeconds: decision.retryAfterSeconds }),
  };
  const admitted = current ? ADMITTED : ADMITTED_WITH_CALLER;
  return { status: decision.admitted ? admitted : 429, body: JSON.stringify(admission) };
}
