/** GET /api/v1/events over HTTP, with owners in memory. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  EVENT_STREAM_RESULTS_MAX,
  EVENT_STREAMS_PER_GATEWAY,
  OPEN_ASKS_ALWAYS,
} from '../../../../shared/limits.ts';
import type { Answer } from '../../../../shared/ports/bus.ts';
import type { StreamRead } from '../../../../shared/wire/stream-commands.ts';
import {
  ACCOUNT_KEY,
  CHANNEL_KEY,
  errorOf,
  issuePaths,
  LIMITED_KEY,
  ORG,
  REVOKED_KEY,
} from '../../../support/gateway/gateway-fixture.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { page, push, written } from './event-stream-fixture.ts';
import {
  ACK,
  BEGUN_AT,
  EMPTY,
  EVENTS,
  idOf,
  json,
  RETRY,
  read,
  startOwners,
} from './owners-fixture.ts';

describe('a stream', () => {
  test('is opened for its key and name, and writes what is read and pushed', async () => {
    await using owners = await startOwners();
    owners.onRead = (_, number) => (number === 0 ? page([1, 2]) : EMPTY);
    using reader = await read(owners, `${EVENTS}?name=erp-1&events=message.received,deal.won`);
    const { headers, status } = reader.response;
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'text/event-stream; charset=utf-8');
    assert.equal(headers.get('cache-control'), 'no-store, no-transform');
    assert.equal(headers.get('x-accel-buffering'), 'no');
    assert.equal(headers.get('x-event-header-prefix'), 'X-Service');
    assert.ok(headers.has('ratelimit'));
    assert.equal(await reader.until(written([2])), RETRY + written([1, 2]));
    const id = idOf('key_account', 'erp-1');
    const [opened] = owners.asked('open-stream');
    assert.deepEqual(opened?.address, { kind: 'organization', key: ORG });
    const { id: _, ...command } = opened?.command ?? {};
    const events = ['message.received', 'deal.won'];
    const named = { streamId: id, keyId: 'key_account', name: 'erp-1', events };
    assert.deepEqual(command, { type: 'open-stream', ...named });
    const [first] = owners.asked('read-stream');
    assert.deepEqual(first?.address, { kind: 'subscription', key: id });
    const { after, connection, generation } = first?.command ?? {};
    assert.deepEqual([after, connection, generation], [0, 1, BEGUN_AT]);
    assert.ok(first && !('acknowledged' in first.command));
    owners.push(id, push(2, [3]));
    assert.equal(await reader.until(written([3])), RETRY + written([1, 2, 3]));
  });

  test('has one name for each key, and all events of the contract, unless it is told', async () => {
    await using owners = await startOwners();
    for (const [key, keyId] of [
      [ACCOUNT_KEY, 'key_account'],
      [CHANNEL_KEY, 'key_shop'],
    ] as const) {
      using reader = await read(owners, EVENTS, { key });
      await reader.until(RETRY);
      const { command } = owners.asked('open-stream').at(-1) ?? {};
      assert.deepEqual([command?.streamId, command?.name], [idOf(keyId), 'default']);
      assert.deepEqual(command?.events, ['*']);
    }
  });

  test('goes on behind Last-Event-ID, which only its first good read carries', async () => {
    await using owners = await startOwners();
    owners.onRead = (_, number) => {
      if (number === 0) throw new Error('the owner is being replaced');
      return number === 1 ? page([5], { more: true }) : page([6]);
    };
    const headers = { 'last-event-id': 'dlv_4' };
    using reader = await read(owners, EVENTS, { headers });
    await reader.until(written([6]));
    const reads = owners.asked('read-stream').map(({ command }) => command);
    const behind = reads.map(({ after, acknowledged }) => [after, acknowledged].join(' ').trim());
    assert.deepEqual(behind, ['0 dlv_4', '0 dlv_4', '5']);
    assert.equal(new Set(reads.map(({ id }) => id)).size, 3);
  });

  test('is counted as one call, and leaves one line in the log', async () => {
    await using owners = await startOwners();
    owners.onRead = () => ({ outcome: 'replaced' });
    using reader = await read(owners);
    assert.match(await reader.ended(), /event: replaced\nretry: 60000\ndata: \{\}\n\n$/);
    const [admitted, ...more] = owners.asked('admit');
    assert.ok(admitted && more.length === 0 && !('isUncounted' in admitted.command));
    await waitFor(() => owners.logged.length > 0, { what: 'the line of the request' });
    const [line, ...others] = owners.logged;
    assert.deepEqual(others, []);
    const keyPrefix = ACCOUNT_KEY.slice(0, 12);
    const told = { operationId: 'streamEvents', orgId: ORG, keyPrefix, status: 200 };
    assert.partialDeepStrictEqual(line, told);
  });

  test('is refused as other calls are, and as its owner refuses it', async () => {
    await using owners = await startOwners();
    assert.equal((await owners.send(EVENTS, { key: REVOKED_KEY })).status, 401);
    const limited = await owners.send(EVENTS, { key: LIMITED_KEY });
    assert.deepEqual([limited.status, limited.headers.get('retry-after')], [429, '17']);
    for (const method of ['HEAD', 'POST', 'DELETE']) {
      const refused = await owners.send(EVENTS, { method });
      assert.deepEqual([refused.status, refused.headers.get('allow')], [405, 'GET']);
    }
    owners.onOpen = () => json(409, { error: 'São streams demais.' });
    const tooMany = await owners.send(EVENTS);
    assert.equal(tooMany.status, 409);
    assert.deepEqual(await tooMany.json(), { error: 'São streams demais.' });
    owners.onOpen = () => {
      throw new Error('no owner');
    };
    assert.equal((await owners.send(EVENTS)).status, 500);
    assert.equal(owners.gateway.eventStreams.count, 0);
  });

  test('any other name, and any other event, is 422 at its parameter', async () => {
    await using owners = await startOwners();
    const wrong = [
      ...['name=', 'name=Erp', 'name=a_b', `name=${'a'.repeat(41)}`, 'name=a&name=b'],
      ...['name=%C3%A9', 'name=a%0A'],
      ...['events=', 'events=message', 'events=*,', 'events=message.sent,%20deal.won'],
      ...['events=subscription.test', 'events=message.sent;deal.won'],
    ];
    for (const query of wrong) {
      const refused = await owners.send(`${EVENTS}?${query}`);
      assert.deepEqual(await issuePaths(refused), [query.split('=')[0]], query);
    }
    assert.deepEqual(owners.asked('open-stream'), []);
    const good = ['name=0', `name=${'a'.repeat(40)}`, 'events=*', 'events=deal.reopened,*,*'];
    for (const query of good) {
      using reader = await read(owners, `${EVENTS}?${query}`);
      assert.equal(reader.response.status, 200, query);
    }
    assert.deepEqual(owners.asked('open-stream').at(-1)?.command.events, ['deal.reopened', '*']);
  });

  test('is released when its client goes', async () => {
    await using owners = await startOwners();
    const reader = await read(owners);
    await reader.until(RETRY);
    assert.deepEqual([owners.gateway.eventStreams.count, owners.heard.size], [1, 1]);
    reader[Symbol.dispose]();
    await waitFor(() => owners.gateway.eventStreams.count === 0, { what: 'it is released' });
    assert.equal(owners.heard.size, 0);
    await waitFor(() => owners.logged.length > 0, { what: 'the line of the request' });
    assert.equal(owners.logged[0]?.status, 0);
  });
});

describe('beside other calls', () => {
  test('streams stand outside load shedding, and count for nothing in it', async () => {
    await using owners = await startOwners();
    const { promise, resolve } = Promise.withResolvers<StreamRead>();
    owners.onRead = () => promise;
    const { loadShedder } = owners.gateway;
    const openAsks = OPEN_ASKS_ALWAYS;
    const held = Promise.withResolvers<number>();
    const { clock } = owners.gateway;
    const deadline = clock.now() + 1_000;
    const asks = Array.from({ length: openAsks }, () =>
      loadShedder.track(deadline, () => held.promise),
    );
    assert.equal((await owners.send('/api/v1/me')).status, 500);
    using reader = await read(owners);
    assert.equal(await reader.until(RETRY), RETRY);
    held.resolve(1);
    await Promise.all(asks.slice(1));
    const beside = await owners.send('/api/v1/me');
    assert.equal(beside.status, 201, 'its read is open, and not counted');
    resolve(page([1]));
    await reader.until(written([1]));
  });

  test('a gateway has so many, and refuses further ones before it asks', async () => {
    await using owners = await startOwners();
    const { eventStreams } = owners.gateway;
    const gate = Promise.withResolvers<void>();
    const opening = Array.from({ length: EVENT_STREAMS_PER_GATEWAY }, () =>
      eventStreams.track(() => gate.promise),
    );
    const refused = await owners.send(EVENTS);
    assert.equal(refused.status, 500);
    assert.match((await errorOf(refused)).error ?? '', /^Serviço sobrecarregado\. /);
    assert.deepEqual(owners.bus.asked, []);
    gate.resolve();
    await Promise.all(opening);
    using reader = await read(owners);
    assert.equal(reader.response.status, 200);
  });
});

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
    const uncounted = owners.asked('admit').map(({ command }) => command.isUncounted);
    assert.deepEqual(uncounted, [true, true]);
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
    const body = '{"results":[{"id":"a","status":1e9,"ms":1e999}]}';
    const infinite = await owners.send(ACK, { body });
    assert.deepEqual(await issuePaths(infinite), ['results.0.ms', 'results.0.status']);
    assert.deepEqual(owners.asked('acknowledge-stream'), []);
    const most = await owners.send(ACK, { body: { results: many.slice(1) } });
    assert.equal(most.status, 200);
  });
});
