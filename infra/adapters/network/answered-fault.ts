/**
 * Faults in a network's answers: a 401, every 5xx and a starting session. They count like
 * connection failures, because a proxy, a restart or a rotated key causes them.
 */

import { type NetworkFault, networkFault, serverFault } from '../../../shared/network-fault.ts';
import type { SendOutcome } from '../../../shared/ports/network.ts';
import type { Readiness } from '../../../shared/ports/network-event.ts';

interface Answered {
  readonly status: number;
  /** For the log. */
  readonly cause: string;
  /**
   * The fault of an answer that concerns the whole channel; null: the network's verdict on the
   * number.
   */
  readonly passing: 'unauthorized' | 'starting' | null;
}

type Later = Extract<SendOutcome, { outcome: 'later' }>;

/**
 * The outcome of an answer, with its fault if it has one. If the answer is a fault, and no verdict
 * on the number, its sentence becomes the fault's.
 */
export function withFault<Outcome extends SendOutcome>(
  outcome: Outcome,
  { status, cause, passing }: Answered,
): Outcome | Later {
  if (outcome.outcome !== 'later') return outcome;
  if (passing !== null) {
    const { channelReason, ...later }: Later = outcome;
    return { ...later, cause, fault: networkFault(passing, channelReason) };
  }
  const isServers = status >= 500 && outcome.channelReason === undefined;
  return { ...outcome, cause, ...(isServers ? faultOfStatus(status) : {}) };
}

/** The readiness by an answer that shows no state of the number. */
export function readinessOfRefusal(outcome: SendOutcome, cause: string): Readiness {
  if ('channelReason' in outcome && outcome.channelReason !== undefined) {
    return { ready: false, reason: outcome.channelReason };
  }
  const fault = 'fault' in outcome && outcome.fault ? { fault: outcome.fault } : {};
  return { ready: 'unknown', cause, ...fault };
}

/** Of an answer that leaves a send in doubt. */
export function faultOfStatus(status: number): { readonly fault?: NetworkFault } {
  return status >= 500 ? { fault: serverFault(status) } : {};
}
