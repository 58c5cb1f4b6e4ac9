/**
 * One world from its seed: processes, record, bus, networks, subscribers, and what befalls them.
 * What is asked of it and what must be true of it are other files' (`clients`, `checkers`).
 */

import type { NetworkEvent } from '../../shared/network.ts';
import type { Store, Write, WriteOutcome } from '../../shared/ports.ts';
import { Coverage } from './coverage.ts';
import { Database } from './memory/database.ts';
import { createSimulatedRegistry, type SyncRegistry } from './memory/registry.ts';
import { MediaShelf } from './outside/media-shelf.ts';
import { MessagingNetwork, type NetworkAddress } from './outside/messaging-network.ts';
import { PostBox } from './outside/post-box.ts';
import { Subscribers } from './outside/subscribers.ts';
import { EPOCH_MS, type Machine } from './world/machine.ts';
import { PostOffice } from './world/post-office.ts';
import {
  type ActorsProcess,
  type Call,
  type GatewayProcess,
  type Replied,
  type Surroundings,
  startActors,
  startGatewayProcess,
} from './world/processes.ts';
import { RecordWay } from './world/record.ts';
import { RecordNotes } from './world/record-notes.ts';
import { Scheduler } from './world/scheduler.ts';
import { Seeded } from './world/seeded.ts';
import { isSlow } from './world/slow-time.ts';
import { Story } from './world/story.ts';
import { Weather } from './world/weather.ts';
import { WindowNotes } from './world/window-notes.ts';

const ACTORS = 3;
const GATEWAYS = 2;
const PATIENCE_MS = 12_000;

const unwatched = (store: Store): Store => store;

export interface Applied {
  readonly machine: string;
  readonly at: number;
  readonly write: Write;
  readonly outcome: WriteOutcome;
}

export interface TownOptions {
  /** Keeps the lines of its story. */
  readonly told?: boolean;
  /** Says of errors where they came from. */
  readonly stacks?: boolean;
  readonly database?: Database;
  /** Sees what the actors ask of the record. */
  readonly watch?: (store: Store) => Store;
}

export class Town {
  readonly seed: number;
  readonly chance: Seeded;
  readonly scheduler = new Scheduler();
  readonly coverage = new Coverage();
  readonly database: Database;
  readonly story: Story;
  readonly weather: Weather;
  readonly office: PostOffice;
  readonly way: RecordWay;
  readonly registry: SyncRegistry;
  readonly network: MessagingNetwork;
  readonly subscribers: Subscribers;
  readonly shelf: MediaShelf;
  readonly postBox = new PostBox();
  readonly windows = new WindowNotes(() => this.scheduler.now);
  readonly records: RecordNotes;
  /** Five minutes of bursts and pauses. */
  readonly slow: boolean;
  readonly bugs: string[] = [];
  knownChannels: readonly string[] = [];
  knownBridges: readonly string[] = [];
  organizationPartition = '';
  /** Every insert into a log that took effect, in order. */
  readonly appended: Applied[] = [];
  readonly actors: ActorsProcess[] = [];
  readonly gateways: GatewayProcess[] = [];
  readonly #around: Surroundings;
  #lives = 0;
  /** Set when the town is quiet enough for processes to be killed at their calls. */
  killsAtCalls = false;
  /** For the nemesis, which strikes just after an entry has been appended. */
  onAppended: (machine: string) => void = () => undefined;
  /** For clients who act just when a process has lost its lease. */
  onLeaseLost: () => void = () => undefined;

  constructor(seed: number, options: TownOptions = {}) {
    const { told = false, database = new Database(), watch = unwatched } = options;
    this.seed = seed;
    this.slow = isSlow(seed);
    this.database = database;
    this.records = new RecordNotes(database);
    this.chance = new Seeded(seed);
    this.story = new Story(this.scheduler, told);
    this.weather = new Weather(this.chance.branch(), this.coverage);
    this.office = new PostOffice(this.scheduler, this.weather);
    this.way = new RecordWay({
      scheduler: this.scheduler,
      weather: this.weather,
      database: this.database,
      atPortCall: (machine) => this.#mayDieAtCall(machine),
      onBegun: (writes) => this.windows.begin(writes),
      onApplied: (machine, write, outcome) => this.#onApplied(machine, write, outcome),
    });
    this.registry = this.#watched(createSimulatedRegistry(() => EPOCH_MS + this.scheduler.now));
    this.network = new MessagingNetwork({
      scheduler: this.scheduler,
      weather: this.weather,
      story: this.story,
      deliver: (channel, events) => this.#deliver(channel, events),
    });
    this.shelf = new MediaShelf(this.weather, this.way);
    this.subscribers = new Subscribers(this.scheduler, this.weather, this.story);
    this.#around = {
      scheduler: this.scheduler,
      weather: this.weather,
      story: this.story,
      coverage: this.coverage,
      office: this.office,
      way: this.way,
      registry: this.registry,
      network: this.network,
      subscribers: this.subscribers,
      shelf: this.shelf,
      postBox: this.postBox,
      windows: this.windows,
      watch,
      naming: this.chance.branch(),
      placesConversations: seed % 2 === 0,
      onLeaseLost: () => this.onLeaseLost(),
      onBug: (what) => this.bugs.push(what),
    };
    for (let place = 0; place < ACTORS; place++) this.startActors(place);
    for (let place = 0; place < GATEWAYS; place++) this.startGateway(place);
  }

  startActors(place: number): void {
    this.actors[place] = startActors(`actors${place}.${++this.#lives}`, this.#skew(), this.#around);
  }

  startGateway(place: number): void {
    const name = `gateway${place}.${++this.#lives}`;
    this.gateways[place] = startGatewayProcess(name, this.#skew(), this.#around);
  }

  /** The ids of the channels that clients use. */
  channels(): readonly string[] {
    return this.knownChannels;
  }

  /** The ids of the channels on the bridge. */
  bridges(): readonly string[] {
    return this.knownBridges;
  }

  /** As by `kill -9`; whoever supervises it starts another after a while. */
  killActors(place: number, awayMs: number): void {
    const process = this.actors[place];
    if (!process || process.machine.dead) return;
    if (this.way.underWay(process.machine) > 0) {
      this.coverage.count('happening take-over during a commit');
    }
    this.story.tell(process.machine.name, 'is killed');
    process.machine.kill();
    this.windows.upset();
    // A supervisor that sees it die says so; a machine that burns down does not.
    if (this.chance.happens(0.5)) this.registry.markDead(process.machine.name);
    this.scheduler.after(awayMs, () => this.startActors(place));
  }

  killGateway(place: number, awayMs: number): void {
    const process = this.gateways[place];
    if (!process || process.machine.dead) return;
    this.story.tell(process.machine.name, 'is killed');
    process.machine.kill();
    this.scheduler.after(awayMs, () => this.startGateway(place));
  }

  pauseActors(place: number, ms: number): void {
    const machine = this.actors[place]?.machine;
    if (!machine?.up) return;
    this.story.tell(machine.name, `stands still for ${Math.round(ms)} ms`);
    machine.stop();
    this.windows.upset(ms);
    this.scheduler.after(ms, () => machine.goOn());
  }

  /** A call of a client at some gateway; null when no answer came in time. */
  async call(call: Call): Promise<Replied | null> {
    const up = this.gateways.filter(({ machine }) => !machine.dead);
    if (up.length === 0) return null;
    const { promise, resolve } = Promise.withResolvers<null>();
    const cancel = this.scheduler.after(PATIENCE_MS, () => resolve(null));
    const gateway = this.chance.pick(up);
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
    if (!this.weather.has('clock-skew')) return 0;
    this.weather.struck('clock-skew');
    return Math.round(this.chance.between(-2_000, 2_000));
  }

  /** At a call under a key: its repeat then comes late, and finds no answer. */
  #mayDieAnswering(gateway: GatewayProcess): void {
    if (!this.killsAtCalls || !this.weather.strikes('gateway-killed', 0.4)) return;
    this.scheduler.after(this.weather.chance.around(20), () => {
      const place = this.gateways.indexOf(gateway);
      if (place >= 0) this.killGateway(place, 1_000);
    });
  }

  #mayDieAtCall(machine: Machine): void {
    if (!this.killsAtCalls || !this.weather.strikes('killed-at-port-call', 0.004)) return;
    const place = this.actors.findIndex((process) => process.machine === machine);
    if (place >= 0) this.killActors(place, 200 + this.chance.around(1_500));
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

  #onApplied(machine: Machine, write: Write, outcome: WriteOutcome): void {
    if (outcome.ok) this.windows.tookEffect(write);
    if (outcome.ok) this.records.note(write);
    if (!('insert' in write) || write.insert !== 'entries' || !outcome.ok) return;
    this.appended.push({ machine: machine.name, at: this.scheduler.now, write, outcome });
    this.onAppended(machine.name);
    const { conversationId, seq } = write.document;
    this.story.tell(
      'record',
      `${String(conversationId).slice(-6)} ${String(seq)} by ${machine.name}`,
    );
  }
}
