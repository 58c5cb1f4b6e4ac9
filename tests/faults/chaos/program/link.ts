/**
 * A TCP link between two parts that can be spoiled: all bytes from one to the other pass through
 * here.
 * 1. Bytes keep their order and none is lost while both ends are there.
 * 2. A caller that hangs up while the link is stopped loses its bytes under way. As on a network,
 *    nothing is delivered for a caller who has given up.
 * 3. Healing releases all bytes that were held back.
 */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

export type LinkFault =
  | { readonly kind: 'delay'; readonly ms: number; readonly jitterMs: number }
  /** Nothing passes, in either direction. */
  | { readonly kind: 'stall' }
  /** Requests arrive, answers do not. */
  | { readonly kind: 'mute' }
  /** Requests do not arrive, unsolicited messages of the server do. */
  | { readonly kind: 'deaf' }
  /** Connections break, and no new one is made. */
  | { readonly kind: 'cut' }
  /** The connecting side is told that the other has finished, which is not so. */
  | { readonly kind: 'half-close' };

export type Upstream = { readonly port: number } | { readonly path: string };

export interface LinkOptions {
  readonly name: string;
  readonly upstream: Upstream;
  /** 0…1, for the jitter. */
  readonly unit: () => number;
  /** 0 or absent: a free one. */
  readonly port?: number;
}

const LOOPBACK = '127.0.0.1';

/** One direction of one connection. */
class LinkDirection {
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #link: Link;
  readonly #answers: boolean;
  /** Null marks the end. */
  #held: { readonly chunk: Buffer | null; readonly dueAt: number }[] = [];
  #lastDueAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(link: Link, from: Socket, { to, answers }: { to: Socket; answers: boolean }) {
    this.#link = link;
    this.#from = from;
    this.#to = to;
    this.#answers = answers;
    from.on('data', (chunk) => this.#hold(chunk));
    from.on('end', () => this.#hold(null));
    from.on('error', () => this.#over());
    from.on('close', (broken) => {
      if (broken || this.#link.stops(this.#answers)) this.#over();
    });
  }

  flow(): void {
    clearTimeout(this.#timer);
    while (!this.#link.stops(this.#answers)) {
      const [first] = this.#held;
      if (first === undefined) return;
      const waitMs = first.dueAt - performance.now();
      if (waitMs > 0) {
        this.#timer = setTimeout(() => this.flow(), waitMs);
        return;
      }
      this.#held.shift();
      if (this.#to.destroyed) continue;
      if (first.chunk === null) this.#to.end();
      else this.#to.write(first.chunk);
    }
  }

  #hold(chunk: Buffer | null): void {
    if (chunk === null && this.#link.stops(this.#answers)) return this.#over();
    this.#lastDueAt = Math.max(this.#lastDueAt, performance.now() + this.#link.delayMs());
    this.#held.push({ chunk, dueAt: this.#lastDueAt });
    this.flow();
  }

  #over(): void {
    clearTimeout(this.#timer);
    this.#held = [];
    this.#to.destroy();
    this.#from.destroy();
  }
}

interface Connection {
  readonly client: Socket;
  readonly server: Socket;
  readonly directions: readonly LinkDirection[];
}

export class Link {
  readonly name: string;
  readonly #options: LinkOptions;
  readonly #listener: Server;
  readonly #connections = new Set<Connection>();
  #fault: LinkFault | null = null;
  #port = 0;

  private constructor(options: LinkOptions) {
    this.name = options.name;
    this.#options = options;
    this.#listener = createServer({ allowHalfOpen: true }, (client) => this.#join(client));
  }

  static async open(options: LinkOptions): Promise<Link> {
    const link = new Link(options);
    link.#listener.listen(options.port ?? 0, LOOPBACK);
    await once(link.#listener, 'listening');
    const address = link.#listener.address();
    link.#port = address !== null && typeof address === 'object' ? address.port : 0;
    return link;
  }

  get port(): number {
    return this.#port;
  }

  degrade(fault: LinkFault): void {
    this.#fault = fault;
    for (const { client, server } of this.#connections) {
      if (fault.kind === 'half-close') client.end();
      if (fault.kind !== 'cut') continue;
      client.resetAndDestroy();
      server.destroy();
    }
  }

  heal(): void {
    this.#fault = null;
    for (const { directions } of this.#connections)
      for (const direction of directions) direction.flow();
  }

  get connections(): number {
    return this.#connections.size;
  }

  async close(): Promise<void> {
    this.#listener.close();
    for (const { client, server } of this.#connections) {
      client.destroy();
      server.destroy();
    }
    await once(this.#listener, 'close');
  }

  /** Whether what goes that way is held back now. */
  stops(answers: boolean): boolean {
    const kind = this.#fault?.kind;
    return kind === 'stall' || kind === (answers ? 'mute' : 'deaf');
  }

  delayMs(): number {
    if (this.#fault?.kind !== 'delay') return 0;
    return this.#fault.ms + this.#options.unit() * this.#fault.jitterMs;
  }

  #join(client: Socket): void {
    if (this.#fault?.kind === 'cut') {
      client.resetAndDestroy();
      return;
    }
    const to = { allowHalfOpen: true, ...this.#options.upstream };
    const server = 'path' in to ? connect(to) : connect({ ...to, host: LOOPBACK });
    for (const socket of [client, server]) socket.setNoDelay();
    const directions = [
      new LinkDirection(this, client, { to: server, answers: false }),
      new LinkDirection(this, server, { to: client, answers: true }),
    ];
    const connection = { client, server, directions };
    this.#connections.add(connection);
    client.once('close', () => {
      this.#connections.delete(connection);
      // A caller who has gone waits for nothing.
      server.destroySoon();
    });
  }
}
