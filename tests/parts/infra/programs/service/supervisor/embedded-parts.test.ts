import assert from 'node:assert/strict';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { MongoClient } from 'mongodb';
import { connect as connectNats } from 'nats';
import { natsAccess } from '../../../../../../infra/adapters/nats/access.ts';
import { engineAddress } from '../../../../../../infra/programs/service/mongo-engine/address.ts';
import {
  endsWell,
  STAND_INS,
  Workspace,
} from '../../../../../support/infra/programs/service/supervisor/supervised.ts';
import { killHard } from '../../../../../support/kills.ts';
import { waitFor } from '../../../../../support/wait-for.ts';

const { gateway, mongo, nats } = STAND_INS;
const work = new Workspace();
let client: MongoClient | undefined;

after(async () => {
  await client?.close();
  await work.close();
});

/** The server's greeting; rejects while it does not listen. */
function greetingAt(natsUrl: string): Promise<string> {
  const { hostname, port } = new URL(natsUrl);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    socket.setEncoding('utf8').once('data', (chunk: string) => {
      resolve(chunk);
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

function bareAddress(natsUrl: string): string {
  return new URL(natsUrl).host;
}

function eventually<T>(attempt: () => Promise<T>) {
  return waitFor(() => attempt().catch(() => null), { what: String(attempt) });
}

test('killed servers come back at the same address with all their data (interfaces: Settings)', async () => {
  const supervised = work.start({ nats, mongo, gateway });
  await work.ready(supervised);
  const { natsUrl, mongodbUrl } = supervised.runFile();
  assert.match(await eventually(() => greetingAt(natsUrl)), /^INFO /);
  client = new MongoClient(mongodbUrl, {
    retryWrites: false,
    serverSelectionTimeoutMS: 5_000,
    minHeartbeatFrequencyMS: 50,
  });
  const notes = client.db('test').collection('notes');
  await eventually(() => notes.insertOne({ n: 1 }, { writeConcern: { w: 1, journal: true } }));
  const leftover = readlinkSync(engineAddress(work.dataDir).socketPath);

  await Promise.all([killHard(supervised, 'nats'), killHard(supervised, 'mongo')]);
  assert.match(await eventually(() => greetingAt(natsUrl)), /^INFO /);
  assert.equal(await eventually(() => notes.countDocuments()), 1);
  assert.equal(supervised.runFile().natsUrl, natsUrl);
  assert.equal(supervised.runFile().mongodbUrl, mongodbUrl);
  assert.equal(existsSync(leftover), false, 'the killed engine’s socket folder is cleaned up');

  await assert.rejects(connectNats({ servers: bareAddress(natsUrl), reconnect: false }));
  await (await connectNats(natsAccess(natsUrl))).close();

  const link = readlinkSync(engineAddress(work.dataDir).socketPath);
  await endsWell(supervised);
  assert.equal(existsSync(link), false);
  assert.deepEqual(readdirSync(work.dataDir).sort(), ['logs', 'mongo']);
});

test('each start has tokens of its own', async () => {
  const starts: string[][] = [];
  for (const _ of [1, 2]) {
    const supervised = work.start({ nats, gateway }, { MONGODB_URL: 'mongodb://127.0.0.1:1' });
    await work.ready(supervised);
    const { natsUrl, sandboxUrl } = supervised.runFile();
    starts.push([new URL(natsUrl).username, new URL(sandboxUrl).pathname.slice(1)]);
    await endsWell(supervised);
  }
  const tokens = starts.flat();
  assert.equal(new Set(tokens).size, 4);
  for (const token of tokens) assert.equal(Buffer.from(token, 'base64url').length, 32);
});

test('the engine’s address fits a socket path however deep the data folder lies', () => {
  const near = engineAddress('/srv/recado');
  assert.deepEqual([near.socketPath, near.apart], ['/srv/recado/mongo.sock', false]);
  const deep = engineAddress(`/srv/${'deep/'.repeat(40)}`);
  assert.equal(deep.apart, true);
  assert.ok(Buffer.byteLength(deep.socketPath) <= 100);
  assert.notEqual(deep.socketPath, engineAddress(`/srv/${'deeq/'.repeat(40)}`).socketPath);
  assert.match(deep.url, /^mongodb:\/\/[^/]+\/\?directConnection=true$/);
});
