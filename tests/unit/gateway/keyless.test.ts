/**
 * Questions that need no key, health and readiness among them (C9.2, C17): however many are asked,
 * callers with a key are served.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HEALTH_ROUTES } from '../../../gateway/routes/health.ts';
import { OPEN_ASKS_ALWAYS } from '../../../shared/limits.ts';
import { type Fixture, MAIN, startGateway } from '../../support/gateway/gateway-fixture.ts';
import { waitFor } from '../../support/wait-for.ts';

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

/** Until the result is called, no query of that name is answered. */
function hold({ bus }: Fixture, resource: string): () => void {
  const { onQuery } = bus;
  const { promise, resolve } = Promise.withResolvers<void>();
  bus.onQuery = async (queried) => {
    if (queried.resource === resource) await promise;
    return onQuery(queried);
  };
  return resolve;
}

const queriesOf = ({ bus }: Fixture, name: string) =>
  bus.queried.filter(({ resource }) => resource === name).length;

test('those who ask for readiness at once are one question', async () => {
  await using fixture = await startGateway();
  const { bus, gateway } = fixture;
  bus.onQuery = () => ({ status: 200, body: '{"missing":[]}' });
  const route = HEALTH_ROUTES.find(({ operationId }) => operationId === 'getReadiness');
  assert.ok(route?.entrance === 'open');
  const request = { requestId: 'req_1', params: {}, headers: () => ({}) };
  const ask = async () => (await route.answer(gateway, request)).status;
  const statuses = await Promise.all(Array.from({ length: 200 }, ask));
  assert.deepEqual([...new Set(statuses)], [200]);
  assert.equal(queriesOf(fixture, 'ready'), 1);
  bus.onQuery = () => ({ status: 200, body: '{"missing":["mongodb"]}' });
  assert.equal(await ask(), 503, 'the next one is asked anew');
});

test('descriptions of webhooks never take all the room of callers', async () => {
  await using gateway = await startGateway();
  assert.equal((await gateway.send('/api/v1/me')).status, 201);
  const letGo = hold(gateway, 'inbound-webhook');
  const path = `/api/webhooks/channel/${MAIN}`;
  const asked = Array.from({ length: OPEN_ASKS_ALWAYS }, () => gateway.send(path, { key: null }));
  const refused = waitFor(
    () => gateway.logged.filter(({ status }) => status === 500).length === OPEN_ASKS_ALWAYS / 2,
    { what: 'half of them are refused' },
  );
  await refused.finally(letGo);
  assert.equal(queriesOf(gateway, 'inbound-webhook'), OPEN_ASKS_ALWAYS / 2);
  assert.equal((await gateway.send('/api/v1/me')).status, 201);
  await Promise.all(asked);
});
