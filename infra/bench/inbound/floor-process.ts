/** Baseline of webhooks: verify, parse, one journaled insert for the batch, 200. */

import { App } from 'uWebSockets.js';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { MongoClient } from 'mongodb';

const [mongodbUrl = '', port = '0', secret = ''] = process.argv.slice(2);
const client = await new MongoClient(mongodbUrl, { retryWrites: false }).connect();
const collection = client.db('floor').collection('webhooks');

interface Posted {
  readonly entry?: readonly {
    readonly changes: readonly {
      readonly value: { readonly statuses?: object[]; readonly messages?: object[] };
    }[];
  }[];
}

function verified(bytes: Buffer, algorithm: string, given: string): boolean {
  const expected = createHmac(algorithm, secret).update(bytes).digest();
  const received = Buffer.from(given, 'hex');
  return received.length === expected.length && timingSafeEqual(received, expected);
}

function documentsOf(posted: Posted): object[] {
  const values = posted.entry?.flatMap(({ changes }) => changes.map(({ value }) => value));
  return (
    values?.flatMap(({ statuses = [], messages = [] }) => [...statuses, ...messages]) ?? [posted]
  );
}

App()
  .post('/*', (response, request) => {
    const cloud = request.getHeader('x-hub-signature-256');
    const bridge = request.getHeader('x-webhook-hmac');
    const chunks: Buffer[] = [];
    let gone = false;
    response.onAborted(() => {
      gone = true;
    });
    response.onData((chunk, last) => {
      chunks.push(Buffer.from(new Uint8Array(chunk)));
      if (!last) return;
      const bytes = Buffer.concat(chunks);
      const holds = cloud
        ? verified(bytes, 'sha256', cloud.slice('sha256='.length))
        : verified(bytes, 'sha512', bridge);
      const answer = (status: string): void => {
        if (!gone) response.cork(() => void response.writeStatus(status).end('{}'));
      };
      if (!holds) return answer('401 Unauthorized');
      collection
        .insertMany(documentsOf(JSON.parse(bytes.toString('utf8'))), {
          ordered: false,
          writeConcern: { w: 1, journal: true },
        })
        .then(
          () => answer('200 OK'),
          () => answer('500 Internal Server Error'),
        );
    });
  })
  .listen('127.0.0.1', Number(port), (socket) => {
    process.stdout.write(socket ? 'listening\n' : 'not listening\n');
  });
