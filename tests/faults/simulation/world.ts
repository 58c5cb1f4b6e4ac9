/**
 * One world from its seed: processes, record, bus, networks, subscribers, and their faults. Its
 * calls and its checks are in other files (`clients`, `checkers`).
 */

import type { NetworkEvent } from '../../../shared/ports/network-event.ts';
import type { WriteOutcome } from '../../../shared/ports/store.ts';
import type { Store, Write } from '../../support/plain-store.ts';
import type { Decision, Mark } from '../checkers/history.ts';
import { isBusy } from './busy-shops.ts';
import { Coverage } from './coverage.ts';
import { Database } from './memory/database.ts';
import { createSimulatedRegistry, type SyncRegistry } from './memory/registry.ts';
import { MessagingNetwork, type NetworkAddress } from './outside/messaging-network.ts';
import { SimulatedMailer } from './outside/simulated-mailer.ts';
import { SimulatedMedia } from './outside/simulated-media.ts';
import { Subscribers } from './outside/subscribers.ts';
import { hasStreams, waitingMaxOf } from './streams/plan.ts';
import { hasClockJumps } from './world/clock-jumps.ts';
import { DatabaseLink } from './world/database-link.ts';
import { ExecutionTrace } from './world/execution-trace.ts';
import { FaultInjector } from './world/fault-injector.ts';
import { FieldHistory } from './world/field-history.ts';
import { EPOCH_MS, type Machine } from './world/machine.ts';
import {
  type ActorsProcess,
  type Call,
  type GatewayProcess,
  type Replied,
  type SharedParts,
  startActors,
  startGatewayProcess,
} from './world/processes.ts';
import { QueueObserver } from './world/queue-observer.ts';
import { RateWindowObserver } from './world/rate-window-observer.ts';
import { Scheduler } from './world/scheduler.ts';
import { SeededRandom } from './world/seeded-random.ts';
import { SimulatedBus } from './world/simulated-bus.ts';
import { isSlow } from './world/slow-time.ts';
import { StreamObserver } from './world/stream-observer.ts';
import { StreamPushes } from './world/stream-pushes.ts';
import { TemplateHistory } from './world/template-history.ts';

const ACTORS = 3;
const WEIGHTS = [1, 1, 3];
const GATEWAYS = 2;
const TIMEOUT_MS = 12_000;

const unwatched = (store: Store): Store => store;

export interface Applied {
  readonly machine: string;
  readonly at: number;
  readonly write: Write;
  readonly outcome: WriteOutcome;
  /** The latest that the machine may have read when it decided, epoch milliseconds. */
  readonly wallClock: number;
  readonly decided: Decision;
}

export interface WorldOptions {
  /** Keeps the lines of its story. */
  readonly traced?: boolean;
  /** Says of errors where they came from. */
  readonly stacks?: boolean;
  readonly database?: Database;
  /** Sees what the actors ask of the record. */
  readonly watch?: (store: Store) => Store;
}

export class World {
  readonly seed: number;
  readonly random: SeededRandom;
  readonly scheduler = new Scheduler();
  readonly coverage = new Coverage();
  readonly database: Database;
  readonly trace: ExecutionTrace;
  readonly faults: FaultInjector;
  readonly bus: SimulatedBus;
  readonly databaseLink: DatabaseLink;
  readonly registry: SyncRegistry;
  readonly network: MessagingNetwork;
  readonly subscribers: Subscribers;
  readonly media: SimulatedMedia;
  readonly mailer = new SimulatedMailer();
  readonly windows = new RateWindowObserver(() => this.scheduler.now);
  readonly queues: QueueObserver;
  readonly records: FieldHistory;
  readonly streamPushes: StreamPushes;
  readonly streamObserver: StreamObserver;
  readonly templates: TemplateHistory;
  /** Five minutes of bursts and pauses. */
  readonly slow: boolean;
  readonly bugs: string[] = [];
  /** When a wall clock first jumped. */
  clocksJumpedAt: number | undefined = undefined;
  knownChannels: readonly string[] = [];
  knownBridges: readonly string[] = [];
  organizationPartition = '';
  /** Every insert into a log that took effect, in order. */
  readonly appended: Applied[] = [];
  readonly marks: Mark[] = [];
  readonly actors: ActorsProcess[] = [];
  readonly gateways: GatewayProcess[] = [];
  readonly #shared: SharedParts;
  #lives = 0;
  readonly #begun = new WeakMap<Write, number>();
  /** Set when the world is quiet enough for processes to be killed at their calls. */
  killsAtCalls = false;
  /** For the nemesis, which strikes just after an entry has been appended. */
  onAppended: (machine: string) => void = () => undefined;
  /** For clients who act just when a process has lost its lease. */
  onLeaseLost: () => void = () => undefined;

  constructor(seed: number, options: WorldOptions = {}) {
    const { traced = false, database = new Database(), watch = unwatched } = options;
    this.seed = seed;
    this.slow = isSlow(seed);
    this.database = database;
    this.records = new FieldHistory(database);
    this.streamObserver = new StreamObserver(this.scheduler, database, hasStreams(seed));
    this.templates = new TemplateHistory(database);
    this.random = new SeededRandom(seed);
    this.trace = new ExecutionTrace(this.scheduler, traced);
    this.faults = new FaultInjector(this.random.branch(), this.coverage);
    this.bus = new SimulatedBus(this.scheduler, this.faults);
    this.queues = new QueueObserver(() => this.scheduler.now, isBusy(seed));
    this.bus.onOwned = (by, partition) => this.queues.owned(by, partition);
    this.bus.onNudged = (by, payload) => this.queues.nudged(by, payload);
    this.streamPushes = new StreamPushes(this.scheduler, this.bus);
    this.databaseLink = new DatabaseLink({
      scheduler: this.scheduler,
      faults: this.faults,
      database: this.database,
      atPortCall: (machine) => this.#mayDieAtCall(machine),
      onBegun: (writes) => this.#onBegun(writes),
      onApplied: (machine, write, outcome) => this.#onApplied(machine, write, outcome),
    });
    this.registry = this.#watched(createSimulatedRegistry(() => EPOCH_MS + this.scheduler.now));
    this.network = new MessagingNetwork({
      scheduler: this.scheduler,
      faults: this.faults,
      trace: this.trace,
      hasClockJumps: hasClockJumps(seed),
      deliver: (channel, events) => this.#deliver(channel, events),
    });
    this.media = new SimulatedMedia(this.faults, this.databaseLink);
    this.subscribers = new Subscribers(this.scheduler, this.faults, this.trace);
    this.#shared = {
      scheduler: this.scheduler,
      faults: this.faults,
      trace: this.trace,
      coverage: this.coverage,
      simulatedBus: this.bus,
      databaseLink: this.databaseLink,
      registry: this.registry,
      network: this.network,
      subscribers: this.subscribers,
      media: this.media,
      mailer: this.mailer,
      windows: this.windows,
      queues: this.queues,
      ...{ streamPushes: this.streamPushes, streamObserver: this.streamObserver },
      streamWaitingMax: waitingMaxOf(seed),
      watch,
      naming: this.random.branch(),
      conversationsApart: seed % 2 !== 0,
      onLeaseLost: () => this.onLeaseLost(),
      onBug: (what) => this.bugs.push(what),
    };
    for (let place = 0; place < ACTORS; place++) this.startActors(place);
    for (let place = 0; place < GATEWAYS; place++) this.startGateway(place);
  }

  startActors(place: number): void {
    const name = `actors${place}.${++this.#lives}`;
    const weight = WEIGHTS[place] ?? 1;
    this.actors[place] = startActors({ name, weight }, this.#skew(), this.#shared);
  }

  startGateway(place: number): void {
    const name = `gateway${place}.${++this.#lives}`;
    this.gateways[place] = startGatewayProcess(name, this.#skew(), this.#shared);
  }

  /** The ids of the channels that clients use. */
  channels(): readonly string[] {
    return this.knownChannels;
  }

  /** The ids of the channels on the bridge. */
  bridges(): readonly string[] {
    return this.knownBridges;
  }

  /** As by `kill -9`; its supervisor starts another after a while. */
  killActors(place: number, awayMs: number): void {
    const process = this.actors[place];
    if (!process || process.machine.dead) return;
    if (this.databaseLink.underWay(process.machine) > 0) {
      this.coverage.count('happening take-over during a commit');
    }
    this.trace.record(process.machine.name, 'is killed');
    process.machine.kill();
    this.windows.disrupt();
    // A supervisor that sees it die says so; a machine that burns down does not.
    if (this.random.happens(0.5)) this.registry.markDead(process.machine.name);
    this.scheduler.after(awayMs, () => this.startActors(place));
  }

  killGateway(place: number, awayMs: number): void {
    const process = this.gateways[place];
    if (!process || process.machine.dead) return;
    this.trace.record(process.machine.name, 'is killed');
    process.machine.kill();
    this.scheduler.after(awayMs, () => this.startGateway(place));
  }

  pauseActors(place: number, ms: number): void {
    const machine = this.actors[place]?.machine;
    if (!machine?.up) return;
    this.trace.record(machine.name, `stands still for ${Math.round(ms)} ms`);
    machine.stop();
    this.windows.disrupt(ms);
    this.scheduler.after(ms, () => machine.goOn());
  }

  /** A call of a client at some gateway; null when no answer came in time. */
  async call(call: Call): Promise<Replied | null> {
    const up = this.gateways.filter(({ machine }) => !machine.dead);
    if (up.length === 0) return null;
    const { promise, resolve } = Promise.withResolvers<null>();
    const cancel = this.scheduler.after(TIMEOUT_MS, () => resolve(null));
    const gateway = this.random.pick(up);
    if (this.slow && call.headers) this.#mayDieAnswering(gateway);
    const replied = await Promise.race([gateway.call(call), promise]);
    cancel();
    return replied;
  }

  async #deliver(channel: NetworkAddress, events: readonly NetworkEvent[]): Promise<boolean> {
    const path = `/networks/${channel.provider}/${channel.id}`;
    const replied = await this.call({ method: 'POST', path, key: null, body: events });
    return replied?.status === 200;
  }

  #skew(): number {
    if (!this.faults.isEnabled('clock-skew')) return 0;
    this.faults.injected('clock-skew');
    return Math.round(this.random.between(-2_000, 2_000));
  }

  /** At a call under a key: its repeat then comes late, and finds no answer. */
  #mayDieAnswering(gateway: GatewayProcess): void {
    if (!this.killsAtCalls || !this.faults.injects('gateway-killed', 0.4)) return;
    this.scheduler.after(this.faults.random.around(20), () => {
      const place = this.gateways.indexOf(gateway);
      if (place >= 0) this.killGateway(place, 1_000);
    });
  }

  #mayDieAtCall(machine: Machine): void {
    if (!this.killsAtCalls || !this.faults.injects('killed-at-port-call', 0.004)) return;
    const place = this.actors.findIndex((process) => process.machine === machine);
    if (place >= 0) this.killActors(place, 200 + this.random.around(1_500));
  }

  /** Sees who takes the organization over. */
  #watched(registry: SyncRegistry): SyncRegistry {
    let owner: string | null = null;
    const claim: SyncRegistry['claim'] = (rows, id) => {
      const claimed = registry.claim(rows, id);
      if (id !== owner && claimed.some(({ name }) => name === this.organizationPartition)) {
        owner = id;
        this.windows.takenAt.push(this.scheduler.now);
      }
      return claimed;
    };
    return { ...registry, claim };
  }

  #onBegun(writes: readonly Write[]): void {
    this.windows.begin(writes);
    this.streamObserver.begin(writes);
    for (const write of writes) {
      if (!this.#begun.has(write)) this.#begun.set(write, this.scheduler.now);
    }
  }

  #onApplied(machine: Machine, write: Write, outcome: WriteOutcome): void {
    if (outcome.ok) this.windows.tookEffect(write);
    if (outcome.ok) this.records.record(write);
    if (outcome.ok) this.queues.tookEffect(write, this.database);
    if (outcome.ok) this.streamObserver.tookEffect(write);
    if (outcome.ok) this.templates.record(write, this.scheduler.now);
    const marked = outcome.ok ? markedBy(write) : null;
    if (marked !== null) this.marks.push({ ...marked, at: this.scheduler.now });
    if (!('insert' in write) || write.insert !== 'entries' || !outcome.ok) return;
    const wallClock = machine.latestRead();
    const begunAt = this.#begun.get(write) ?? this.scheduler.now;
    const decided = { begunAt, earliest: machine.earliestRead(begunAt) };
    this.appended.push({
      machine: machine.name,
      at: this.scheduler.now,
      write,
      outcome,
      ...{ wallClock, decided },
    });
    this.onAppended(machine.name);
    const { conversationId, seq } = Object(write.document);
    this.trace.record(
      'record',
      `${String(conversationId).slice(-6)} ${String(seq)} by ${machine.name}`,
    );
  }
}

/** The message that the write marks as `sending`; null for other writes. */
function markedBy(write: Write): Omit<Mark, 'at'> | null {
  if ('insert' in write) {
    const { state, epoch, since } = Object(Object(write.document).send);
    return state === 'sending'
      ? { messageId: write.document._id, epoch, since, isInsert: true }
      : null;
  }
  if (!('update' in write)) return null;
  const { $set } = Object(write.change);
  const { 'send.state': state, 'send.epoch': epoch, 'send.since': since } = Object($set);
  return state === 'sending' ? { messageId: String(write.filter._id), epoch, since } : null;
}
