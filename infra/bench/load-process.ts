/** The load's process: its argument is a plan, its output the counts of the answers. */
import { connect } from 'node:net';
import { type Loaded, parseLoadPlan } from './load.ts';
import { quantile } from './rounds.ts';

const plan = parseLoadPlan(process.argv[2] ?? '');
const HEAD_END = '\r\n\r\n';

const latencies: number[] = [];
const refused: Record<string, number> = {};
const refusedNumbers: number[] = [];
const acceptedStatus = String(plan.acceptedStatus ?? 201);
let sent = 0;
let endsAt = 0;
const most = plan.most ?? Number.POSITIVE_INFINITY;

/** So many numbers share a prefix before the last four digits must distinguish them. */
const BEGINNINGS = 10_000;

function phoneOf(n: number): string {
  const beginning = String(n % BEGINNINGS).padStart(4, '0');
  return `+55 11 9${beginning}-${1000 + Math.floor(n / BEGINNINGS)}`;
}

function requestText(n: number): string {
  const phone = phoneOf((plan.firstPhone ?? 0) + (n % plan.phones));
  const template = plan.bodies[n % plan.bodies.length] ?? '';
  const body = template.replace('{phone}', phone).replace('{n}', String(n));
  const path = plan.path.replace('{phone}', phone.replace(/\D/g, ''));
  const key = plan.keyPrefix === undefined ? '' : `Idempotency-Key: ${plan.keyPrefix}-${n}\r\n`;
  return (
    `POST ${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${plan.token}\r\n` +
    `${key}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

function runConnection(): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect({ host: '127.0.0.1', port: plan.port, noDelay: true });
  let received = '';
  let askedAt = 0;
  let number = 0;
  const ask = (): void => {
    if (performance.now() >= endsAt || sent >= most) {
      socket.end();
      resolve();
      return;
    }
    askedAt = performance.now();
    number = sent++;
    socket.write(requestText(number));
  };
  socket.setEncoding('latin1');
  socket.on('connect', ask);
  socket.on('error', reject);
  socket.on('close', () => reject(new Error('the connection was closed')));
  socket.on('data', (chunk: string) => {
    received += chunk;
    const head = received.indexOf(HEAD_END);
    if (head < 0) return;
    const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0);
    if (received.length < head + HEAD_END.length + length) return;
    const status = received.slice(9, 12);
    if (status === acceptedStatus) latencies.push(performance.now() - askedAt);
    else {
      refused[status] = (refused[status] ?? 0) + 1;
      refusedNumbers.push(number);
    }
    received = '';
    ask();
  });
  return promise;
}

const startedAt = performance.now();
endsAt = startedAt + plan.seconds * 1000;
await Promise.all(Array.from({ length: plan.connections }, runConnection));
const seconds = (performance.now() - startedAt) / 1000;
latencies.sort((a, b) => a - b);
const loaded: Loaded = {
  accepted: latencies.length,
  refused,
  refusedNumbers,
  perSecond: latencies.length / seconds,
  p50Ms: quantile(latencies, 0.5),
  p99Ms: quantile(latencies, 0.99),
  p999Ms: quantile(latencies, 0.999),
};
process.stdout.write(JSON.stringify(loaded));
