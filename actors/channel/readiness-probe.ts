/**
 * Readiness probe of a channel: asks the network periodically, and at once when there is a reason.
 * It reports to the organization in the order of its findings. The rules are in
 * `domain/network-readiness`.
 *
 * 1. The next probe is always armed until the sender closes. A probe that fails, or finds no
 *    configuration, arms it too.
 * 2. Each probe rereads the configuration while the queue continues. A change whose notice was lost
 *    takes effect within a minute.
 * 3. Results of probes and sends under other settings than the present ones do not count.
 */
import { LOG_EVENT } from '../../shared/log-events.ts';
import type { SendOutcome } from '../../shared/ports/network.ts';
import type { Readiness, Restriction } from '../../shared/ports/network-event.ts';
import {
  afterFailure,
  afterStatement,
  afterStatus,
  afterSuccess,
  initialState,
  isHealthy,
  maySend,
  type NetworkState,
  NOTHING_KNOWN,
  type ReadinessReport,
  reportOf,
  SENDS_FAIL_FOR_MS,
  TROUBLE_REPORTED_AFTER_MS,
} from '../domain/network-readiness.ts';
import type { ChannelEntry } from '../domain/organization.ts';
import { describe } from '../runtime/describe-fault.ts';
import type { CachedConfiguration, ChannelEnvironment } from './configuration.ts';
import { FailingSends } from './number-breaker.ts';

const PROBE_READY_MS = 60_000;
const PROBE_NOT_READY_MS = 10_000;

interface ProbedChannel {
  readonly channelId: string;
  readonly environment: ChannelEnvironment;
  readonly configuration: CachedConfiguration;
  readonly closed: () => boolean;
}

interface ReadinessListener {
  /** Reports to the organization. */
  readonly report: (report: ReadinessReport) => Promise<void>;
  /** The channel can send again. */
  readonly onReady: () => void;
  /** The configuration was read, and may have changed. */
  readonly onConfigured: () => void;
  /** The network reported whether it restricts the number. */
  readonly onRestriction: (restriction: Restriction | null) => void;
  /** The network demands this wait of the whole account, whatever a probe finds. */
  readonly onHold: (ms: number) => void;
}

export class ReadinessProbe {
  /** Called with every statement of the network, also an unchanged one. */
  onReadiness: (readiness: Readiness) => void = () => undefined;
  readonly #channel: ProbedChannel;
  readonly #listener: ReadinessListener;
  readonly #failing = new FailingSends();
  #state: NetworkState = NOTHING_KNOWN;
  #adopted = false;
  /** The state that the organization knows, as far as this owner knows. */
  #reported = '';
  /** Of the last probe. The organization may know another state from an earlier owner. */
  #conclusive = false;
  /** Their number: a report of an earlier owner may arrive after the first of them. */
  #conclusiveProbes = 0;
  #cancelProbe: (() => void) | null = null;
  #cancelEvaluation: (() => void) | null = null;
  #reports: Promise<void> = Promise.resolve();

  constructor(channel: ProbedChannel, listener: ReadinessListener) {
    this.#channel = channel;
    this.#listener = listener;
  }

  /** False while the network itself states that the number cannot send. */
  get maySend(): boolean {
    return maySend(this.#state);
  }

  /** The readiness to report to the organization. */
  get known(): ReadinessReport {
    return reportOf(this.#state, this.#channel.environment.clock.now());
  }

  /** Adopts the channel's record; other settings than before reset the state. */
  adopt(entry: ChannelEntry | null): void {
    if (!entry || (this.#adopted && entry.networkRevision === this.#state.revision)) return;
    this.#adopted = true;
    this.#failing.clear();
    this.#state = initialState(entry);
    this.#reported = JSON.stringify(this.known);
  }

  /** Asks the network whether it is ready, and arms the next probe. */
  async probe(): Promise<Readiness> {
    // Armed before anything can fail, and again on every exit.
    this.schedule();
    this.#conclusive = false;
    try {
      return await this.#ask();
    } finally {
      this.schedule();
    }
  }

  /** Arms the next probe, in the place of one that is armed. */
  schedule(): void {
    this.#cancelProbe?.();
    if (this.#channel.closed()) return;
    const stable = isHealthy(this.#state) && this.#conclusive && this.#conclusiveProbes > 1;
    const waitMs = stable ? PROBE_READY_MS : PROBE_NOT_READY_MS;
    const { clock } = this.#channel.environment;
    this.#cancelProbe = clock.after(waitMs, () => void this.probeAndReport());
  }

  async probeAndReport(): Promise<void> {
    try {
      const { ready } = await this.probe();
      // The probe found nothing new, and another owner may have reported more since.
      if (ready === 'unknown' && this.#channel.configuration.cached) await this.#reportIfChanged();
      else await this.report();
    } catch (fault) {
      this.#warn(fault, 'readiness probe failed');
    }
  }

  /** Probes under a configuration that may be new; null where nothing new is known. */
  async probeChanged(): Promise<ReadinessReport | null> {
    const { ready } = await this.probe();
    const isChanged = ready !== 'unknown' || !this.#state.answered;
    return isChanged && this.#channel.configuration.cached ? this.known : null;
  }

  async #ask(): Promise<Readiness> {
    // The notice of a change may have been lost.
    const configuration = await this.#channel.configuration.reload();
    if (!configuration || this.#channel.closed()) {
      return { ready: 'unknown', cause: 'no configuration' };
    }
    this.#listener.onConfigured();
    const { network, entry } = configuration;
    const driver = this.#channel.environment.networks.driver(network.provider);
    const readiness = await driver.status(network);
    if (entry.networkRevision !== this.#state.revision) return readiness;
    this.#conclusive = readiness.ready !== 'unknown';
    if (this.#conclusive) this.#conclusiveProbes++;
    this.#notify(readiness);
    const sendsFail = this.#failing.oldest() !== null;
    const now = this.#channel.environment.clock.now();
    this.#transition(afterStatus(this.#state, readiness, { now, sendsFail }), readiness);
    return readiness;
  }

  /** Reports the known readiness to the organization, in the order of the findings. */
  report(): Promise<void> {
    const { known } = this;
    this.#reported = JSON.stringify(known);
    this.#reports = this.#reports.then(async () => {
      try {
        await this.#listener.report(known);
      } catch (fault) {
        this.#reported = '';
        this.#warn(fault, 'could not report the readiness');
      }
    });
    return this.#reports;
  }

  /** Applies a statement of the network about the number, other than the answer to a probe. */
  learn(readiness: Readiness): void {
    this.#notify(readiness);
    if (readiness.ready === 'unknown') return;
    this.#transition(afterStatement(this.#state, readiness), readiness);
    // A network that sends statements may still not answer requests.
    if (readiness.ready && !isHealthy(this.#state)) void this.probeAndReport();
  }

  /** The network states that the whole channel cannot send until an operator repairs it. */
  blockChannel(reason: string): void {
    this.learn({ ready: false, reason });
    void this.report();
  }

  /** Applies the outcome of a send at the network, under the settings of that revision. */
  recordSend(conversationId: string, revision: number, outcome: SendOutcome): void {
    if (revision !== this.#state.revision) return;
    if (outcome.outcome === 'accepted') return this.#succeeded();
    const fault = 'fault' in outcome ? outcome.fault : undefined;
    if (fault === undefined) {
      // The number is throttled: none of its sends is due.
      if (outcome.outcome === 'later' && outcome.scope !== 'pair') this.#failing.clear();
      else this.#failing.ended(conversationId);
      return;
    }
    this.#failing.failed(conversationId, fault, this.#channel.environment.clock.now());
    this.#evaluateFailing();
  }

  /** The conversation's send is not due any more, or another message is. */
  sendEnded(conversationId: string): void {
    this.#failing.ended(conversationId);
  }

  end(): void {
    this.#cancelProbe?.();
    this.#cancelEvaluation?.();
  }

  #succeeded(): void {
    this.#failing.clear();
    const { answered, unreachableReason, trouble } = this.#state;
    if (answered && unreachableReason === null && trouble === null) return;
    this.#transition(afterSuccess(this.#state), null);
    void this.#reportIfChanged();
  }

  /** Evaluates the oldest failing send: now, and at its next time limit. */
  #evaluateFailing(): void {
    this.#cancelEvaluation?.();
    const failing = this.#failing.oldest();
    if (failing === null || this.#channel.closed()) return;
    const { clock } = this.#channel.environment;
    const now = clock.now();
    this.#transition(afterFailure(this.#state, { ...failing, now }), null);
    void this.#reportIfChanged();
    const limits = [TROUBLE_REPORTED_AFTER_MS, SENDS_FAIL_FOR_MS];
    const next = limits.map((ms) => failing.since + ms - now).find((ms) => ms > 0);
    if (next === undefined) return;
    this.#cancelEvaluation = clock.after(next, () => this.#evaluateFailing());
  }

  #notify(readiness: Readiness): void {
    this.onReadiness(readiness);
    if (readiness.ready === true && readiness.restriction !== undefined) {
      this.#listener.onRestriction(readiness.restriction);
    }
    if (readiness.ready === false && readiness.holdMs !== undefined) {
      this.#listener.onHold(readiness.holdMs);
    }
  }

  /** @param readiness null where a send changed the state */
  #transition(next: NetworkState, readiness: Readiness | null): void {
    const before = this.#state;
    this.#state = next;
    this.#logChange(before, readiness);
    const wasHeld = !maySend(before) || before.unreachableReason !== null;
    const isHeld = !maySend(next) || next.unreachableReason !== null;
    if (wasHeld !== isHeld) this.#failing.clear();
    if (isHealthy(before) !== isHealthy(next)) this.schedule();
    const hasReturned = maySend(next) && !maySend(before);
    const answersAgain = isHealthy(next) && !isHealthy(before) && (readiness !== null || wasHeld);
    if (hasReturned || answersAgain) this.#listener.onReady();
  }

  /** Logs once when the network stops answering, and once when it answers again. */
  #logChange(before: NetworkState, readiness: Readiness | null): void {
    const failed = (state: NetworkState) =>
      state.unreachableReason ?? state.trouble?.reason ?? null;
    const [was, is] = [failed(before), failed(this.#state)];
    if ((was === null) === (is === null)) return;
    const { channelId, environment } = this.#channel;
    const cause = readiness?.ready === 'unknown' ? { cause: readiness.cause } : {};
    if (is === null) environment.log.info({ channelId }, LOG_EVENT.networkAnswers);
    else environment.log.warn({ channelId, reason: is, ...cause }, LOG_EVENT.networkSilent);
  }

  #reportIfChanged(): Promise<void> {
    return JSON.stringify(this.known) === this.#reported ? Promise.resolve() : this.report();
  }

  #warn(fault: unknown, message: string): void {
    const { channelId, environment } = this.#channel;
    environment.log.warn({ channelId, error: describe(fault) }, message);
  }
}
