/** What the sends of a channel show of its network: whether it takes them, and since when not. */
import type { Clock } from '../../../shared/ports/clock.ts';
import type { SendOutcome } from '../../../shared/ports/network.ts';
import {
  afterFailure,
  afterSuccess,
  type NetworkState,
  SENDS_FAIL_FOR_MS,
  TROUBLE_REPORTED_AFTER_MS,
} from '../../domain/network-readiness.ts';
import { FailingSends } from './failing-sends.ts';

interface EvidenceOptions {
  readonly clock: Pick<Clock, 'now' | 'after'>;
  readonly state: () => NetworkState;
  /** Takes the state that the sends show, and reports it if it differs. */
  readonly onShown: (next: NetworkState) => void;
}

export class SendEvidence {
  readonly #options: EvidenceOptions;
  readonly #failing = new FailingSends();
  #cancelEvaluation: (() => void) | null = null;
  #ended = false;

  constructor(options: EvidenceOptions) {
    this.#options = options;
  }

  get areFailing(): boolean {
    return this.#failing.oldest() !== null;
  }

  /** Records the outcome of a send at the network, under the settings of that revision. */
  record(conversationId: string, revision: number, outcome: SendOutcome): void {
    if (revision !== this.#options.state().revision) return;
    if (outcome.outcome === 'accepted') return this.#succeeded();
    const fault = 'fault' in outcome ? outcome.fault : undefined;
    if (fault === undefined) {
      // The number is throttled: none of its sends is due.
      if (outcome.outcome === 'later' && outcome.scope !== 'pair') this.#failing.clear();
      else this.#failing.ended(conversationId);
      return;
    }
    this.#failing.failed(conversationId, fault, this.#options.clock.now());
    this.#evaluate();
  }

  /** The conversation's send is not due any more, or another message is. */
  sendEnded(conversationId: string): void {
    this.#failing.ended(conversationId);
  }

  /** What failed before shows nothing of the present. */
  clear(): void {
    this.#failing.clear();
  }

  end(): void {
    this.#ended = true;
    this.#cancelEvaluation?.();
  }

  #succeeded(): void {
    this.#failing.clear();
    const state = this.#options.state();
    const { answered, unreachableReason, trouble } = state;
    if (answered && unreachableReason === null && trouble === null) return;
    this.#options.onShown(afterSuccess(state));
  }

  /** Evaluates the oldest failing send: now, and at its next time limit. */
  #evaluate(): void {
    this.#cancelEvaluation?.();
    const failing = this.#failing.oldest();
    if (failing === null || this.#ended) return;
    const { clock, state, onShown } = this.#options;
    const now = clock.now();
    onShown(afterFailure(state(), { ...failing, now }));
    const limits = [TROUBLE_REPORTED_AFTER_MS, SENDS_FAIL_FOR_MS];
    const next = limits.map((ms) => failing.since + ms - now).find((ms) => ms > 0);
    if (next === undefined) return;
    this.#cancelEvaluation = clock.after(next, () => this.#evaluate());
  }
}
