/**
 * One client's connection to a member of the replica set, and the connection behind it that leads
 * to the engine. Where one of the two ends, the other does; but a write that the member has taken
 * is there whether its client is or not.
 */
import { connect, type Socket } from 'node:net';
import {
  answeredId,
  bodyOf,
  commandIn,
  framed,
  idOf,
  numbered,
  type WireCommand,
  withCommand,
  withoutExhaust,
} from '../mongo-wire.ts';
import { HELLO } from './codes.ts';

export type Upstream = { readonly port: number } | { readonly path: string };

export interface Taken {
  readonly message: Buffer;
  readonly command: WireCommand;
}

/** What the set makes of a connection's messages. */
export interface Member {
  /** Of `hello`: changes whenever the set does. */
  version(): number;
  greeting(answer: Buffer): Buffer;
  /** Null: there is no answer, and will be none. */
  answer(connection: Connection, taken: Taken): Promise<Buffer | null>;
}

export class Connection {
  readonly #member: Member;
  readonly #client: Socket;
  readonly #engine: Socket;
  readonly #asked = new Map<number, (answer: Buffer | null) => void>();
  readonly #over = Promise.withResolvers<void>();
  #held = 0;
  #wake: (() => void) | null = null;

  constructor(member: Member, client: Socket, upstream: Upstream) {
    this.#member = member;
    this.#client = client;
    this.#engine =
      'path' in upstream ? connect(upstream.path) : connect(upstream.port, '127.0.0.1');
    for (const socket of [client, this.#engine]) {
      socket.setNoDelay();
      socket.on('error', () => undefined);
    }
    client.on('close', () => this.#clientGone());
    this.#engine.on('close', () => this.#engineGone());
    client.on(
      'data',
      framed((message) => void this.#take(message)),
    );
    this.#engine.on(
      'data',
      framed((message) => {
        const id = answeredId(message);
        this.#asked.get(id)?.(message);
        this.#asked.delete(id);
      }),
    );
  }

  /** As it answers. Null: its connection ended first. */
  askEngine(message: Buffer): Promise<Buffer | null> {
    if (this.#engine.destroyed) return Promise.resolve(null);
    const { promise, resolve } = Promise.withResolvers<Buffer | null>();
    this.#asked.set(idOf(message), resolve);
    this.#engine.write(message);
    return promise;
  }

  /** Keeps the way to the engine open while `work` lasts, for a client who may have gone. */
  async hold<T>(work: Promise<T>): Promise<T> {
    this.#held++;
    try {
      return await work;
    } finally {
      this.#held--;
      if (this.#client.destroyed) this.#clientGone();
    }
  }

  /** A monitor that waits is told at once that the set has changed. */
  wake(): void {
    this.#wake?.();
  }

  /** Both ends are closed. */
  get ended(): Promise<void> {
    return this.#over.promise;
  }

  end(): void {
    this.#client.destroy();
    this.#engine.destroy();
  }

  cut(): void {
    this.#client.resetAndDestroy();
  }

  async #take(message: Buffer): Promise<void> {
    const command = commandIn(message);
    if (command === null || !command.isAnswered) return void this.#engine.write(message);
    const taken = { message, command };
    if (HELLO.test(command.name)) return await this.#greet(taken);
    this.#say(await this.#member.answer(this, taken), idOf(message));
  }

  #say(answer: Buffer | null, to: number): void {
    if (answer !== null && !this.#client.destroyed) this.#client.write(numbered(answer, to, false));
  }

  /** A monitor waits for a change, and of an exhaust command for the next one. */
  async #greet({ message, command }: Taken): Promise<void> {
    const { maxAwaitTimeMS, topologyVersion } = bodyOf(command);
    const known = Number(Reflect.get(Object(topologyVersion), 'counter'));
    if (maxAwaitTimeMS === undefined) return await this.#greetOnce(message, idOf(message));
    const single = withCommand(withoutExhaust(message), (body) => {
      const { maxAwaitTimeMS: _ms, topologyVersion: _version, ...plain } = body;
      return plain;
    });
    for (let [seen, to] = [known, idOf(message)]; !this.#client.destroyed; ) {
      if (this.#member.version() === seen) await this.#untilChanged(Number(maxAwaitTimeMS));
      const answer = await this.askEngine(single);
      if (answer === null || this.#client.destroyed) return;
      seen = this.#member.version();
      const greeting = numbered(this.#member.greeting(answer), to, command.isExhaust);
      this.#client.write(greeting);
      if (!command.isExhaust) return;
      to = idOf(greeting);
    }
  }

  async #greetOnce(message: Buffer, to: number): Promise<void> {
    const answer = await this.askEngine(message);
    this.#say(answer && this.#member.greeting(answer), to);
  }

  async #untilChanged(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.#wake = resolve;
    await promise;
    clearTimeout(timer);
    this.#wake = null;
  }

  #clientGone(): void {
    this.wake();
    if (this.#held === 0) this.#engine.destroy();
  }

  #engineGone(): void {
    this.#client.destroy();
    for (const resolve of this.#asked.values()) resolve(null);
    this.#asked.clear();
    this.#over.resolve();
  }
}
