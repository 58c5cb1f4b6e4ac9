/**
 * Reader of one event stream, as an integrator's program: it connects, reads, stalls, acknowledges in
 * its manner, goes away and comes back. Once the world is healed it stays with its last connection.
 */
import type { StreamedEvent } from '../../../support/event-text.ts';
import type { StreamAcknowledgement, StreamOpening } from '../../checkers/streams-history.ts';
import type { Call } from '../world/processes.ts';
import type { SeededRandom } from '../world/seeded-random.ts';
import type { World } from '../world.ts';
import { Connection, type Ended } from './connection.ts';
import type { StreamPlan } from './plan.ts';

const TIMEOUT_MS = 12_000;
/** Of slow worlds: they last as much longer. */
const SLOWER = 8;
const STAYS_MS = 2_500;
const AWAY_MS = 500;
const LOOKS_EVERY_MS = 500;
const STALL_MS = { least: 500, most: 6_000, slowMost: 90_000 };

export interface ReaderParts {
  readonly world: World;
  readonly plan: StreamPlan;
  readonly streamId: string;
  readonly random: SeededRandom;
}

type Opened = Connection | 'refused' | 'unknown';

export class StreamReader {
  readonly plan: StreamPlan;
  readonly streamId: string;
  readonly connections: Connection[] = [];
  readonly openings: StreamOpening[] = [];
  readonly acknowledgements: StreamAcknowledgement[] = [];
  readonly #world: World;
  readonly #random: SeededRandom;
  /** Read and named in no result yet. */
  #untold: StreamedEvent[] = [];
  /** Ids that were acknowledged by a call. */
  readonly #named: string[] = [];
  #lastRead: StreamedEvent | null = null;
  #token: string;
  #isFinishing = false;
  #isGone = false;
  #calls = 0;

  constructor({ world, plan, streamId, random }: ReaderParts) {
    this.plan = plan;
    this.streamId = streamId;
    this.#world = world;
    this.#random = random;
    this.#token = plan.token;
  }

  /** Its last connection is not there yet, or a call of it is under way. */
  get isBusy(): boolean {
    return !this.#isGone && (this.#calls > 0 || !(this.#isFinishing && this.#isConnected));
  }

  get #isConnected(): boolean {
    return this.connections.at(-1)?.isLive === true && this.openings.at(-1)?.to !== Infinity;
  }

  start(): void {
    void this.#run();
  }

  /** From now on it stays connected, and acknowledges nothing more. */
  finish(): void {
    this.#isFinishing = true;
    for (const connection of this.connections) connection.goOn();
  }

  /** Its key was revoked, and there is another token; null: there is none. */
  renew(token: string | null): void {
    if (token === null) this.#isGone = true;
    else this.#token = token;
  }

  async #run(): Promise<void> {
    const { scheduler, slow } = this.#world;
    while (!this.#isGone) {
      const isLast = this.#isFinishing;
      const opened = await this.#connect();
      if (opened instanceof Connection) await (isLast ? opened.over : this.#stay(opened));
      await scheduler.pause(this.#random.around(slow && !isLast ? AWAY_MS * SLOWER : AWAY_MS));
    }
  }

  async #connect(): Promise<Opened> {
    const { scheduler, gateways, random } = this.#world;
    const up = gateways.filter(({ machine }) => !machine.dead);
    if (up.length === 0) return 'unknown';
    const gateway = random.pick(up);
    const lastEventId = this.#headerId();
    const openedAt = scheduler.now;
    if (lastEventId !== null) this.#acknowledges(lastEventId);
    const opening = { from: openedAt, to: Number.POSITIVE_INFINITY, connection: '' };
    this.openings.push(opening);
    const opened = gateway.open(this.#openCall(lastEventId));
    const given = await Promise.race([opened, scheduler.pause(TIMEOUT_MS)]);
    if (!given) {
      void opened.then(({ reply }) => reply?.stream?.end());
      return 'unknown';
    }
    const { requestId, reply } = given;
    if (!reply?.stream) return this.#refused(reply?.status ?? 0, opening);
    opening.to = scheduler.now;
    opening.connection = requestId;
    this.#count('opened');
    if (lastEventId !== null) this.#count('acknowledged by header');
    if (lastEventId?.startsWith('dlv_')) this.#count('acknowledged by a bare id');
    const { streamObserver: observer, streamPushes: pushes } = this.#world;
    const connection = new Connection(reply.stream, {
      ...{ scheduler, observer, pushes, gateway: gateway.machine, streamId: this.streamId },
      ...{ requestId, openedAt, lastEventId },
      onRead: (event) => this.#read(event),
      onPushed: () => this.#count('read by a push'),
    });
    this.connections.push(connection);
    void connection.over.then((ended) => this.#ended(ended));
    return connection;
  }

  #refused(status: number, opening: { to: number }): Opened {
    if (status < 400 || status >= 500) return 'unknown';
    if (status === 401) this.#count('reader refused');
    opening.to = this.#world.scheduler.now;
    return 'refused';
  }

  #openCall(lastEventId: string | null): Call {
    const { name, events } = this.plan;
    return {
      ...{ method: 'GET', path: `/api/v1/events?name=${name}&events=${events}` },
      key: this.#token,
      headers: lastEventId === null ? {} : { 'last-event-id': lastEventId },
    };
  }

  /** Null: none. */
  #headerId(): string | null {
    const { manner } = this.plan;
    const random = this.#random;
    if (!random.happens(manner === 'header' ? 0.9 : 0.2)) return null;
    // Now and then a script has lost the end of what it has read.
    const read = this.connections.flatMap((each) => each.read.filter(({ id }) => id !== null));
    const last = random.happens(0.2) && read.length > 0 ? random.pick(read) : this.#lastRead;
    return last && this.#idOf(last);
  }

  #idOf({ id, place }: StreamedEvent): string {
    return (this.#random.happens(0.15) ? id : place) ?? '';
  }

  #read(event: StreamedEvent): void {
    const { trace } = this.#world;
    trace.record(this.plan.ref, `reads ${event.place ?? ''} ${event.event}`);
    if (event.event === 'overflow') this.#count('told of an overflow');
    if (event.id === null) return;
    this.#lastRead = event;
    this.#untold.push(event);
  }

  #ended(ended: Ended): void {
    this.#world.trace.record(this.plan.ref, `is not connected any more: ${ended}`);
    this.#count(`connection ${ended}`);
  }

  async #stay(first: Connection): Promise<void> {
    const { scheduler, slow } = this.#world;
    const random = this.#random;
    const times = slow ? SLOWER : 1;
    const until = scheduler.now + random.around(STAYS_MS * times);
    let current = first;
    if (random.happens(0.25)) this.#stall(current);
    while (scheduler.now < until && current.isLive && !this.#isFinishing) {
      const lookAt = scheduler.pause(random.around(LOOKS_EVERY_MS * times));
      await Promise.race([current.over, lookAt]);
      await this.#acknowledge();
      if (!random.happens(0.06) || this.#isFinishing) continue;
      const newer = await this.#connect();
      if (newer instanceof Connection) current = newer;
    }
    for (const each of this.connections) {
      const seenAfterMs = random.happens(0.3) ? random.around(2_000) : 1;
      // An older one is left to be replaced.
      if (each.isLive && (each === current || this.#isFinishing)) each.leave(seenAfterMs);
    }
  }

  #stall(connection: Connection): void {
    const { least, most, slowMost } = STALL_MS;
    connection.stall(this.#random.between(least, this.#world.slow ? slowMost : most));
    this.#count('reader stalled');
  }

  async #acknowledge(): Promise<void> {
    const random = this.#random;
    const [old] = this.#named.length > 1 ? [random.pick(this.#named.slice(0, -1))] : [];
    if (old !== undefined && random.happens(0.1)) return this.#name(old, 'an old id again');
    const { manner } = this.plan;
    if (manner === 'results') return this.#tellResults();
    if (!random.happens(manner === 'call' ? 0.7 : 0.05) || !this.#lastRead) return;
    const id = this.#idOf(this.#lastRead);
    if (this.#named.at(-1) !== id) await this.#name(id, 'a call');
  }

  async #name(id: string, how: string): Promise<void> {
    this.#acknowledges(id);
    if (!(await this.#post({ id }))) return;
    this.#count(`acknowledged by ${how}`);
    if (id.startsWith('dlv_')) this.#count('acknowledged by a bare id');
    this.#named.push(id);
  }

  async #tellResults(): Promise<void> {
    const random = this.#random;
    const read = this.#untold.filter(() => random.happens(0.8));
    if (read.length === 0) return;
    const results = read.map((event) => ({
      id: this.#idOf(event),
      status: random.happens(0.7) ? 200 : random.pick([500, null]),
      ms: 1,
    }));
    const taken = new Set(results.flatMap(({ id, status }) => (status === 200 ? [id] : [])));
    const ids = read.flatMap(({ id, place }) =>
      taken.has(id ?? '') || taken.has(place ?? '') ? [id ?? ''] : [],
    );
    this.acknowledgements.push({ sentAt: this.#world.scheduler.now, ids });
    if (!(await this.#post({ results }))) return;
    this.#count('acknowledged by results');
    this.#untold = this.#untold.filter((each) => !read.includes(each));
  }

  async #post(body: Readonly<Record<string, unknown>>): Promise<boolean> {
    this.#calls += 1;
    const replied = await this.#world.call({
      ...{ method: 'POST', path: '/api/v1/events/ack', key: this.#token },
      body: { name: this.plan.name, ...body },
    });
    this.#calls -= 1;
    const said = `${JSON.stringify(body)}: ${replied?.status ?? 'no answer'}`;
    this.#world.trace.record(this.plan.ref, `acknowledges ${said}`);
    return replied?.status === 200;
  }

  /** A bare id stands for the first position under which it was written. */
  #acknowledges(id: string): void {
    const sentAt = this.#world.scheduler.now;
    const positions = this.connections
      .flatMap(({ written }) => written.filter((each) => each.id === id))
      .map(({ position }) => position);
    const upTo = id.startsWith('dlv_') ? Math.min(...positions) : Number.parseInt(id, 10);
    this.acknowledgements.push({ sentAt, upTo });
  }

  #count(what: string): void {
    this.#world.coverage.count(`stream ${what}`);
  }
}
