/**
 * Half-open breaker of first contacts: while the network restricts the number, messages to contacts
 * who never wrote wait in the queue, and the others go (D150).
 *
 * 1. A message is held only if the last entry of its conversation counts none from the contact. A
 *    contact who writes sets their messages free.
 * 2. After the hold one message tries. Accepted, it ends the restriction some seconds later: a
 *    network may accept a message and refuse it afterwards. Refused with one, a new hold begins.
 * 3. The organization keeps the restriction, and the next owner of the channel goes on with it.
 */
import { QUEUED_MESSAGE_MAX_AGE_MS } from '../../shared/limits.ts';
import type { Restriction } from '../../shared/ports/network.ts';
import type { EntryDocument } from '../conversation/documents.ts';
import {
  type ChannelRestriction,
  isHolding,
  restrictionAfter,
} from '../domain/channel-restriction.ts';
import { describe } from '../runtime/mailbox.ts';
import { type QueuedEntry, type Sending, STORE_RETRY_MS } from './batch-context.ts';
import type { ChannelEnvironment } from './configuration.ts';
import type { ConversationQueues } from './conversation-queues.ts';

/** Within so long a network that has accepted a message refuses it after all. */
const PROOF_MS = 10_000;
/** The others look again, should nothing tell what became of the one that tries. */
const TRIAL_WAIT_MS = 60_000;

interface FirstContactOptions {
  readonly queues: ConversationQueues;
  readonly environment: ChannelEnvironment;
  /** Tells the organization; null: there is none any more. */
  readonly report: (restriction: ChannelRestriction | null) => Promise<void>;
  /** Called when messages that were held may go. */
  readonly onFree: () => void;
}

export class FirstContacts {
  readonly #options: FirstContactOptions;
  #restriction: ChannelRestriction | null = null;
  /** Learnt here, and not read from the organization. */
  #learnt = false;
  /** The message that tries. */
  #trial: string | null = null;
  /** One was accepted after the hold. */
  #proven = false;
  #reports: Promise<void> = Promise.resolve();

  constructor(options: FirstContactOptions) {
    this.#options = options;
  }

  /** Whether the network is known to restrict the number now. */
  get restricted(): boolean {
    return isHolding(this.#restriction, this.#options.environment.clock.now());
  }

  /** Resolves when the organization has been told all that was learnt so far. */
  get reported(): Promise<void> {
    return this.#reports;
  }

  /** As the organization keeps it: believed until something is learnt here. */
  adopt(kept: ChannelRestriction | null): void {
    if (!this.#learnt && kept !== this.#restriction) this.#transition(kept);
  }

  /** The operator changed the channel: what the organization keeps is believed again. */
  forget(): void {
    this.#learnt = false;
  }

  /** The network restricts the number. */
  restrict(restriction: Restriction): void {
    const next = restrictionAfter(
      this.#restriction,
      restriction,
      this.#options.environment.clock.now(),
    );
    this.#learnt = true;
    this.#trial = null;
    this.#proven = false;
    if (next === this.#restriction) return;
    this.#transition(next);
    this.#report(next);
  }

  /** The network tells how it stands; null: it restricts nothing. */
  learn(restriction: Restriction | null): void {
    // News may come late: of one that is over, it tells nothing of now.
    if (
      restriction !== null &&
      (restriction.until ?? Infinity) <= this.#options.environment.clock.now()
    )
      return;
    if (restriction !== null) return this.restrict(restriction);
    this.#learnt = true;
    if (this.#restriction === null) return;
    this.#transition(null);
    this.#report(null);
  }

  /**
   * The network's state, as a probe reads it. A restriction that was met and has no known end
   * outlasts a state that shows none: a bridge may show none while sends meet it.
   */
  confirm(state: Restriction | null): void {
    if (state === null && this.#restriction?.until === null && this.restricted) return;
    this.learn(state);
  }

  /** Whether a message that is about to be recorded may go at once. */
  mayGo({ after }: QueuedEntry): boolean {
    return this.#restriction === null || after.received > 0;
  }

  /** Whether a queued message may go before others that are held back. */
  passes(entry: EntryDocument | undefined): boolean {
    return this.#restriction !== null && (entry?.after.received ?? 0) > 0;
  }

  /** The messages that may go now; the lanes of the others are judged. */
  async admit(sendings: readonly Sending[]): Promise<readonly Sending[]> {
    if (this.#restriction === null) return sendings;
    const known = await Promise.all(sendings.map((sending) => this.#hasWritten(sending)));
    return sendings.filter((sending, index) => {
      const wrote = known[index];
      const { onResult, queue } = sending;
      if (wrote === null) onResult(queue, { result: 'retry', waitMs: STORE_RETRY_MS });
      else if (wrote || queue.contactWrote || this.#mayTry(sending.entry._id)) return true;
      else onResult(queue, { result: 'held', waitMs: this.#waitMs(sending) });
      return false;
    });
  }

  /** The message goes back to the queue: another one may try first. */
  requeued(messageId: string | undefined): void {
    if (this.#trial === messageId) this.#trial = null;
  }

  /** The message is done with: if it is the one that tries, that tells something. */
  ended(messageId: string | undefined, accepted: boolean): void {
    if (messageId === undefined || messageId !== this.#trial) return;
    this.#trial = null;
    const { queues, environment } = this.#options;
    if (accepted && this.#restriction) {
      this.#learnt = true;
      this.#proven = true;
      this.#restriction = { until: null, holdsUntil: environment.clock.now() + PROOF_MS };
      this.#report(null);
    }
    queues.wakeFirstContacts(environment.clock.monotonic() + (accepted ? PROOF_MS : 0));
  }

  /** In the order in which it was learnt. */
  #report(restriction: ChannelRestriction | null): void {
    this.#reports = this.#reports.then(async () => {
      try {
        await this.#options.report(restriction);
      } catch (fault) {
        this.#options.environment.log.warn(
          { error: describe(fault) },
          'could not report a restriction',
        );
      }
    });
  }

  #transition(restriction: ChannelRestriction | null): void {
    this.#restriction = restriction;
    if (restriction === null) {
      this.#trial = null;
      this.#proven = false;
      this.#options.queues.wakeFirstContacts(0);
      this.#options.onFree();
    }
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

  /** A message that grows too old meanwhile is looked at in time. */
  #waitMs({ send }: Sending): number {
    const now = this.#options.environment.clock.now();
    const holdMs = (this.#restriction?.holdsUntil ?? 0) - now;
    const restMs = send.at + QUEUED_MESSAGE_MAX_AGE_MS + 1 - now;
    return Math.max(1, Math.min(holdMs > 0 ? holdMs : TRIAL_WAIT_MS, restMs));
  }

  /** Null: the store cannot tell. */
  async #hasWritten({ entry }: Sending): Promise<boolean | null> {
    if (entry.after.received > 0) return true;
    const { conversationId } = entry;
    try {
      const last = await this.#lastOf(conversationId);
      // Messages of the contact are counted where its conversation has gone.
      const joinedTo = last?.joinedTo;
      const answering = joinedTo === undefined ? last : await this.#lastOf(joinedTo);
      return (answering?.received ?? 0) > 0;
    } catch (fault) {
      const fields = { conversationId, error: describe(fault) };
      this.#options.environment.log.warn(fields, 'could not read whether a contact has written');
      return null;
    }
  }

  /** The state is stored as one text: a part of it cannot be asked for. */
  async #lastOf(conversationId: string): Promise<QueuedEntry['after'] | undefined> {
    const last = await this.#options.environment.store.findOne<QueuedEntry>(
      'entries',
      { conversationId },
      { sort: { seq: -1 }, project: { after: 1 } },
    );
    return last?.after;
  }
}
