/** The open-loop load's process: reads a plan from its input, prints every call and its answer. */
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { machineMs } from './machine-clock.ts';
import { type Call, parseOpenLoopPlan } from './open-loop.ts';

const plan = parseOpenLoopPlan(await text(process.stdin));
const HEAD_END = '\r\n\r\n';
const TICK_MS = 1;
/** A call without an answer by then counts as lost. */
const TIMEOUT_MS = 15_000;
const ID = /"(?:messageId|id)":"([^"]+)"/;

const tokens = [plan.token].flat();
let total = Math.round(plan.perSecond * plan.seconds);
const calls: Call[] = [];
const waiting: number[] = [];
/** Used longest ago first. The gateway closes one that idles for 8 s, perhaps beneath a call. */
const free: Connection[] = [];
const finished = Promise.withResolvers<void>();
let startedAt = 0;
let issued = 0;

function dueAt(n: number): number {
  return startedAt + (n * 1000) / plan.perSecond;
}

function requestText(n: number): string {
  const number = n + plan.from;
  const token = tokens[number % tokens.length];
  const head = `${plan.path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${token}\r\n`;
  if (plan.bodies.length === 0) return `GET ${head}\r\n`;
  const phone = `+55 11 9${String(number % plan.phones).padStart(4, '0')}-1000`;
  const template = plan.bodies[number % plan.bodies.length] ?? '';
  const body = template.replace('{phone}', phone).replace('{n}', String(number));
  const length = Buffer.byteLength(body);
  return `POST ${head}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;
}

class Connection {
  readonly #socket: Socket;
  #received = '';
  #call: number | null = null;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => this.#read(chunk));
    socket.on('error', finished.reject);
    socket.on('close', () => this.#closed());
  }

  send(n: number): void {
    this.#call = n;
    this.#socket.write(requestText(n));
  }

  end(): void {
    this.#socket.removeAllListeners('close').end();
  }

  /** The service may close a connection that has been idle for long, but none that waits. */
  #closed(): void {
    if (this.#call !== null) return finished.reject(new Error('a connection was closed'));
    const at = free.indexOf(this);
    if (at >= 0) free.splice(at, 1);
  }

  #read(chunk: string): void {
    this.#received += chunk;
    const head = this.#received.indexOf(HEAD_END);
    if (head < 0 || this.#call === null) return;
    const length = Number(/content-length: (\d+)/i.exec(this.#received)?.[1] ?? 0);
    if (this.#received.length < head + HEAD_END.length + length) return;
    const status = Number(this.#received.slice(9, 12));
    const id = ID.exec(this.#received)?.[1] ?? null;
    calls[this.#call] = { id, status, dueAt: dueAt(this.#call), answeredAt: machineMs() };
    this.#received = '';
    this.#call = null;
    answered++;
    const next = waiting.shift();
    if (next === undefined) free.push(this);
    else this.send(next);
    if (answered === total) finished.resolve();
  }
}
let answered = 0;

/** Ends the load when all calls that were due are answered. */
function endEarly(): void {
  total = issued;
  if (answered === total) finished.resolve();
}

async function open(): Promise<Connection> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect({ host: '127.0.0.1', port: plan.port, noDelay: true });
  socket.once('connect', resolve).once('error', reject);
  await promise;
  return new Connection(socket);
}

function issueDue(): void {
  const now = machineMs();
  while (issued < total && dueAt(issued) <= now) {
    const connection = free.shift();
    if (connection) connection.send(issued);
    else waiting.push(issued);
    issued++;
  }
  if (issued < total) setTimeout(issueDue, TICK_MS);
  else setTimeout(() => finished.reject(new Error('calls without an answer')), TIMEOUT_MS).unref();
}

const connections = await Promise.all(Array.from({ length: plan.connections }, open));
free.push(...connections);
startedAt = machineMs();
process.once('SIGTERM', endEarly);
issueDue();
await finished.promise;
for (const connection of connections) connection.end();
process.stdout.write(JSON.stringify(calls));
