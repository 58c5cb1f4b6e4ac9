/**
 * The sender of one channel: takes queued messages to the network in order and at the channel's
 * pace, and knows whether the network is ready. The partition's owner has the only one.
 *
 * 1. Per conversation, messages are handed over in `seq` order, one at a time (I2).
 * 2. Nothing is sent unless `sending`, with its epoch and attempt, is journaled first; of two
 *    owners only one can mark an attempt.
 * 3. A send whose answer was lost waits for a status that carries our id, or is looked for, and is
 *    sent again only when neither tells of it (I29).
 * 4. One conversation that has to wait holds up no other; a number in trouble is tried with one
 *    message at a time (`number-health`), and so is a restricted one with first contacts.
 */
import type { Restriction } from '../../shared/network.ts';
import type { ToldReadiness } from '../domain/network-readiness.ts';
import type { Pace } from '../domain/organization-state.ts';
import { describe } from '../runtime/mailbox.ts';
import { Backlog } from './backlog.ts';
import { type ChannelConfiguration, type DeskWorld, KnownConfiguration } from './configuration.ts';
import { EarlyReceipts } from './early-receipts.ts';
import { FirstContacts } from './first-contacts.ts';
import { handOn } from './hand-over.ts';
import { HandingOver } from './handing-over.ts';
import { applyJudgement } from './judgement.ts';
import { type Lane, Lanes } from './lanes.ts';
import { NumberHealth } from './number-health.ts';
import { OneByOne } from './one-by-one.ts';
import { PacedNumber, type PaceNow, roundOf } from './paced-number.ts';
import { noPeople, type People } from './person.ts';
import { ReadinessWatch } from './readiness-watch.ts';
import type { DeskReports } from './reports.ts';
import { claimedByInsert, type Reservation, type SentEntry } from './reservation.ts';
import { type Judge, type RoundDesk, STORE_RETRY_MS } from './round.ts';
import type { Seen } from './seen.ts';
import { sendRound } from './send-round.ts';
import { SentIndex } from './sent-index.ts';
import { Uploads } from './uploads.ts';
import { WakeTimer } from './wake-timer.ts';

const IN_FLIGHT_MAX = 128;
const REST_STEP_MS = 10;
/** Under a backlog, rounds of several messages at once cost less than one message at a time. */
const MIN_WAKE_MS = 50;

export class Desk implements RoundDesk {
  readonly channelId: string;
  readonly epoch: number;
  readonly beganAt: number;
  readonly world: DeskWorld;
  readonly lanes: Lanes;
  readonly backlog: Backlog;
  readonly sent: SentIndex;
  readonly people: People;
  readonly early: EarlyReceipts;
  readonly oneByOne = new OneByOne();
  readonly uploads: Uploads;
  readonly inDoubt = new Set<string>();
  readonly handing = new HandingOver();
  readonly readiness: ReadinessWatch;
  readonly firstContacts: FirstContacts;
  /** Called when there is room again for what the store holds. */
  onHungry: () => void = () => undefined;
  /** Called when messages whose media is still to be fetched have been recorded. */
  onMedia: () => void = () => undefined;
  /** Called when a webhook's events are committed. */
  onTaken: () => void = () => undefined;
  readonly #health = new NumberHealth();
  readonly #paced = new PacedNumber();
  readonly #configuration: KnownConfiguration;
  readonly #wake: WakeTimer;
  #inFlight = 0;
  #beingInserted = 0;
  #pumping = false;
  #pumpAgain = false;
  #closed = false;
  #resting = false;

  constructor(
    channel: { readonly id: string; readonly epoch: number; readonly seen?: Seen },
    world: DeskWorld,
    reports: DeskReports,
  ) {
    const { id: channelId } = channel;
    this.channelId = channelId;
    this.lanes = new Lanes(channel.seen?.settled);
    this.backlog = new Backlog(this.lanes);
    this.sent = new SentIndex(channel.id, channel.seen?.sent);
    this.people = channel.seen?.people ?? noPeople();
    this.epoch = channel.epoch;
    this.world = world;
    this.beganAt = world.clock.now();
    this.#wake = new WakeTimer(world.clock, () => this.pump());
    this.early = new EarlyReceipts(channel.id, world);
    this.uploads = new Uploads(channel.id, world);
    const onFree = () => this.pump();
    const tell = reports.restriction;
    this.firstContacts = new FirstContacts({ world, lanes: this.lanes, tell, onFree });
    this.#configuration = new KnownConfiguration(world, channel.id, (read) => {
      this.firstContacts.adopt(read?.entry.restriction ?? null);
      this.readiness.adopt(read?.entry ?? null);
    });
    this.readiness = new ReadinessWatch(
      { channelId, world, configuration: this.#configuration, closed: () => this.#closed },
      {
        report: reports.readiness,
        onReady: () => this.#tryNow(),
        onHold: (ms) => this.#health.keepUntil(world.clock.monotonic() + ms),
        onConfigured: () => this.pump(),
        onRestriction: (restriction) => this.firstContacts.confirm(restriction),
      },
    );
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Not known to be configured, and nothing waits here or is under way. */
  get isNobodys(): boolean {
    const { known, loading } = this.#configuration;
    return !known && !loading && this.lanes.size === 0 && this.#inFlight === 0;
  }

  /** It has enough in hand; or something, and may send none of it now. */
  get wantsNone(): boolean {
    const enabled = this.#configuration.known?.entry.enabled === true;
    const waitsForNumber = this.#health.notBefore > this.world.clock.monotonic();
    const mayGo = this.readiness.maySend && enabled && !waitsForNumber;
    return this.backlog.hasEnough || (this.lanes.size > 0 && !mayGo);
  }

  configuration(): Promise<ChannelConfiguration | null> {
    return this.#configuration.current();
  }

  /** The operator changed something: read it again and look at the network. Null: no news. */
  reconfigure(): Promise<ToldReadiness | null> {
    this.#configuration.known = null;
    this.firstContacts.forget();
    this.#health.startAnew();
    this.#tryNow();
    return this.readiness.lookAnew();
  }

  /** Null: the network restricts nothing. Resolves when the organization knows. */
  learnRestriction(restriction: Restriction | null): Promise<void> {
    this.firstContacts.learn(restriction);
    return this.firstContacts.reported;
  }

  /** The contact wrote: what was held back as a first contact may go. */
  contactWrote(conversationId: string): void {
    if (this.lanes.wakeOf(conversationId)) this.pump();
  }

  /** Takes up what may go now; called whenever something may have changed. */
  pump(): void {
    this.#pumpAgain = this.#pumping;
    if (this.#pumping || this.#closed || this.lanes.size === 0) return;
    this.#pumping = true;
    this.#pumpRounds()
      .catch((fault: unknown) => {
        this.#warn(fault, 'could not go through the queue');
        this.#wake.wakeIn(STORE_RETRY_MS);
      })
      .finally(() => {
        this.#pumping = false;
        if (this.#pumpAgain) this.pump();
      });
  }

  /** Claims a message that is about to be recorded; null: it is queued, and its turn comes. */
  reserve(entry: SentEntry): Reservation | null {
    const configuration = this.#configuration.known;
    if (!configuration || !this.#mayAct(configuration)) return null;
    if (!this.firstContacts.mayGo(entry)) return null;
    const { pace } = configuration.entry;
    const now = this.world.clock.monotonic();
    const { conversationId, _id: entryId, seq } = entry;
    if (!this.#isNext(entry, { pace, now })) return null;
    if (!this.#paced.spendOne(conversationId, { pace, now })) return null;
    this.#inFlight++;
    this.#beingInserted++;
    const lane = this.lanes.reserve({ conversationId, entryId, seq });
    const claimed = claimedByInsert(this, configuration, entry);
    const sending = { configuration, judge: this.#judge, lane, entry: claimed, send: claimed.send };
    const settle = (inserted: boolean): void => {
      this.#beingInserted--;
      if (inserted) handOn(this, sending);
      else this.#release(lane);
    };
    return { entry: claimed, settle };
  }

  /** The network has judged a message by another way than the answer to its send. */
  settle(conversationId: string, entryId: string): void {
    this.inDoubt.delete(entryId);
    this.lanes.settle(conversationId, entryId);
    this.readiness.sendEnded(conversationId);
    this.firstContacts.putBack(entryId);
  }

  /** Takes up nothing more; resolves when what is under way is judged, at the latest after `ms`. */
  async rest(ms: number): Promise<void> {
    this.#resting = true;
    const { clock } = this.world;
    const until = clock.monotonic() + ms;
    while (this.#inFlight > 0 && clock.monotonic() < until) {
      await new Promise<void>((resume) => clock.after(REST_STEP_MS, resume));
    }
  }

  close(): void {
    this.#closed = true;
    this.#wake.end();
    this.readiness.end();
  }

  async #pumpRounds(): Promise<void> {
    for (;;) {
      this.#pumpAgain = false;
      const configuration = await this.configuration();
      if (!configuration || !this.#mayAct(configuration)) return;
      const { pace } = configuration.entry;
      const now = this.world.clock.monotonic();
      const paced = this.#paced.room(pace, now);
      const round = roundOf(pace, this.lanes.size);
      if (paced < round) return this.#wake.wakeIn(this.#paced.waitMs(pace, round));
      const room = Math.min(
        paced,
        IN_FLIGHT_MAX - this.#inFlight,
        this.#health.room(this.#inFlight, now),
      );
      const taken = room === 0 ? [] : this.lanes.take(room, now);
      const within = this.#paced.withinPair(taken, { pace, now }, (lane, waitMs) =>
        this.lanes.wait(lane, now + waitMs),
      );
      if (taken.length === 0) return this.#wakeLater(pace);
      if (within.length === 0) continue;
      this.#paced.spend(within.length);
      this.#inFlight += within.length;
      await sendRound(this, { configuration, taken: within, judge: this.#judge });
    }
  }

  #mayAct(configuration: ChannelConfiguration): boolean {
    return (
      !(this.#closed || this.#resting) &&
      this.world.leaseHeld() &&
      configuration.entry.enabled &&
      this.readiness.maySend
    );
  }

  /** Nothing has to go before it, and it need not wait for the number. */
  #isNext({ conversationId, send }: SentEntry, { pace, now }: PaceNow): boolean {
    // What a slow store holds back goes at one moment: no more of it than a round.
    return (
      this.#beingInserted < roundOf(pace, this.#beingInserted + 1) &&
      this.backlog.hasAll &&
      this.lanes.isFree(conversationId, now) &&
      this.lanes.isSettled(conversationId, send.previousSeq) &&
      this.#inFlight < IN_FLIGHT_MAX &&
      this.#health.room(this.#inFlight, now) > 0
    );
  }

  /** Nothing was handed over. If it is there all the same, it is told of or found (agenda). */
  #release(lane: Lane): void {
    this.#inFlight--;
    this.lanes.release(lane);
    this.pump();
  }

  readonly #judge: Judge = (lane, how) => {
    this.#inFlight--;
    const { lanes, backlog, firstContacts, readiness, onHungry } = this;
    const parts = { lanes, backlog, firstContacts, readiness, onHungry };
    const now = this.world.clock.monotonic();
    applyJudgement({ ...parts, health: this.#health, paced: this.#paced }, { lane, how, now });
    this.pump();
  };

  #tryNow(): void {
    this.#health.tryNow();
    this.lanes.wakeHeldByNumber();
    this.pump();
  }

  #wakeLater(pace: Pace): void {
    const now = this.world.clock.monotonic();
    const next = this.lanes.nextAt();
    if (next === null) return;
    const until = Math.max(next, this.#health.notBefore) - now;
    this.#wake.wakeIn(Math.max(until, this.#paced.waitMs(pace), MIN_WAKE_MS));
  }

  #warn(fault: unknown, message: string): void {
    this.world.log.warn({ channelId: this.channelId, error: describe(fault) }, message);
  }
}
