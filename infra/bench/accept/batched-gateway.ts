/**
 * Gateway of the harder floor and of the limit: the requests of one tick travel in one NATS
 * message, and so do the answers. No key, no validation, no deadline: nothing but the transport.
 */

import { App } from 'uWebSockets.js';
import { connect, createInbox } from 'nats';
import { natsAccess } from '../../adapters/nats/access.ts';
import { TickBatches } from '../../adapters/nats/tick-batches.ts';
import { configOrExit } from '../../config/process-config.ts';

const [port = '0', name = 'harder'] = process.argv.slice(2);
const connection = await connect(natsAccess(configOrExit().natsUrl ?? ''));
const inbox = createInbox();

interface Waiting {
  readonly n: number;
  readonly body: object;
}

const open = new Map<number, (text: string) => void>();
let numbers = 0;
const outgoing = new TickBatches<Waiting>((subject, batch) =>
  connection.publish(subject, JSON.stringify(batch), { reply: inbox }),
);

function ask(body: object, answer: (text: string) => void): void {
  const n = numbers++;
  open.set(n, answer);
  outgoing.add(name, { n, body });
}

connection.subscribe(inbox, {
  callback: (_, message) => {
    for (const { n, messageId } of message.json<{ n: number; messageId: string }[]>()) {
      open.get(n)?.(`{"data":{"messageId":"${messageId}"}}`);
      open.delete(n);
    }
  },
});

App()
  .post('/*', (response) => {
    let gone = false;
    const chunks: Buffer[] = [];
    response.onAborted(() => {
      gone = true;
    });
    response.onData((chunk, last) => {
      chunks.push(Buffer.from(new Uint8Array(chunk)));
      if (!last) return;
      ask(JSON.parse(Buffer.concat(chunks).toString()), (text) => {
        if (gone) return;
        response.cork(() => {
          response
            .writeStatus('201 Created')
            .writeHeader('content-type', 'application/json')
            .end(text);
        });
      });
    });
  })
  .listen('127.0.0.1', Number(port), (socket) => {
    process.stdout.write(socket ? 'listening\n' : 'not listening\n');
  });
