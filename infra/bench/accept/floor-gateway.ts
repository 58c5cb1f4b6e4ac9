/** The floor's gateway: uWebSockets.js that passes each body on by the client library's request. */

import { App } from 'uWebSockets.js';
import { connect } from 'nats';
import { natsAccess } from '../../adapters/nats/access.ts';
import { configOrExit } from '../../config/process-config.ts';

const [port = '0'] = process.argv.slice(2);
const connection = await connect(natsAccess(configOrExit().natsUrl ?? ''));

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
      const body = JSON.parse(Buffer.concat(chunks).toString());
      const answer = (status: string, text: string): void => {
        if (gone) return;
        response.cork(() => {
          response.writeStatus(status).writeHeader('content-type', 'application/json').end(text);
        });
      };
      connection.request('floor', JSON.stringify(body), { timeout: 8_000 }).then(
        (message) => answer('201 Created', message.string()),
        () => answer('500 Internal Server Error', '{}'),
      );
    });
  })
  .listen('127.0.0.1', Number(port), (socket) => {
    process.stdout.write(socket ? 'listening\n' : 'not listening\n');
  });
