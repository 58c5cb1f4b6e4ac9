/** The process of the open event streams: as cheap as it can be, since it shares the machine. */
import { App } from 'uWebSockets.js';
import { connect } from 'node:net';
import { machineMs } from '../machine-clock.ts';
import { type Arrived, parseReadersPlan } from './readers.ts';

const plan = parseReadersPlan(process.argv[2] ?? '');
const FIRST = 'retry: 1000';
/** A task's title is the time at which its call was sent. */
const SENT_AT = /"title":"(?<at>[\d.]+)"/g;
const OPENED_AT_ONCE = 20;

let open = 0;
const delays: number[] = [];

/** Resolves at its first bytes. */
function openStream(token: string, name: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect({ host: '127.0.0.1', port: plan.port, noDelay: true });
  let isOpen = false;
  socket.setEncoding('latin1');
  socket.on('connect', () => {
    const path = `/api/v1/events?name=reader-${name}&events=task.created`;
    socket.write(`GET ${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  });
  socket.on('error', reject);
  socket.on('close', () => {
    if (isOpen) open--;
    reject(new Error('a stream was closed'));
  });
  socket.on('data', (chunk: string) => {
    const now = machineMs();
    if (!isOpen && chunk.includes(FIRST)) {
      isOpen = true;
      open++;
      resolve();
    }
    for (const { groups } of chunk.matchAll(SENT_AT)) delays.push(now - Number(groups?.at));
  });
  return promise;
}

const wanted = plan.tokens.flatMap((token) =>
  Array.from({ length: plan.names }, (_, name) => ({ token, name })),
);
for (let from = 0; from < wanted.length; from += OPENED_AT_ONCE) {
  const some = wanted.slice(from, from + OPENED_AT_ONCE);
  await Promise.all(some.map(({ token, name }) => openStream(token, name)));
}

App()
  .get('/*', (response) => {
    const arrived: Arrived = { open, delays };
    response.end(JSON.stringify(arrived));
  })
  .listen('127.0.0.1', plan.reportPort, (socket) => {
    if (!socket) throw new Error('the port is taken');
    process.stdout.write('open\n');
  });
