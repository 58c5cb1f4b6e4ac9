/**
 * Half-open breaker of first contacts. While the network restricts the number, messages to contacts
 * who never wrote wait in the queue. All other messages are sent (D149).
 *
 * 1. A message is held only if the last entry of its conversation counts no message from the
 *    contact. A message from the contact releases it.
 * 2. After the hold one message is the trial. An accepted trial ends the restriction 10 s later,
 *    since a network may refuse a message after accepting it. A trial refused with a restriction
 *    begins a new hold.
 * 3. The organization keeps the restriction, and the channel's next owner continues it.
 */
import { QUEUED_MESSAGE_MAX_AGE_MS } from '../../../shared/limits.ts';
import type { Restriction } from '../../../shared/ports/network-event.ts';
import {
  type ChannelRestriction,
  isHolding,
  restrictionAfter,
} from '../../domain/channel-restriction.ts';
import type { EntryDocument } from '../../model/conversation.ts';
import { describe } from '../../runtime/describe-fault.ts';
import type { ChannelEnvironment } from '../readiness/configuration.ts';
import { OrderedReports } from '../readiness/ordered-reports.ts';
import { type OnSendResult, type Sending, STORE_RETRY_MS } from './batch-context.ts';

/** Within this time a network may refuse a message that it accepted. */
const PROOF_MS = 10_000;
/** The other messages retry after this time if the trial has no result. */
const TRIAL_WAIT_MS = 60_000;

interface FirstContactOptions {
  readonly environment: ChannelEnvironment;
  /** Reports to the organization; null: the restriction has ended. */
  readonly report: (restriction: ChannelRestriction | null) => Promise<void>;
  readonly onResult: OnSendResult;
  /** First contacts wait at most until then, in monotonic milliseconds. */
  readonly wake: (notBefore: number) => void;
  /** Called when held messages may be sent. */
  readonly onFree: () => void;
}

export class FirstContacts {
  readonly #options: FirstContactOptions;
  #restriction: ChannelRestriction | null = null;
  /** The present state was learnt here, and not read from the organization. */
  #learnt = false;
  /** The id of the trial message. */
  #trial: string | null = null;
  /** A trial was accepted after the hold. */
  #proven = false;
  readonly #reports: OrderedReports<ChannelRestriction | null>;

  constructor(options: FirstContactOptions) {
    this.#options = options;
    const { report, environment } = options;
    this.#reports = new OrderedReports(report, (fault) =>
      environment.log.warn({ error: describe(fault) }, 'could not report a restriction'),
    );
  }

  get #now(): number {
    return this.#options.environment.clock.now();
  }

  /** First contacts may have to wait, and other messages may overtake them. */
  get mayHold(): boolean {
    return this.#restriction !== null;
  }

  /** Whether the network is known to restrict the number now. */
  get restricted(): boolean {
    return isHolding(this.#restriction, this.#now);
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
    const next = restrictionAfter(this.#restriction, restriction, this.#now);
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
    } else if ((restriction.until ?? Infinity) > this.#now) this.restrict(restriction);
    return this.#reports.ended;
  }

  /**
   * The restriction as a probe reads it. While a restriction without a known end holds, a probe
   * that shows none does not end it. A bridge may show none although it refuses sends.
   */
  confirm(state: Restriction | null): void {
    if (state === null && this.#restriction?.until === null && this.restricted) return;
    void this.learn(state);
  }

  /** The messages that may be sent now. The queues of the others receive a result. */
  async admit(sendings: readonly Sending[]): Promise<readonly Sending[]> {
    if (this.#restriction === null) return sendings;
    const known = await Promise.all(
      sendings.map((sending) => hasWritten(this.#options.environment, sending)),
    );
    const { onResult } = this.#options;
    return sendings.filter((sending, index) => {
      const wrote = known[index];
      const { queue } = sending;
      if (wrote === null) onResult(queue, { result: 'retry', waitMs: STORE_RETRY_MS });
      else if (wrote || queue.contactWrote || this.#mayTry(sending.entry._id)) return true;
      else
        onResult(queue, { result: 'held', waitMs: waitMs(this.#restriction, sending, this.#now) });
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
    const { wake, environment } = this.#options;
    if (accepted && this.#restriction) {
      this.#learnt = true;
      this.#proven = true;
      this.#restriction = { until: null, holdsUntil: this.#now + PROOF_MS };
      this.#reports.add(null);
    }
    wake(environment.clock.monotonic() + (accepted ? PROOF_MS : 0));
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

/** Milliseconds to wait. A message that expires earlier is examined at that time. */
function waitMs(restriction: ChannelRestriction | null, { send }: Sending, now: number): number {
  const holdMs = (restriction?.holdsUntil ?? 0) - now;
  const restMs = send.at + QUEUED_MESSAGE_MAX_AGE_MS + 1 - now;
  return Math.max(1, Math.min(holdMs > 0 ? holdMs : TRIAL_WAIT_MS, restMs));
}

type ReadEnvironment = Pick<ChannelEnvironment, 'store' | 'log'>;

/** Null: the store did not answer. */
async function hasWritten(
  { store, log }: ReadEnvironment,
  { entry }: Sending,
): Promise<boolean | null> {
  if (entry.after.received > 0) return true;
  const { conversationId } = entry;
  try {
    const last = await lastOf(store, conversationId);
    // A joined conversation's messages are counted in the conversation that it joined.
    const answering = last?.joinedTo === undefined ? last : await lastOf(store, last.joinedTo);
    return (answering?.received ?? 0) > 0;
  } catch (fault) {
    const fields = { conversationId, error: describe(fault) };
    log.warn(fields, 'could not read whether a contact has written');
    return null;
  }
}

/** The state is stored as one text: the store cannot project a part of it. */
async function lastOf(
  store: ReadEnvironment['store'],
  conversationId: string,
): Promise<EntryDocument['after'] | undefined> {
  const newest = { sort: { seq: -1 }, project: { after: 1 } } as const;
  return (await store.findOne('entries', { conversationId }, newest))?.after;
}
