/** Why a store cannot be reached, in words that lead to the setting that is wrong. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { probeMongo } from '../../../../../infra/adapters/mongo/probe.ts';
import { fileEngine } from '../../../../support/engine.ts';
import { startMongoProxy } from '../../../../support/mongo-proxy.ts';
import { serveTcp } from '../../../../support/stand-ins/server.ts';

const TIMEOUT_MS = 400;

const engine = fileEngine();

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
  const silent = await serveTcp((socket) => socket.on('error', () => undefined));
  for (const options of ['', '?replicaSet=rs0']) {
    await assert.rejects(probeMongo(`mongodb://127.0.0.1:${silent.port}/${options}`, TIMEOUT_MS), {
      message: 'no MongoDB answers there',
    });
  }
  await silent.close();
});
