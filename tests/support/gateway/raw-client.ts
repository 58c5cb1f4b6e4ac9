/** A TCP client that writes given bytes, for everything a well-behaved client never does. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export class RawClient implements Disposable {
  readonly socket: Socket;
  #text = '';
  #ended = false;
  #waiting: (() => void)[] = [];

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => {
      this.#text += chunk.toString('utf8');
      this.#wake();
    });
    const end = (): void => {
      this.#ended = true;
      this.#wake();
    };
    socket.on('end', end);
    socket.on('close', end);
    socket.on('error', end);
  }

  /** @param localAddress of the loopback network */
  static async open(port: number, localAddress = '127.0.0.1'): Promise<RawClient> {
    const socket = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true });
    await once(socket, 'connect');
    return new RawClient(socket);
  }

  write(text: string | Buffer): void {
    this.socket.write(text);
  }

  /** Everything received once `done` says so, or when the server has closed. */
  async until(done: (text: string) => boolean): Promise<string> {
    while (!done(this.#text) && !this.#ended) {
      await new Promise<void>((resume) => this.#waiting.push(resume));
    }
    return this.#text;
  }

  /** Everything received when the server has closed the connection. */
  async closed(): Promise<string> {
    while (!this.#ended) await new Promise<void>((resume) => this.#waiting.push(resume));
    return this.#text;
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }

  #wake(): void {
    for (const resume of this.#waiting.splice(0)) resume();
  }
}

/** Number of answers in the received text. */
export function answers(text: string): readonly string[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => match[1] ?? '');
}
