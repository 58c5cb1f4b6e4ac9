/** Why a store cannot be reached, in words that lead to the setting that is wrong. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { probeMongo } from '../../../../../infra/adapters/mongo/probe.ts';
import { engineOfFile } from '../../../../support/engine.ts';
import { startMongoProxy } from '../../../../support/mongo-proxy.ts';

const TIMEOUT_MS = 400;

const engine = engineOfFile();

test('a store that answers is reached', () => probeMongo(engine.uri, TIMEOUT_MS));

test('another server than the primary of the replica set that the address names', async () => {
  const alone = await startMongoProxy(engine.uri, null);
  const other = await startMongoProxy(engine.uri, 'rs1');
  for (const { url } of [alone, other]) {
    await assert.rejects(probeMongo(`${url}?replicaSet=rs0`, TIMEOUT_MS), {
      message: 'no primary of the replica set rs0 answers there',
    });
  }
  await alone.close();
  await other.close();
});

test('a port behind which nothing speaks', async () => {
  const silent = createServer((socket) => socket.on('error', () => undefined));
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const address = silent.address();
  assert.ok(address !== null && typeof address === 'object');
  for (const options of ['', '?replicaSet=rs0']) {
    await assert.rejects(probeMongo(`mongodb://127.0.0.1:${address.port}/${options}`, TIMEOUT_MS), {
      message: 'no MongoDB answers there',
    });
  }
  silent.close();
});
