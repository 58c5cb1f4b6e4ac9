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
import { QUEUED_MESSAGE_MAX_AGE_MS } from '../../shared/limits.ts';
import type { Restriction } from '../../shared/ports/network-event.ts';
import {
  type ChannelRestriction,
  isHolding,
  restrictionAfter,
} from '../domain/channel-restriction.ts';
import type { EntryDocument } from '../model/conversation.ts';
import { describe } from '../runtime/describe-fault.ts';
import { type OnSendResult, type Sending, STORE_RETRY_MS } from './batch-context.ts';
import type { ChannelEnvironment } from './configuration.ts';
import type { ConversationQueues } from './conversation-queues.ts';

/** Within this time a network may refuse a message that it accepted. */
const PROOF_MS = 10_000;
/** The other messages retry after this time if the trial has no result. */
const TRIAL_WAIT_MS = 60_000;

interface FirstContactOptions {
  readonly queues: ConversationQueues;
  readonly environment: ChannelEnvironment;
  /** Reports to the organization; null: the restriction has ended. */
  readonly report: (restriction: ChannelRestriction | null) => Promise<void>;
  readonly onResult: OnSendResult;
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
  /** Resolves when every report so far has reached the organization, or has failed. */
  reported: Promise<void> = Promise.resolve();

  constructor(options: FirstContactOptions) {
    this.#options = options;
  }

  get #now(): number {
    return this.#options.environment.clock.now();
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
    this.#report(next);
  }

  /** A network's report of its restriction; null: it restricts nothing. */
  learn(restriction: Restriction | null): void {
    // A late report of a restriction that has ended does not describe the present.
    if (restriction !== null && (restriction.until ?? Infinity) <= this.#now) return;
    if (restriction !== null) return this.restrict(restriction);
    this.#learnt = true;
    if (this.#restriction === null) return;
    this.#transition(null);
    this.#report(null);
  }

  /**
   * The restriction as a probe reads it. While a restriction without a known end holds, a probe
   * that shows none does not end it. A bridge may show none although it refuses sends.
   */
  confirm(state: Restriction | null): void {
    if (state === null && this.#restriction?.until === null && this.restricted) return;
    this.learn(state);
  }

  /** Whether a message that is about to be inserted may be sent at once. */
  mayGo({ after }: EntryDocument): boolean {
    return this.#restriction === null || after.received > 0;
  }

  /** Whether a queued message may overtake others that are held back. */
  passes(entry: EntryDocument | undefined): boolean {
    return this.#restriction !== null && (entry?.after.received ?? 0) > 0;
  }

  /** The messages that may be sent now. The queues of the others receive a result. */
  async admit(sendings: readonly Sending[]): Promise<readonly Sending[]> {
    if (this.#restriction === null) return sendings;
    const known = await Promise.all(sendings.map((sending) => this.#hasWritten(sending)));
    const { onResult } = this.#options;
    return sendings.filter((sending, index) => {
      const wrote = known[index];
      const { queue } = sending;
      if (wrote === null) onResult(queue, { result: 'retry', waitMs: STORE_RETRY_MS });
      else if (wrote || queue.contactWrote || this.#mayTry(sending.entry._id)) return true;
      else onResult(queue, { result: 'held', waitMs: this.#waitMs(sending) });
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
    const { queues, environment } = this.#options;
    if (accepted && this.#restriction) {
      this.#learnt = true;
      this.#proven = true;
      this.#restriction = { until: null, holdsUntil: this.#now + PROOF_MS };
      this.#report(null);
    }
    queues.wakeFirstContacts(environment.clock.monotonic() + (accepted ? PROOF_MS : 0));
  }

  /** Reports in the order of the network's statements. */
  #report(restriction: ChannelRestriction | null): void {
    this.reported = this.reported.then(async () => {
      try {
        await this.#options.report(restriction);
      } catch (fault) {
        const fields = { error: describe(fault) };
        this.#options.environment.log.warn(fields, 'could not report a restriction');
      }
    });
  }

  #transition(restriction: ChannelRestriction | null): void {
    this.#restriction = restriction;
    if (restriction !== null) return;
    this.#trial = null;
    this.#proven = false;
    this.#options.queues.wakeFirstContacts(0);
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

  /** Milliseconds to wait. A message that expires earlier is examined at that time. */
  #waitMs({ send }: Sending): number {
    const holdMs = (this.#restriction?.holdsUntil ?? 0) - this.#now;
    const restMs = send.at + QUEUED_MESSAGE_MAX_AGE_MS + 1 - this.#now;
    return Math.max(1, Math.min(holdMs > 0 ? holdMs : TRIAL_WAIT_MS, restMs));
  }

  /** Null: the store did not answer. */
  async #hasWritten({ entry }: Sending): Promise<boolean | null> {
    if (entry.after.received > 0) return true;
    const { conversationId } = entry;
    try {
      const last = await this.#lastOf(conversationId);
      // A joined conversation's messages are counted in the conversation that it joined.
      const answering = last?.joinedTo === undefined ? last : await this.#lastOf(last.joinedTo);
      return (answering?.received ?? 0) > 0;
    } catch (fault) {
      const fields = { conversationId, error: describe(fault) };
      this.#options.environment.log.warn(fields, 'could not read whether a contact has written');
      return null;
    }
  }

  /** The state is stored as one text: the store cannot project a part of it. */
  async #lastOf(conversationId: string): Promise<EntryDocument['after'] | undefined> {
    const newest = { sort: { seq: -1 }, project: { after: 1 } } as const;
    const { store } = this.#options.environment;
    return (await store.findOne('entries', { conversationId }, newest))?.after;
  }
}
