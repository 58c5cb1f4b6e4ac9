/** POST /api/v1/events/ack over HTTP, with owners in memory. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { EVENT_STREAM_RESULTS_MAX } from '../../../../shared/limits.ts';
import type { Answer } from '../../../../shared/ports/bus.ts';
import {
  CHANNEL_KEY,
  issuePaths,
  ORG,
  REVOKED_KEY,
} from '../../../support/gateway/gateway-fixture.ts';
import { ACK, idOf, json, startOwners } from './owners-fixture.ts';

describe('an acknowledgement', () => {
  const result = { id: 'dlv_1', status: 200, ms: 12 };

  test('is asked of the stream, and counts in no window', async () => {
    await using owners = await startOwners();
    const upTo = await owners.send(ACK, { body: { name: 'erp', id: 'dlv_9' } });
    assert.equal(upTo.status, 200);
    assert.deepEqual(await upTo.json(), { data: { acknowledged: 2 } });
    const results = [result, { id: 'dlv_2', status: null, ms: 0.6 }];
    const each = await owners.send(ACK, { key: CHANNEL_KEY, body: { results } });
    assert.equal(each.status, 200);
    const [first, second] = owners.asked('acknowledge-stream');
    assert.deepEqual(first?.address, { kind: 'subscription', key: idOf('key_account', 'erp') });
    assert.deepEqual([first?.command.orgId, first?.command.settled], [ORG, { upTo: 'dlv_9' }]);
    assert.deepEqual(second?.address, { kind: 'subscription', key: idOf('key_shop') });
    const rounded = [result, { id: 'dlv_2', status: null, ms: 1 }];
    assert.deepEqual(second?.command.settled, { results: rounded });
    assert.deepEqual(
      owners.asked('admit').map(({ command }) => command.isUncounted),
      [true, true],
    );
    await owners.send('/api/v1/me');
    assert.ok(!('isUncounted' in (owners.asked('admit').at(-1)?.command ?? {})));
  });

  test('its refusals are passed on, the one that comes too soon with Retry-After', async () => {
    await using owners = await startOwners();
    const { onAsk } = owners.bus;
    let refusal: Answer = json(404, { error: 'Stream de eventos não encontrado.' });
    owners.bus.onAsk = (asked) =>
      asked.command.type === 'acknowledge-stream' ? refusal : onAsk(asked);
    assert.equal((await owners.send(ACK, { body: { id: 'dlv_1' } })).status, 404);
    refusal = { ...json(429, { error: 'Aguarde.' }), headers: { 'retry-after': '1' } };
    const tooSoon = await owners.send(ACK, { body: { id: 'dlv_1' } });
    assert.deepEqual([tooSoon.status, tooSoon.headers.get('retry-after')], [429, '1']);
    assert.equal((await owners.send(ACK, { key: REVOKED_KEY, body: { id: 'x' } })).status, 401);
  });

  test('has either an id or results, each of them whole', async () => {
    await using owners = await startOwners();
    const many = Array.from({ length: EVENT_STREAM_RESULTS_MAX + 1 }, () => result);
    const wrong: readonly (readonly [object, string])[] = [
      [{}, 'id'],
      [{ name: 'erp' }, 'id'],
      [{ id: 'dlv_1', results: [] }, 'results'],
      [{ id: '' }, 'id'],
      [{ id: 7 }, 'id'],
      [{ name: 'É', id: 'dlv_1' }, 'name'],
      [{ name: null, id: 'dlv_1' }, 'name'],
      [{ results: result }, 'results'],
      [{ results: many }, 'results'],
      [{ results: [{ ...result, status: 99 }] }, 'results.0.status'],
      [{ results: [result, { ...result, status: 600 }] }, 'results.1.status'],
      [{ results: [{ ...result, status: '200' }] }, 'results.0.status'],
      [{ results: [{ id: 'dlv_1', ms: 1 }] }, 'results.0.status'],
      [{ results: [{ ...result, status: 200.5 }] }, 'results.0.status'],
      [{ results: [{ ...result, ms: -1 }] }, 'results.0.ms'],
      [{ results: [{ ...result, ms: '1' }] }, 'results.0.ms'],
      [{ results: [{ id: 'dlv_1', status: 200 }] }, 'results.0.ms'],
      [{ results: [{ status: 200, ms: 1 }] }, 'results.0.id'],
    ];
    for (const [body, path] of wrong) {
      const refused = await owners.send(ACK, { body });
      assert.deepEqual(await issuePaths(refused), [path], JSON.stringify(body).slice(0, 100));
    }
    const infinite = await owners.send(ACK, {
      body: '{"results":[{"id":"a","status":1e9,"ms":1e999}]}',
    });
    assert.deepEqual(await issuePaths(infinite), ['results.0.ms', 'results.0.status']);
    assert.deepEqual(owners.asked('acknowledge-stream'), []);
    const most = await owners.send(ACK, { body: { results: many.slice(1) } });
    assert.equal(most.status, 200);
  });
});
