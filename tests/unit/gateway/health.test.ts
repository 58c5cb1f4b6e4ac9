/** C9.2, C17. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway } from '../../support/gateway/gateway-fixture.ts';

test('/healthz tells that the process lives, whatever else is missing', async () => {
  await using gateway = await startGateway({ knowsInstallation: false });
  gateway.bus.up = false;
  const response = await gateway.send('/healthz', { key: null });
  assert.equal(response.status, 200);
});

test('/readyz tells what is missing', async () => {
  await using gateway = await startGateway();
  const ask = async () => {
    const response = await gateway.send('/readyz', { key: null });
    return [response.status, await response.json()];
  };
  const missing = (...names: readonly string[]) => [
    503,
    { error: 'Serviço indisponível no momento.', missing: names },
  ];
  gateway.bus.onQuery = () => ({ status: 200, body: '{"missing":[]}' });
  assert.deepEqual(await ask(), [200, { data: { ready: true } }]);
  gateway.bus.onQuery = () => ({ status: 200, body: '{"missing":["mongodb","contact.3"]}' });
  assert.deepEqual(await ask(), missing('mongodb', 'contact.3'));
  gateway.bus.onQuery = () => {
    throw new Error('nobody');
  };
  assert.deepEqual(await ask(), missing('actors'));
  gateway.bus.up = false;
  assert.deepEqual(await ask(), missing('nats'));
});
