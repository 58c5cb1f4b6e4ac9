/**
 * A closed-loop load: so many connections, each with one request under way. Raw sockets, because
 * the client shares the machine with what it measures.
 */
import { connect, type Socket } from 'node:net';

export interface LoadOptions {
  readonly host: string;
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /** The n-th request, whole. */
  readonly request: (n: number) => string;
}

export interface LoadResult {
  readonly accepted: number;
  readonly refused: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const HEAD_END = '\r\n\r\n';

export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const latencies: number[] = [];
  let sent = 0;
  let refused = 0;
  const startedAt = performance.now();
  const endsAt = startedAt + options.seconds * 1000;
  const next = (): string | null => (performance.now() < endsAt ? options.request(sent++) : null);
  const onAnswer = (accepted: boolean, ms: number): void => {
    if (accepted) latencies.push(ms);
    else refused++;
  };
  await Promise.all(
    Array.from({ length: options.connections }, () => runConnection(options, next, onAnswer)),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (share: number): number =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? Number.NaN;
  return {
    accepted: latencies.length,
    refused,
    perSecond: latencies.length / seconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
  };
}

function runConnection(
  { host, port }: LoadOptions,
  next: () => string | null,
  onAnswer: (accepted: boolean, ms: number) => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket: Socket = connect({ host, port, noDelay: true });
  let received = '';
  let askedAt = 0;
  const ask = (): void => {
    const request = next();
    if (request === null) {
      socket.end();
      return resolve();
    }
    askedAt = performance.now();
    socket.write(request);
  };
  socket.setEncoding('latin1');
  socket.on('connect', ask);
  socket.on('error', reject);
  socket.on('data', (chunk: string) => {
    received += chunk;
    const head = received.indexOf(HEAD_END);
    if (head < 0) return;
    const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0);
    if (received.length < head + HEAD_END.length + length) return;
    onAnswer(received.startsWith('HTTP/1.1 201'), performance.now() - askedAt);
    received = '';
    ask();
  });
  return promise;
}
