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
import type { Readiness, Restriction, SendOutcome } from '../../shared/network.ts';
import {
  afterFailure,
  afterStatus,
  afterSuccess,
  afterWord,
  beginFrom,
  isOpen,
  isWell,
  type NetworkState,
  revisionOf,
  SENDS_FAIL_FOR_MS,
  type ToldReadiness,
  TROUBLE_TOLD_AFTER_MS,
  toldOf,
} from '../domain/network-readiness.ts';
import type { ChannelEntry } from '../domain/organization-state.ts';
import { describe } from '../runtime/mailbox.ts';
import type { DeskWorld, KnownConfiguration } from './configuration.ts';
import { FailingSends } from './failing-sends.ts';

const PROBE_READY_MS = 60_000;
const PROBE_NOT_READY_MS = 10_000;

interface Watched {
  readonly channelId: string;
  readonly world: DeskWorld;
  readonly configuration: KnownConfiguration;
  readonly closed: () => boolean;
}

interface Told {
  /** Tells the organization. */
  readonly report: (told: ToldReadiness) => Promise<void>;
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

export class ReadinessWatch {
  /** Called with whatever the network says, also where it says nothing new. */
  onHeard: (readiness: Readiness) => void = () => undefined;
  readonly #desk: Watched;
  readonly #told: Told;
  readonly #failing = new FailingSends();
  #state: NetworkState = beginFrom({});
  #adopted = false;
  /** The state that the organization knows, as far as this owner does. */
  #reported = '';
  /** The last look has told. The organization may know otherwise from an owner before. */
  #sure = false;
  /** Looks that have told: what an owner before has said may be heard after the first of them. */
  #answers = 0;
  #cancelProbe: (() => void) | null = null;
  #cancelReckoning: (() => void) | null = null;
  #reports: Promise<void> = Promise.resolve();

  constructor(desk: Watched, told: Told) {
    this.#desk = desk;
    this.#told = told;
  }

  /** The network says nothing against it. */
  get maySend(): boolean {
    return isOpen(this.#state);
  }

  /** As the organization is to know it. */
  get known(): ToldReadiness {
    return toldOf(this.#state, this.#desk.world.clock.now());
  }

  /** The record of the channel; other settings than before begin anew. */
  adopt(entry: ChannelEntry | null): void {
    if (!entry || (this.#adopted && revisionOf(entry) === this.#state.revision)) return;
    this.#adopted = true;
    this.#failing.clear();
    this.#state = beginFrom(entry);
    this.#reported = JSON.stringify(this.known);
  }

  /** Asks the network whether it is ready, and goes on asking from time to time. */
  async look(): Promise<Readiness> {
    // Armed before anything can fail, and once more on every exit.
    this.#probeLater();
    this.#sure = false;
    try {
      return await this.#ask();
    } finally {
      this.#probeLater();
    }
  }

  /** The first probe comes in time, unless there is one before. */
  begin(): void {
    this.#probeLater();
  }

  async lookAndReport(): Promise<void> {
    try {
      const { ready } = await this.look();
      // Nothing new, and another owner may have told more since.
      if (ready === 'unknown' && this.#desk.configuration.known) await this.#reportNews();
      else await this.report();
    } catch (fault) {
      this.#warn(fault, 'readiness probe failed');
    }
  }

  /** Asks it under a configuration that may be new; null where that brings no news. */
  async lookAnew(): Promise<ToldReadiness | null> {
    const { ready } = await this.look();
    const isNews = ready !== 'unknown' || !this.#state.answered;
    return isNews && this.#desk.configuration.known ? this.known : null;
  }

  async #ask(): Promise<Readiness> {
    // Nobody may have been able to tell of a change.
    const configuration = await this.#desk.configuration.reload();
    if (!configuration || this.#desk.closed())
      return { ready: 'unknown', cause: 'no configuration' };
    this.#told.onConfigured();
    const { network, entry } = configuration;
    const driver = this.#desk.world.networks.driver(network.provider);
    const said = await driver.status(network);
    if (revisionOf(entry) !== this.#state.revision) return said;
    this.#sure = said.ready !== 'unknown';
    if (this.#sure) this.#answers++;
    this.#hear(said);
    const sendsFail = this.#failing.oldest() !== null;
    const now = this.#desk.world.clock.now();
    this.#become(afterStatus(this.#state, said, { now, sendsFail }), said);
    return said;
  }

  /** Tells the organization what is known of the network; in the order in which it was learnt. */
  report(): Promise<void> {
    const { known } = this;
    this.#reported = JSON.stringify(known);
    this.#reports = this.#reports.then(async () => {
      try {
        await this.#told.report(known);
      } catch (fault) {
        this.#reported = '';
        this.#warn(fault, 'could not report the readiness');
      }
    });
    return this.#reports;
  }

  /** The network's own word on the number, beside the answers to what it is asked. */
  learn(readiness: Readiness): void {
    this.#hear(readiness);
    if (readiness.ready === 'unknown') return;
    this.#become(afterWord(this.#state, readiness), readiness);
    // That it speaks is no proof that it hears.
    if (readiness.ready && !isWell(this.#state)) void this.lookAndReport();
  }

  /** The network says that the whole channel cannot send until somebody mends it. */
  refuseAll(reason: string): void {
    this.learn({ ready: false, reason });
    void this.report();
  }

  /** The outcome of a send at the network. */
  sent({ conversationId, revision, outcome }: EndedSend): void {
    if (revision !== this.#state.revision) return;
    if (outcome.outcome === 'accepted') return this.#succeeded();
    const fault = 'fault' in outcome ? outcome.fault : undefined;
    if (fault === undefined) {
      // A throttle of the number: nothing of it is due.
      if (outcome.outcome === 'later' && outcome.scope !== 'pair') this.#failing.clear();
      else this.#failing.ended(conversationId);
      return;
    }
    this.#failing.failed(conversationId, fault, this.#desk.world.clock.now());
    this.#reckon();
  }

  /** Of the conversation nothing is due any more, or another message. */
  sendEnded(conversationId: string): void {
    this.#failing.ended(conversationId);
  }

  end(): void {
    this.#cancelProbe?.();
    this.#cancelReckoning?.();
  }

  #succeeded(): void {
    this.#failing.clear();
    const { answered, silent, trouble } = this.#state;
    if (answered && silent === null && trouble === null) return;
    this.#become(afterSuccess(this.#state), null);
    void this.#reportNews();
  }

  /** Judges the oldest send that fails: now, and when its time is up. */
  #reckon(): void {
    this.#cancelReckoning?.();
    const failing = this.#failing.oldest();
    if (failing === null || this.#desk.closed()) return;
    const { clock } = this.#desk.world;
    const now = clock.now();
    this.#become(afterFailure(this.#state, { ...failing, now }), null);
    void this.#reportNews();
    const left = [TROUBLE_TOLD_AFTER_MS, SENDS_FAIL_FOR_MS].map((ms) => failing.since + ms - now);
    const next = left.find((ms) => ms > 0);
    if (next !== undefined) this.#cancelReckoning = clock.after(next, () => this.#reckon());
  }

  #hear(readiness: Readiness): void {
    this.onHeard(readiness);
    if (readiness.ready === true && readiness.restriction !== undefined) {
      this.#told.onRestriction(readiness.restriction);
    }
    if (readiness.ready === false && readiness.holdMs !== undefined) {
      this.#told.onHold(readiness.holdMs);
    }
  }

  /** @param said null where a send told */
  #become(next: NetworkState, said: Readiness | null): void {
    const before = this.#state;
    this.#state = next;
    this.#logChange(before, said);
    const wasHeld = !isOpen(before) || before.silent !== null;
    const isHeld = !isOpen(next) || next.silent !== null;
    if (wasHeld !== isHeld) this.#failing.clear();
    if (isWell(before) !== isWell(next)) this.#probeLater();
    const hasReturned = isOpen(next) && !isOpen(before);
    const answersAgain = isWell(next) && !isWell(before) && (said !== null || wasHeld);
    if (hasReturned || answersAgain) this.#told.onReady();
  }

  /** Once when it stops answering, once when it answers again. */
  #logChange(before: NetworkState, said: Readiness | null): void {
    const failed = (state: NetworkState) => state.silent ?? state.trouble?.reason ?? null;
    const [was, is] = [failed(before), failed(this.#state)];
    if ((was === null) === (is === null)) return;
    const { channelId, world } = this.#desk;
    const cause = said?.ready === 'unknown' ? { cause: said.cause } : {};
    if (is === null) world.log.info({ channelId }, LOG_EVENT.networkAnswers);
    else world.log.warn({ channelId, reason: is, ...cause }, LOG_EVENT.networkSilent);
  }

  #reportNews(): Promise<void> {
    return JSON.stringify(this.known) === this.#reported ? Promise.resolve() : this.report();
  }

  #probeLater(): void {
    this.#cancelProbe?.();
    if (this.#desk.closed()) return;
    const settled = isWell(this.#state) && this.#sure && this.#answers > 1;
    const waitMs = settled ? PROBE_READY_MS : PROBE_NOT_READY_MS;
    this.#cancelProbe = this.#desk.world.clock.after(waitMs, () => void this.lookAndReport());
  }

  #warn(fault: unknown, message: string): void {
    const { channelId, world } = this.#desk;
    world.log.warn({ channelId, error: describe(fault) }, message);
  }
}
