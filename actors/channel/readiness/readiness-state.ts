/**
 * What is known of a channel's network, and what the organization was told of it. The rules are in
 * `domain/network-readiness`.
 */
import { LOG_EVENT } from '../../../shared/log-events.ts';
import type { Readiness } from '../../../shared/ports/network-event.ts';
import {
  initialState,
  isHealthy,
  maySend,
  type NetworkState,
  NOTHING_KNOWN,
  type ReadinessReport,
  reportOf,
} from '../../domain/network-readiness.ts';
import type { ChannelEntry } from '../../domain/organization.ts';
import { describe } from '../../runtime/describe-fault.ts';
import type { ChannelEnvironment } from './configuration.ts';
import { OrderedReports } from './ordered-reports.ts';

interface StatedChannel {
  readonly channelId: string;
  readonly environment: Pick<ChannelEnvironment, 'clock' | 'log'>;
}

export interface WorkingNumber {
  /** Another one than the channel's. */
  readonly isOther: boolean;
  /** When another one ceased to hold, epoch milliseconds; 0: none has, as far as this owner knows. */
  readonly ownSince: number;
}

/** Of a channel of which nothing is known. */
export const OWN_NUMBER: WorkingNumber = { isOther: false, ownSince: 0 };

/** What a change of the state means. */
interface Change {
  /** The number can send again. */
  readonly hasReturned: boolean;
  /** The network begins or ceases to hold sends back. */
  readonly isOfHold: boolean;
  readonly isOfHealth: boolean;
}

export class ReadinessState {
  readonly #channel: StatedChannel;
  readonly #reports: OrderedReports<ReadinessReport>;
  #current: NetworkState = NOTHING_KNOWN;
  #adopted = false;
  /** How often another number than the channel's was reported while it was not known. */
  #otherNumbers = 0;
  #ownNumberSince = 0;
  /** The state that the organization knows, as far as this owner knows. */
  #reported = '';

  constructor(channel: StatedChannel, report: (report: ReadinessReport) => Promise<void>) {
    this.#channel = channel;
    this.#reports = new OrderedReports(report, (fault) => {
      this.#reported = '';
      const fields = { channelId: channel.channelId, error: describe(fault) };
      channel.environment.log.warn(fields, 'could not report the readiness');
    });
  }

  get current(): NetworkState {
    return this.#current;
  }

  get otherNumbers(): number {
    return this.#otherNumbers;
  }

  get number(): WorkingNumber {
    return { isOther: this.#current.otherNumber, ownSince: this.#ownNumberSince };
  }

  /** The readiness to report to the organization. */
  get known(): ReadinessReport {
    return reportOf(this.#current, this.#channel.environment.clock.now());
  }

  /** Adopts the channel's record. True: other settings than before have reset the state. */
  adopt(entry: ChannelEntry | null): boolean {
    if (!entry || (this.#adopted && entry.networkRevision === this.#current.revision)) return false;
    this.#adopted = true;
    this.#current = initialState(entry);
    this.#reported = JSON.stringify(this.known);
    return true;
  }

  /** Reports the known readiness to the organization, in the order of the findings. */
  report(): Promise<void> {
    const { known } = this;
    this.#reported = JSON.stringify(known);
    this.#reports.add(known);
    return this.#reports.ended;
  }

  reportIfChanged(): Promise<void> {
    return JSON.stringify(this.known) === this.#reported ? Promise.resolve() : this.report();
  }

  /** @param readiness null where a send changed the state */
  change(next: NetworkState, readiness: Readiness | null): Change {
    const before = this.#current;
    this.#current = next;
    if (next.otherNumber && !before.otherNumber) this.#otherNumbers++;
    if (before.otherNumber && !next.otherNumber) {
      this.#ownNumberSince = this.#channel.environment.clock.now();
    }
    this.#logChange(before, readiness);
    const wasHeld = !maySend(before) || before.unreachableReason !== null;
    const isHeld = !maySend(next) || next.unreachableReason !== null;
    const isBack = maySend(next) && !maySend(before);
    const answersAgain = isHealthy(next) && !isHealthy(before) && (readiness !== null || wasHeld);
    return {
      hasReturned: isBack || answersAgain,
      isOfHold: wasHeld !== isHeld,
      isOfHealth: isHealthy(before) !== isHealthy(next),
    };
  }

  /** Logs once when the network stops answering, and once when it answers again. */
  #logChange(before: NetworkState, readiness: Readiness | null): void {
    const failed = (state: NetworkState) =>
      state.unreachableReason ?? state.trouble?.reason ?? null;
    const [was, is] = [failed(before), failed(this.#current)];
    if ((was === null) === (is === null)) return;
    const { channelId, environment } = this.#channel;
    const cause = readiness?.ready === 'unknown' ? { cause: readiness.cause } : {};
    if (is === null) environment.log.info({ channelId }, LOG_EVENT.networkAnswers);
    else environment.log.warn({ channelId, reason: is, ...cause }, LOG_EVENT.networkSilent);
  }
}
