/**
 * Half-open breaker of the messages that a network does not take for a while: to contacts who never
 * wrote, or, of an account that owes the network, to those whose window is closed. They wait in the
 * queue. All other messages are sent (D149, D400).
 *
 * 1. A message is held only if the last entry of its conversation shows that it must be. A message
 *    from the contact releases it.
 * 2. After the hold one message is the trial. An accepted trial ends the restriction 10 s later,
 *    since a network may refuse a message after accepting it. A trial refused with a restriction
 *    begins a new hold.
 * 3. The organization keeps the restriction, and the channel's next owner continues it.
 */
import type { Restriction } from '../../../shared/ports/network-event.ts';
import {
  type ChannelRestriction,
  isHolding,
  restrictionAfter,
} from '../../domain/channel-restriction.ts';
import { windowOf } from '../../domain/conversation/window.ts';
import type { EntryDocument } from '../../model/conversation.ts';
import { describe } from '../../runtime/describe-fault.ts';
import type { ChannelEnvironment } from '../readiness/configuration.ts';
import { OrderedReports } from '../readiness/ordered-reports.ts';
import { type OnSendResult, type Sending, STORE_RETRY_MS } from './batch-context.ts';
import { expiryOf } from './expiry.ts';
import type { Hold } from './send-result.ts';

/** Within this time a network may refuse a message that it accepted. */
const PROOF_MS = 10_000;
/** The other messages retry after this time if the trial has no result. */
const TRIAL_WAIT_MS = 60_000;

/** Which messages wait. */
export interface RestrictionRule {
  readonly held: Hold;
  /** By the state of the conversation: its messages go all the same. */
  readonly mayGo: (after: EntryDocument['after'], now: number) => boolean;
  /** A probe that shows no restriction is believed. A bridge shows none while it refuses sends. */
  readonly endsByProbe: boolean;
}

export const FIRST_CONTACTS: RestrictionRule = {
  held: 'as first',
  mayGo: ({ received }) => received > 0,
  endsByProbe: false,
};

/** Inside the window the network bills nothing, or judges by itself. */
export const UNPAID: RestrictionRule = {
  held: 'unpaid',
  mayGo: (after, now) => windowOf(after, now) !== 'closed',
  endsByProbe: true,
};

interface RestrictedSendsOptions {
  readonly rule: RestrictionRule;
  readonly environment: ChannelEnvironment;
  /** Reports to the organization; null: the restriction has ended. */
  readonly report: (restriction: ChannelRestriction | null) => Promise<void>;
  readonly onResult: OnSendResult;
  /** Messages that it holds wait at most until then, in monotonic milliseconds. */
  readonly wake: (notBefore: number) => void;
  /** Called when held messages may be sent. */
  readonly onFree: () => void;
}

export class RestrictedSends {
  readonly #options: RestrictedSendsOptions;
  #restriction: ChannelRestriction | null = null;
  /** The present state was learnt here, and not read from the organization. */
  #learnt = false;
  /** The id of the trial message. */
  #trial: string | null = null;
  /** A trial was accepted after the hold. */
  #proven = false;
  readonly #reports: OrderedReports<ChannelRestriction | null>;

  constructor(options: RestrictedSendsOptions) {
    this.#options = options;
    const { report, environment } = options;
    this.#reports = new OrderedReports(report, (fault) =>
      environment.log.warn({ error: describe(fault) }, 'could not report a restriction'),
    );
  }

  /** Some messages may have to wait, and others may overtake them. */
  get mayHold(): boolean {
    return this.#restriction !== null;
  }

  /** Whether the network is known to restrict the number now. */
  get restricted(): boolean {
    return isHolding(this.#restriction, nowOf(this.#options));
  }

  /** Adopts the organization's record, unless a newer state was learnt here. */
  adopt(kept: ChannelRestriction | null): void {
    if (!this.#learnt && kept !== this.#restriction) this.#transition(kept);
  }

  /** The channel's configuration changed: the organization's record counts again. */
  forget(): void {
    this.#learnt = false;
  }

  /** A network's report that it restricts the number begins or renews a hold. */
  restrict(restriction: Restriction): void {
    const next = restrictionAfter(this.#restriction, restriction, nowOf(this.#options));
    this.#learnt = true;
    this.#trial = null;
    this.#proven = false;
    if (next === this.#restriction) return;
    this.#transition(next);
    this.#reports.add(next);
  }

  /**
   * A network's report of its restriction; null: it restricts nothing. Resolves when every report
   * so far has reached the organization, or has failed.
   */
  learn(restriction: Restriction | null): Promise<void> {
    if (restriction === null) {
      this.#learnt = true;
      if (this.#restriction !== null) {
        this.#transition(null);
        this.#reports.add(null);
      }
      // A late report of a restriction that has ended does not describe the present.
    } else if ((restriction.until ?? Infinity) > nowOf(this.#options)) this.restrict(restriction);
    return this.#reports.ended;
  }

  /**
   * The restriction as a probe reads it. While one without a known end holds, a probe that shows none
   * ends it only where the rule says so, and then one message tries: see `RestrictionRule`.
   */
  confirm(state: Restriction | null): void {
    const isEndless = this.#restriction?.until === null && this.restricted;
    if (state !== null || !isEndless) return void this.learn(state);
    const { rule, wake, onFree } = this.#options;
    if (!rule.endsByProbe) return;
    this.#learnt = true;
    this.#restriction = { until: null, holdsUntil: nowOf(this.#options) };
    this.#reports.add(null);
    wake(0);
    onFree();
  }

  /** The network took a message that it would not have taken: the restriction ends in a moment. */
  prove(): void {
    if (this.#restriction === null || this.#proven) return;
    const { wake, environment } = this.#options;
    this.#learnt = true;
    this.#proven = true;
    this.#restriction = { until: null, holdsUntil: nowOf(this.#options) + PROOF_MS };
    this.#reports.add(null);
    wake(environment.clock.monotonic() + PROOF_MS);
  }

  /** The messages that may be sent now. The queues of the others receive a result. */
  async admit(sendings: readonly Sending[]): Promise<readonly Sending[]> {
    if (this.#restriction === null) return sendings;
    const { onResult, rule } = this.#options;
    const known = await Promise.all(sendings.map((sending) => mayGo(this.#options, sending)));
    return sendings.filter((sending, index) => {
      const isFree = known[index];
      const { queue } = sending;
      if (isFree === null) onResult(queue, { result: 'retry', waitMs: STORE_RETRY_MS });
      else if (isFree || queue.contactWrote || this.#mayTry(sending.entry._id)) return true;
      else {
        const ms = waitMs(this.#restriction, sending, nowOf(this.#options));
        onResult(queue, { result: 'held', held: rule.held, waitMs: ms });
      }
      return false;
    });
  }

  /** The message returns to its queue: another one may become the trial. */
  requeued(messageId: string | undefined): void {
    if (this.#trial === messageId) this.#trial = null;
  }

  /** The message is complete. If it was the trial, `accepted` decides on the restriction. */
  ended(messageId: string | undefined, accepted: boolean): void {
    if (messageId === undefined || messageId !== this.#trial) return;
    this.#trial = null;
    if (accepted) return this.prove();
    const { wake, environment } = this.#options;
    wake(environment.clock.monotonic());
  }

  #transition(restriction: ChannelRestriction | null): void {
    this.#restriction = restriction;
    if (restriction !== null) return;
    this.#trial = null;
    this.#proven = false;
    this.#options.wake(0);
    this.#options.onFree();
  }

  #mayTry(messageId: string): boolean {
    if (this.#restriction === null) return true;
    if (this.restricted) return false;
    if (this.#proven) {
      this.#transition(null);
      return true;
    }
    this.#trial ??= messageId;
    return this.#trial === messageId;
  }
}

type Options = Pick<RestrictedSendsOptions, 'rule' | 'environment'>;

function nowOf({ environment }: Options): number {
  return environment.clock.now();
}

/** Null: the store did not answer. */
async function mayGo(options: Options, { entry }: Sending): Promise<boolean | null> {
  const { rule, environment } = options;
  const now = nowOf(options);
  if (rule.mayGo(entry.after, now)) return true;
  const { conversationId } = entry;
  const { store, log } = environment;
  try {
    const last = await lastOf(store, conversationId);
    // A joined conversation's messages are counted in the conversation that it joined.
    const answering = last?.joinedTo === undefined ? last : await lastOf(store, last.joinedTo);
    return answering !== undefined && rule.mayGo(answering, now);
  } catch (fault) {
    const fields = { conversationId, error: describe(fault) };
    log.warn(fields, 'could not read whether a contact has written');
    return null;
  }
}

/** Milliseconds to wait. A message that expires earlier is examined at that time. */
function waitMs(restriction: ChannelRestriction | null, sending: Sending, now: number): number {
  const holdMs = (restriction?.holdsUntil ?? 0) - now;
  const restMs = expiryOf(sending) + 1 - now;
  return Math.max(1, Math.min(holdMs > 0 ? holdMs : TRIAL_WAIT_MS, restMs));
}

/** The state is stored as one text: the store cannot project a part of it. */
async function lastOf(
  store: ChannelEnvironment['store'],
  conversationId: string,
): Promise<EntryDocument['after'] | undefined> {
  const newest = { sort: { seq: -1 }, project: { after: 1 } } as const;
  return (await store.findOne('entries', { conversationId }, newest))?.after;
}
