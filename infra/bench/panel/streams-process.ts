/** The process of the open streams: as cheap as it can be, since it shares the machine. */
import { App } from 'uWebSockets.js';
import { connect } from 'node:net';
import { type Heard, parseStreamsPlan } from './streams.ts';

const plan = parseStreamsPlan(process.argv[2] ?? '');
const FIRST_EVENT = 'event: resync';
const HINT = 'event: hint';

const hinted = new Set<number>();
let open = 0;

/** Resolves at its first event. */
function openStream(n: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect({ host: '127.0.0.1', port: plan.port, noDelay: true });
  const cookie = plan.cookies[n % plan.cookies.length] ?? '';
  let isOpen = false;
  socket.setEncoding('latin1');
  socket.on('connect', () => {
    socket.write(`GET /panel/api/events HTTP/1.1\r\nHost: bench\r\nCookie: ${cookie}\r\n\r\n`);
  });
  socket.on('error', reject);
  socket.on('close', () => {
    if (isOpen) open--;
    reject(new Error('a stream was closed'));
  });
  socket.on('data', (chunk: string) => {
    if (!isOpen && chunk.includes(FIRST_EVENT)) {
      isOpen = true;
      open++;
      resolve();
    }
    if (chunk.includes(HINT)) hinted.add(n);
  });
  return promise;
}

for (let n = 0; n < plan.count; n++) await openStream(n);

App()
  .get('/*', (response) => {
    const heard: Heard = { open, hinted: hinted.size };
    response.end(JSON.stringify(heard));
  })
  .listen('127.0.0.1', plan.reportPort, (socket) => {
    if (!socket) throw new Error('the port is taken');
    process.stdout.write('open\n');
  });
