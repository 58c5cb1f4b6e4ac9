/** The supervisor's own questions to a store that breaks off its answers. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Engine, startEngine } from '../../../../../support/engine.ts';
import {
  endsWell,
  STAND_INS,
  Workspace,
} from '../../../../../support/infra/programs/service/supervisor/supervised.ts';
import { type MongoProxy, startMongoProxy } from '../../../../../support/mongo-proxy.ts';
import { waitFor } from '../../../../../support/wait-for.ts';

/** The driver asks twice before it gives up. */
const CUTS = 4;
const { gateway, nats } = STAND_INS;
const work = new Workspace();
let engine: Engine;
let store: MongoProxy;
let asked = 0;

before(async () => {
  engine = await startEngine();
  store = await startMongoProxy(
    engine.uri,
    null,
    ({ name, target }) => name === 'find' && target === 'organizations' && ++asked <= CUTS,
  );
});
after(async () => {
  await work.close();
  await store?.close();
  await engine?.close();
});

test('a store that breaks off a question is asked again, and the service runs on', async () => {
  const supervised = work.start({ nats, gateway }, { MONGODB_URL: store.url });
  await work.ready(supervised);
  const { baseUrl } = supervised.runFile();
  await waitFor(() => supervised.output().includes('holds no organization'), {
    what: supervised.output,
  });
  assert.equal(asked, CUTS + 1);
  assert.equal((await fetch(baseUrl)).status, 200);
  await endsWell(supervised);
});
