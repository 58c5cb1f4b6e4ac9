/** Questions that need no key: however many are asked, callers with a key are served. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HEALTH_ROUTES } from '../../../gateway/routes/health.ts';
import { OPEN_ASKS_ALWAYS } from '../../../shared/limits.ts';
import { type Fixture, MAIN, startGateway } from '../../support/gateway/gateway-fixture.ts';
import { waitFor } from '../../support/wait-for.ts';

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
