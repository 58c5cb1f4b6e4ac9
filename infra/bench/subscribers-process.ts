/** The subscribers' process: as cheap as it can be, since it shares the machine. */
import { App, type HttpRequest, type HttpResponse } from 'uWebSockets.js';
import { machineMs } from './machine-clock.ts';
import { type Arrival, parseSubscribersPlan } from './subscribers.ts';

const plan = parseSubscribersPlan(process.argv[2] ?? '');
const ID = /"(?:messageId|id)":"([^"]+)"/;
const TEXT = /"text":"([^"]+)"/;

let arrivals: Arrival[] = [];

function take(port: number, response: HttpResponse, request: HttpRequest): void {
  const at = machineMs();
  const event = request.getHeader('x-service-event');
  const delivery = request.getHeader('x-service-delivery');
  let body = '';
  response.onAborted(() => undefined);
  response.onData((chunk, last) => {
    body += Buffer.from(chunk).toString('latin1');
    if (!last) return;
    const [id = '', text = ''] = [ID, TEXT].map((each) => each.exec(body)?.[1]);
    arrivals.push({ port, event, delivery, at, id, text });
    response.cork(() => void response.writeStatus('200 OK').end('ok'));
  });
}

const HOST = '127.0.0.1';
let up = 0;

/** Says so once all of them listen. */
function onListening(socket: unknown): void {
  if (!socket) throw new Error('a port is taken');
  up++;
  if (up === 1 + plan.prompt.length + plan.hanging.length) process.stdout.write('listening\n');
}

for (const port of plan.prompt) {
  App()
    .post('/*', (response, request) => take(port, response, request))
    .listen(HOST, port, onListening);
}
for (const port of plan.hanging) {
  App()
    .post('/*', (response) => void response.onAborted(() => undefined))
    .listen(HOST, port, onListening);
}
App()
  .get('/count', (response) => void response.end(String(arrivals.length)))
  .get('/take', (response) => {
    const taken = arrivals;
    arrivals = [];
    response.end(JSON.stringify(taken));
  })
  .listen(HOST, plan.reportPort, onListening);
