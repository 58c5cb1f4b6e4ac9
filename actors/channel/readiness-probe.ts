/**
 * Readiness probe of a channel: its network is asked from time to time, and at once when there is
 * reason to, and the organization is told of it in the order in which it was learnt. The rules are
 * `domain/network-readiness`.
 *
 * 1. Until the desk is closed the next probe is always armed: a probe that fails, or finds no
 *    configuration, arms it as one that succeeds does.
 * 2. Each probe reads the configuration anew, and the queue goes on under it: a change of which the
 *    channel was never told takes hold within a minute.
 * 3. Probes and sends under other settings than the present ones tell nothing.
 */
import { LOG_EVENT } from '../../shared/log-events.ts';
import type { Readiness, Restriction, SendOutcome } from '../../shared/ports/network.ts';
import {
  afterFailure,
  afterStatement,
  afterStatus,
  afterSuccess,
  initialState,
  isHealthy,
  maySend,
  type NetworkState,
  type ReadinessReport,
  reportOf,
  revisionOf,
  SENDS_FAIL_FOR_MS,
  TROUBLE_REPORTED_AFTER_MS,
} from '../domain/network-readiness.ts';
import type { ChannelEntry } from '../domain/organization/state.ts';
import { describe } from '../runtime/mailbox.ts';
import type { CachedConfiguration, ChannelEnvironment } from './configuration.ts';
import { FailingSends } from './failing-sends.ts';

const PROBE_READY_MS = 60_000;
const PROBE_NOT_READY_MS = 10_000;

interface ProbedChannel {
  readonly channelId: string;
  readonly environment: ChannelEnvironment;
  readonly configuration: CachedConfiguration;
  readonly closed: () => boolean;
}

interface ReadinessListener {
  /** Tells the organization. */
  readonly report: (report: ReadinessReport) => Promise<void>;
  /** It can send again. */
  readonly onReady: () => void;
  /** The configuration was read; it may be another one. */
  readonly onConfigured: () => void;
  /** The network told whether it restricts the number. */
  readonly onRestriction: (restriction: Restriction | null) => void;
  /** The network wants the whole account to wait for so long, whatever a probe says. */
  readonly onHold: (ms: number) => void;
}

/** One send as it ended at the network. */
interface EndedSend {
  readonly conversationId: string;
  /** Of the settings under which it was sent. */
  readonly revision: number;
  readonly outcome: SendOutcome;
}

export class ReadinessProbe {
  /** Called with whatever the network says, also where it says nothing new. */
  onReadiness: (readiness: Readiness) => void = () => undefined;
  readonly #channel: ProbedChannel;
  readonly #listener: ReadinessListener;
  readonly #failing = new FailingSends();
  #state: NetworkState = initialState({});
  #adopted = false;
  /** The state that the organization knows, as far as this owner does. */
  #reported = '';
  /** The last look has told. The organization may know otherwise from an owner before. */
  #conclusive = false;
  /** Looks that have told: what an owner before has said may be heard after the first of them. */
  #conclusiveProbes = 0;
  #cancelProbe: (() => void) | null = null;
  #cancelEvaluation: (() => void) | null = null;
  #reports: Promise<void> = Promise.resolve();

  constructor(channel: ProbedChannel, listener: ReadinessListener) {
    this.#channel = channel;
    this.#listener = listener;
  }

  /** The network says nothing against it. */
  get maySend(): boolean {
    return maySend(this.#state);
  }

  /** As the organization is to know it. */
  get known(): ReadinessReport {
    return reportOf(this.#state, this.#channel.environment.clock.now());
  }

  /** The record of the channel; other settings than before begin anew. */
  adopt(entry: ChannelEntry | null): void {
    if (!entry || (this.#adopted && revisionOf(entry) === this.#state.revision)) return;
    this.#adopted = true;
    this.#failing.clear();
    this.#state = initialState(entry);
    this.#reported = JSON.stringify(this.known);
  }

  /** Asks the network whether it is ready, and goes on asking from time to time. */
  async probe(): Promise<Readiness> {
    // Armed before anything can fail, and once more on every exit.
    this.#scheduleProbe();
    this.#conclusive = false;
    try {
      return await this.#ask();
    } finally {
      this.#scheduleProbe();
    }
  }

  /** The first probe comes in time, unless there is one before. */
  begin(): void {
    this.#scheduleProbe();
  }

  async probeAndReport(): Promise<void> {
    try {
      const { ready } = await this.probe();
      // Nothing new, and another owner may have told more since.
      if (ready === 'unknown' && this.#channel.configuration.cached) await this.#reportIfChanged();
      else await this.report();
    } catch (fault) {
      this.#warn(fault, 'readiness probe failed');
    }
  }

  /** Asks it under a configuration that may be new; null where that brings no news. */
  async probeChanged(): Promise<ReadinessReport | null> {
    const { ready } = await this.probe();
    const isChanged = ready !== 'unknown' || !this.#state.answered;
    return isChanged && this.#channel.configuration.cached ? this.known : null;
  }

  async #ask(): Promise<Readiness> {
    // Nobody may have been able to tell of a change.
    const configuration = await this.#channel.configuration.reload();
    if (!configuration || this.#channel.closed())
      return { ready: 'unknown', cause: 'no configuration' };
    this.#listener.onConfigured();
    const { network, entry } = configuration;
    const driver = this.#channel.environment.networks.driver(network.provider);
    const readiness = await driver.status(network);
    if (revisionOf(entry) !== this.#state.revision) return readiness;
    this.#conclusive = readiness.ready !== 'unknown';
    if (this.#conclusive) this.#conclusiveProbes++;
    this.#notify(readiness);
    const sendsFail = this.#failing.oldest() !== null;
    const now = this.#channel.environment.clock.now();
    this.#transition(afterStatus(this.#state, readiness, { now, sendsFail }), readiness);
    return readiness;
  }

  /** Tells the organization what is known of the network; in the order in which it was learnt. */
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

  /** The network's own word on the number, beside the answers to what it is asked. */
  learn(readiness: Readiness): void {
    this.#notify(readiness);
    if (readiness.ready === 'unknown') return;
    this.#transition(afterStatement(this.#state, readiness), readiness);
    // That it speaks is no proof that it hears.
    if (readiness.ready && !isHealthy(this.#state)) void this.probeAndReport();
  }

  /** The network says that the whole channel cannot send until somebody mends it. */
  blockChannel(reason: string): void {
    this.learn({ ready: false, reason });
    void this.report();
  }

  /** The outcome of a send at the network. */
  recordSend({ conversationId, revision, outcome }: EndedSend): void {
    if (revision !== this.#state.revision) return;
    if (outcome.outcome === 'accepted') return this.#succeeded();
    const fault = 'fault' in outcome ? outcome.fault : undefined;
    if (fault === undefined) {
      // A throttle of the number: nothing of it is due.
      if (outcome.outcome === 'later' && outcome.scope !== 'pair') this.#failing.clear();
      else this.#failing.ended(conversationId);
      return;
    }
    this.#failing.failed(conversationId, fault, this.#channel.environment.clock.now());
    this.#evaluateFailing();
  }

  /** Of the conversation nothing is due any more, or another message. */
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

  /** Judges the oldest send that fails: now, and when its time is up. */
  #evaluateFailing(): void {
    this.#cancelEvaluation?.();
    const failing = this.#failing.oldest();
    if (failing === null || this.#channel.closed()) return;
    const { clock } = this.#channel.environment;
    const now = clock.now();
    this.#transition(afterFailure(this.#state, { ...failing, now }), null);
    void this.#reportIfChanged();
    const left = [TROUBLE_REPORTED_AFTER_MS, SENDS_FAIL_FOR_MS].map(
      (ms) => failing.since + ms - now,
    );
    const next = left.find((ms) => ms > 0);
    if (next !== undefined)
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

  /** @param readiness null where a send told */
  #transition(next: NetworkState, readiness: Readiness | null): void {
    const before = this.#state;
    this.#state = next;
    this.#logChange(before, readiness);
    const wasHeld = !maySend(before) || before.unreachableReason !== null;
    const isHeld = !maySend(next) || next.unreachableReason !== null;
    if (wasHeld !== isHeld) this.#failing.clear();
    if (isHealthy(before) !== isHealthy(next)) this.#scheduleProbe();
    const hasReturned = maySend(next) && !maySend(before);
    const answersAgain = isHealthy(next) && !isHealthy(before) && (readiness !== null || wasHeld);
    if (hasReturned || answersAgain) this.#listener.onReady();
  }

  /** Once when it stops answering, once when it answers again. */
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

  #scheduleProbe(): void {
    this.#cancelProbe?.();
    if (this.#channel.closed()) return;
    const stable = isHealthy(this.#state) && this.#conclusive && this.#conclusiveProbes > 1;
    const waitMs = stable ? PROBE_READY_MS : PROBE_NOT_READY_MS;
    this.#cancelProbe = this.#channel.environment.clock.after(
      waitMs,
      () => void this.probeAndReport(),
    );
  }

  #warn(fault: unknown, message: string): void {
    const { channelId, environment } = this.#channel;
    environment.log.warn({ channelId, error: describe(fault) }, message);
  }
}
