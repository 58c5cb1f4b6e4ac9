/** The driver's monitor finds the embedded engine again, however its connections ended (I11). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { connectMongo, type MongoConnection } from '../../../../../infra/adapters/mongo/client.ts';
import { SILENT, startEngine } from '../../../../support/engine.ts';

interface Monitor {
  readonly connection: object | null;
}

/** Internal to the driver: a version that keeps it elsewhere fails this test. */
function monitorOf({ client }: MongoConnection): Monitor {
  const { topology } = client as unknown as {
    topology: { s: { servers: ReadonlyMap<string, { monitor: Monitor }> } };
  };
  const [server] = topology.s.servers.values();
  assert.ok(server, 'the driver knows the server');
  return server.monitor;
}

/** Way to the engine that ends all connections at the next bytes after `cut`. */
async function startWay(uri: string) {
  const folder = mkdtempSync(join(tmpdir(), 'way-'));
  const socketPath = join(folder, 'way.sock');
  const engine = decodeURIComponent(new URL(uri).host);
  const open = new Set<Socket>();
  let cut = false;
  const server = createServer((near) => {
    const far = connect(engine);
    for (const socket of [near, far]) socket.on('error', () => undefined);
    open.add(near);
    near.on('data', (bytes) => {
      if (cut) for (const each of open) each.destroy();
      else far.write(bytes);
    });
    near.on('close', () => far.destroy());
    far.on('data', (bytes) => near.write(bytes));
  });
  server.listen(socketPath);
  await once(server, 'listening');
  return {
    url: `mongodb://${encodeURIComponent(socketPath)}/?directConnection=true`,
    cut: (value: boolean) => {
      cut = value;
    },
    close: () => {
      server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

test('the monitor keeps no connection to a server that was lost, and finds it again', async (t) => {
  const engine = await startEngine();
  t.after(() => engine.close());
  const way = await startWay(engine.uri);
  t.after(() => way.close());
  const mongo = await connectMongo(way.url, SILENT);
  t.after(() => mongo.client.close());
  assert.notEqual(monitorOf(mongo).connection, null, 'it has one while the server is there');
  const kept: (object | null)[] = [];
  mongo.client.on('serverDescriptionChanged', ({ newDescription }) => {
    if (newDescription.type === 'Unknown') kept.push(monitorOf(mongo).connection);
  });
  way.cut(true);
  await assert.rejects(mongo.db.command({ ping: 1 }));
  way.cut(false);
  assert.deepEqual(kept, [null]);
  assert.equal((await mongo.db.command({ ping: 1 })).ok, 1);
});
