/**
 * Readiness probe of a channel: asks the network periodically, and at once when there is a reason.
 * It reports to the organization in the order of its findings. The rules are in
 * `domain/network-readiness`.
 *
 * 1. The next probe is always armed until the channel closes. A probe that fails, or finds no
 *    configuration, arms it too.
 * 2. Each probe rereads the configuration while the queue continues. A change whose notice was lost
 *    takes effect within a minute.
 * 3. Results of probes and sends under other settings than the present ones do not count.
 * 4. Another number than the channel's holds at once, whoever reports it. Only a probe that began
 *    after the report, and names a number, ends it: a webhook may be hours old.
 */
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Readiness } from '../../../shared/ports/network-event.ts';
import {
  afterStatement,
  afterStatus,
  isHealthy,
  leavesOtherNumber,
  maySend,
  type NetworkState,
  type ReadinessReport,
} from '../../domain/network-readiness.ts';
import type { ChannelEntry } from '../../domain/organization.ts';
import { describe } from '../../runtime/describe-fault.ts';
import type { ChannelConfiguration, ChannelEnvironment } from './configuration.ts';
import { ReadinessState, type WorkingNumber } from './readiness-state.ts';
import { SendEvidence } from './send-evidence.ts';

const PROBE_READY_MS = 60_000;
const PROBE_NOT_READY_MS = 10_000;

interface ProbedChannel {
  readonly channelId: string;
  readonly environment: Pick<ChannelEnvironment, 'clock' | 'log' | 'networks'>;
  /** The configuration as it was read last. */
  readonly configured: () => ChannelConfiguration | null;
  readonly reload: () => Promise<ChannelConfiguration | null>;
}

interface ReadinessListener {
  /** Reports to the organization. */
  readonly report: (report: ReadinessReport) => Promise<void>;
  /** Called with every statement of the network, also an unchanged one. */
  readonly onReadiness: (readiness: Readiness) => void;
  /** The channel can send again. */
  readonly onReady: () => void;
  /** The configuration was read, and may have changed. */
  readonly onConfigured: () => void;
  /** The network stated that the number can send, perhaps with a restriction. */
  readonly onRestriction: (readiness: Extract<Readiness, { ready: true }>) => void;
  /** The network demands this wait of the whole account, whatever a probe finds. */
  readonly onHold: (ms: number) => void;
}

export class ReadinessProbe {
  readonly sends: SendEvidence;
  readonly #channel: ProbedChannel;
  readonly #listener: ReadinessListener;
  readonly #state: ReadinessState;
  readonly #rhythm: ProbeRhythm;

  constructor(channel: ProbedChannel, listener: ReadinessListener) {
    const { clock } = channel.environment;
    this.#channel = channel;
    this.#listener = listener;
    this.#state = new ReadinessState(channel, listener.report);
    this.#rhythm = new ProbeRhythm(clock, () => void this.probeAndReport());
    this.sends = new SendEvidence({
      ...{ clock, state: () => this.#state.current },
      onShown: (next) => {
        this.#transition(next, null);
        void this.#state.reportIfChanged();
      },
    });
  }

  /** False while the network itself states that the number cannot send. */
  get maySend(): boolean {
    return maySend(this.#state.current);
  }

  /** The number as which the network works, as far as is known. */
  get number(): WorkingNumber {
    return this.#state.number;
  }

  /** The readiness to report to the organization. */
  get known(): ReadinessReport {
    return this.#state.known;
  }

  /** Adopts the channel's record; other settings than before reset the state. */
  adopt(entry: ChannelEntry | null): void {
    if (this.#state.adopt(entry)) this.sends.clear();
  }

  /** Arms the next probe, in the place of one that is armed. */
  schedule(): void {
    this.#rhythm.arm(isHealthy(this.#state.current));
  }

  async probeAndReport(): Promise<void> {
    try {
      const { ready } = await this.#probe();
      // The probe found nothing new, and another owner may have reported more since.
      if (ready === 'unknown' && this.#channel.configured()) await this.#state.reportIfChanged();
      else await this.report();
    } catch (fault) {
      const { channelId, environment } = this.#channel;
      environment.log.warn({ channelId, error: describe(fault) }, 'readiness probe failed');
    }
  }

  /** Probes under a configuration that may be new; null where nothing new is known. */
  async probeChanged(): Promise<ReadinessReport | null> {
    const { ready } = await this.#probe();
    const isChanged = ready !== 'unknown' || !this.#state.current.answered;
    return isChanged && this.#channel.configured() ? this.known : null;
  }

  /** Reports the known readiness to the organization, in the order of the findings. */
  report(): Promise<void> {
    return this.#state.report();
  }

  /** Applies a statement of the network about the number, other than the answer to a probe. */
  learn(readiness: Readiness): void {
    const state = this.#state.current;
    const isOther = readiness.ready === false && readiness.otherNumber === true;
    // It is asked already, every 10 s.
    if (isOther && state.otherNumber) return;
    const endsNothing = readiness.ready === true && readiness.unconfirmed === true;
    if (endsNothing && !maySend(state)) return void this.probeAndReport();
    this.#notify(readiness);
    if (readiness.ready === 'unknown') return;
    this.#transition(afterStatement(state, readiness), readiness);
    // A network that sends statements may still not answer requests.
    const isSilent = readiness.ready && !isHealthy(this.#state.current);
    if (isOther || isSilent) void this.probeAndReport();
  }

  end(): void {
    this.#rhythm.end();
    this.sends.end();
  }

  /** Asks the network whether it is ready, and arms the next probe. */
  async #probe(): Promise<Readiness> {
    // Armed before anything can fail, and again on every exit.
    this.schedule();
    this.#rhythm.begin();
    try {
      return await this.#ask();
    } finally {
      this.schedule();
    }
  }

  async #ask(): Promise<Readiness> {
    // The notice of a change may have been lost.
    const configuration = await this.#channel.reload();
    if (!configuration || this.#rhythm.hasEnded) {
      return { ready: 'unknown', cause: 'no configuration' };
    }
    this.#listener.onConfigured();
    const { network, entry } = configuration;
    const { networks, clock } = this.#channel.environment;
    const { otherNumbers } = this.#state;
    const readiness = await networks.driver(network.provider).status(network);
    if (entry.networkRevision !== this.#state.current.revision) return readiness;
    if (readiness.ready === true && otherNumbers !== this.#state.otherNumbers) {
      return { ready: 'unknown', cause: 'another number was reported meanwhile' };
    }
    if (leavesOtherNumber(this.#state.current, readiness)) {
      return { ready: 'unknown', cause: 'the number is not named' };
    }
    // A payment is looked for as often as a number that cannot send.
    const isUnpaid = readiness.ready === true && readiness.unpaid === true;
    this.#rhythm.recordAnswer(readiness.ready !== 'unknown' && !isUnpaid);
    this.#notify(readiness);
    const evidence = { now: clock.now(), sendsFail: this.sends.areFailing };
    this.#transition(afterStatus(this.#state.current, readiness, evidence), readiness);
    return readiness;
  }

  #notify(readiness: Readiness): void {
    this.#listener.onReadiness(readiness);
    if (readiness.ready === true) this.#listener.onRestriction(readiness);
    if (readiness.ready === false && readiness.holdMs !== undefined) {
      this.#listener.onHold(readiness.holdMs);
    }
  }

  /** @param readiness null where a send changed the state */
  #transition(next: NetworkState, readiness: Readiness | null): void {
    const { hasReturned, isOfHold, isOfHealth } = this.#state.change(next, readiness);
    if (isOfHold) this.sends.clear();
    if (isOfHealth) this.schedule();
    if (hasReturned) this.#listener.onReady();
  }
}

/** Times of the probes: a network whose answers are known and good is asked less often. */
class ProbeRhythm {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #run: () => void;
  /** Of the last probe. The organization may know another state from an earlier owner. */
  #conclusive = false;
  /** Their number: a report of an earlier owner may arrive after the first of them. */
  #conclusiveProbes = 0;
  #cancel: (() => void) | null = null;
  #ended = false;

  constructor(clock: Pick<Clock, 'after'>, run: () => void) {
    this.#clock = clock;
    this.#run = run;
  }

  get hasEnded(): boolean {
    return this.#ended;
  }

  begin(): void {
    this.#conclusive = false;
  }

  recordAnswer(conclusive: boolean): void {
    this.#conclusive = conclusive;
    if (conclusive) this.#conclusiveProbes++;
  }

  arm(isHealthy: boolean): void {
    this.#cancel?.();
    if (this.#ended) return;
    const stable = isHealthy && this.#conclusive && this.#conclusiveProbes > 1;
    this.#cancel = this.#clock.after(stable ? PROBE_READY_MS : PROBE_NOT_READY_MS, this.#run);
  }

  end(): void {
    this.#ended = true;
    this.#cancel?.();
  }
}
