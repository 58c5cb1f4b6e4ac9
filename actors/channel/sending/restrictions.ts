/**
 * What a network does not take of a number for a while: first contacts, or all that an account in
 * debt would have to pay for. Each has a state of its own, and both may hold a message.
 */
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Readiness, Restriction } from '../../../shared/ports/network-event.ts';
import type { ChannelEntry } from '../../domain/organization.ts';
import type { EntryDocument } from '../../model/conversation.ts';
import type { ChannelEnvironment } from '../readiness/configuration.ts';
import type { NetworkReports } from '../readiness/reports.ts';
import type { OnSendResult, Sending } from './batch-context.ts';
import {
  FIRST_CONTACTS,
  RestrictedSends,
  type RestrictionRule,
  UNPAID,
} from './restricted-sends.ts';
import type { Hold } from './send-result.ts';

interface RestrictionsOptions {
  readonly environment: ChannelEnvironment;
  readonly report: NetworkReports['restriction'];
  readonly onResult: OnSendResult;
  /** Messages held for that reason wait at most until then, in monotonic milliseconds. */
  readonly wake: (held: Hold, notBefore: number) => void;
  /** Called when held messages may be sent. */
  readonly onFree: () => void;
}

export class Restrictions {
  readonly #firstContacts: RestrictedSends;
  readonly #unpaid: RestrictedSends;
  readonly #clock: Pick<Clock, 'now'>;

  constructor({ report, wake, ...options }: RestrictionsOptions) {
    this.#clock = options.environment.clock;
    this.#firstContacts = new RestrictedSends({
      ...{ ...options, rule: FIRST_CONTACTS },
      report: (restriction) => report(restriction),
      wake: (notBefore) => wake(FIRST_CONTACTS.held, notBefore),
    });
    this.#unpaid = new RestrictedSends({
      ...{ ...options, rule: UNPAID },
      report: (restriction) => report(restriction, 'payment'),
      wake: (notBefore) => wake(UNPAID.held, notBefore),
    });
  }

  /** Whether the network is known to restrict the number now. */
  get restricted(): boolean {
    return this.#firstContacts.restricted || this.#unpaid.restricted;
  }

  /** Whether the account owes the network, as far as is known. */
  get isUnpaid(): boolean {
    return this.#unpaid.restricted;
  }

  /** Whether a message of a conversation in that state may have to wait. */
  mayHold(after: EntryDocument['after']): boolean {
    const now = this.#clock.now();
    const holds = (sends: RestrictedSends, { mayGo }: RestrictionRule) =>
      sends.mayHold && !mayGo(after, now);
    return holds(this.#firstContacts, FIRST_CONTACTS) || holds(this.#unpaid, UNPAID);
  }

  /** Whether a message of a conversation in that state overtakes others that are held. */
  passes(after: EntryDocument['after']): boolean {
    const isHolding = this.#firstContacts.mayHold || this.#unpaid.mayHold;
    return isHolding && !this.mayHold(after);
  }

  /** Adopts the organization's record, unless a newer state was learnt here. */
  adopt(entry: Pick<ChannelEntry, 'restriction' | 'unpaid'> | null): void {
    this.#firstContacts.adopt(entry?.restriction ?? null);
    this.#unpaid.adopt(entry?.unpaid ?? null);
  }

  /** The channel's configuration changed: the organization's record counts again. */
  forget(): void {
    this.#firstContacts.forget();
    this.#unpaid.forget();
  }

  /** The network refused a message for a restriction. */
  restrict(restriction: Restriction): void {
    this.#of(restriction).restrict(restriction);
  }

  /** A network's report; null: new conversations are not restricted. See `RestrictedSends`. */
  learn(restriction: Restriction | null): Promise<void> {
    return this.#of(restriction).learn(restriction);
  }

  /** The state as a probe reads it. */
  confirm({ restriction, unpaid }: Extract<Readiness, { ready: true }>): void {
    if (restriction !== undefined) this.#firstContacts.confirm(restriction);
    if (unpaid !== undefined) this.#unpaid.confirm(unpaid ? { until: null } : null);
  }

  /** The network took a template: the account pays for it. */
  acceptedTemplate(): void {
    this.#unpaid.prove();
  }

  /** The messages that may be sent now. The queues of the others receive a result. */
  async admit(sendings: readonly Sending[]): Promise<readonly Sending[]> {
    return this.#unpaid.admit(await this.#firstContacts.admit(sendings));
  }

  /** The message returns to its queue: another one may become the trial. */
  requeued(messageId: string | undefined): void {
    this.#firstContacts.requeued(messageId);
    this.#unpaid.requeued(messageId);
  }

  /** The message is complete; `accepted` decides on the restriction that it tried. */
  ended(messageId: string | undefined, accepted: boolean): void {
    this.#firstContacts.ended(messageId, accepted);
    this.#unpaid.ended(messageId, accepted);
  }

  #of(restriction: Restriction | null): RestrictedSends {
    return restriction?.cause === 'payment' ? this.#unpaid : this.#firstContacts;
  }
}
