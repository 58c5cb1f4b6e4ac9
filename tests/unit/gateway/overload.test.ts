/** D78: answers of an overloaded gateway to its callers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPEN_ASKS_ALWAYS } from '../../../shared/limits.ts';
import { errorOf, MAIN, startGateway } from '../../support/gateway/gateway-fixture.ts';
import { waitFor } from '../../support/wait-for.ts';

test('beyond capacity a call is refused at once with a sentence, and health still answers', async () => {
  await using gateway = await startGateway();
  const { onAsk } = gateway.bus;
  const { promise, resolve } = Promise.withResolvers<void>();
  gateway.bus.onAsk = async (asked) => {
    if (asked.command.type !== 'admit') await promise;
    return onAsk(asked);
  };
  const body = { channelId: MAIN, phone: '+55 11 98888-7777', text: 'olá' };
  const waiting = Array.from({ length: OPEN_ASKS_ALWAYS }, () =>
    gateway.send('/api/v1/messages', { body }),
  );
  await waitFor(() => gateway.bus.commands().length === OPEN_ASKS_ALWAYS, { what: 'all wait' });
  const refused = await gateway.send('/api/v1/messages', { body });
  assert.equal(refused.status, 500);
  assert.match((await errorOf(refused)).error ?? '', /^Serviço sobrecarregado\. /);
  assert.equal(gateway.bus.commands().length, OPEN_ASKS_ALWAYS, 'nobody was asked');
  for (const path of ['/healthz', '/openapi.json']) {
    assert.equal((await gateway.send(path, { key: null })).status, 200);
  }
  resolve();
  for (const answer of await Promise.all(waiting)) assert.equal(answer.status, 201);
  assert.equal((await gateway.send('/api/v1/messages', { body })).status, 201);
});
