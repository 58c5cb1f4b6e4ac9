/** The least access of every row, and what a key with less is answered (D446). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mayCall, refuseAccess } from '../../../gateway/access.ts';
import { type ApiRoute, apiRoute } from '../../../gateway/route.ts';
import { ROUTES } from '../../../gateway/routes.ts';
import { ACCESSES } from '../../../shared/vocabulary.ts';
import type { Caller } from '../../../shared/wire/caller.ts';
import {
  ACCOUNT,
  ACCOUNT_KEY,
  ASSISTANT_KEY,
  admission,
  EXPIRED_KEY,
  errorOf,
  MAIN,
  READ_KEY,
  SEND_KEY,
  SIGNED,
  startGateway,
  UNKNOWN_KEY,
  useGateway,
} from '../../support/gateway/gateway-fixture.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const API_ROWS = ROUTES.filter((route): route is ApiRoute => route.entrance === 'api');
const IDS = { id: 'mbr_1', sessionId: 'ses_1', personId: 'per_1' };
const MEMBER = { ...IDS, name: 'Ana', role: 'viewer' } as const;

describe('the column of the table', () => {
  test('each access includes those before it, and a key without one has all', () => {
    const table = ACCESSES.map((access) =>
      ACCESSES.filter((least) => mayCall({ ...ACCOUNT, access }, least)),
    );
    assert.deepEqual(table, [['read'], ['read', 'send'], ['read', 'send', 'full']]);
    assert.deepEqual(
      ACCESSES.filter((least) => mayCall(ACCOUNT, least)),
      ACCESSES,
    );
    assert.equal(mayCall({ ...ACCOUNT, member: MEMBER, access: 'read' }, 'full'), true);
  });

  test('reading needs the least there is, and so does acknowledging what was read', () => {
    const reads = API_ROWS.filter(({ access }) => access === 'read');
    const changing = reads.filter(({ method }) => method !== 'GET');
    assert.deepEqual(
      changing.map(({ operationId }) => operationId),
      ['acknowledgeEvents'],
    );
    for (const { method, access } of API_ROWS) if (method === 'GET') assert.equal(access, 'read');
  });

  test('messages, notes and flows need `send`', () => {
    const sending = API_ROWS.filter(({ access }) => access === 'send');
    assert.deepEqual(sending.map(({ operationId }) => operationId).sort(), [
      ...['cancelMessage', 'readMessage', 'sendMessage', 'startFlow', 'writeNote'],
    ]);
  });

  test('a row of the panel alone is for no key with less than everything', () => {
    const described = { operationId: 'x', summary: '', tag: '', answers: {} };
    const plan = () => ({ to: 'query', resource: 'organizations', payload: {} }) as const;
    const row = apiRoute({ ...described, method: 'POST', path: '/panel/api/x', plan });
    assert.equal(row.access, 'full');
  });

  test('the sentence names what would be enough, and what the key has', () => {
    assert.equal(refuseAccess(ACCOUNT, 'full'), null);
    assert.deepEqual(refuseAccess({ ...ACCOUNT, access: 'read' }, 'send'), {
      kind: 'access_too_low',
      sentence: 'Esta chamada precisa de uma chave com acesso `send` ou `full`; o desta é `read`.',
    });
  });
});

describe('a key of less access', () => {
  const gateway = useGateway();
  const post = (path: string, key: string, body: unknown) => gateway.send(path, { key, body });
  const MESSAGE = { channelId: MAIN, phone: '+5511988887777', text: 'oi' };
  const CONTACT = { phone: '+5511988887777' };

  test('is 403 with the sentence where the row needs more, and nothing is asked', async () => {
    const cases = [
      [READ_KEY, '/api/v1/messages', MESSAGE, 403],
      [READ_KEY, '/api/v1/contacts', CONTACT, 403],
      [SEND_KEY, '/api/v1/messages', MESSAGE, 201],
      [SEND_KEY, '/api/v1/contacts', CONTACT, 403],
      [SEND_KEY, `/api/webhooks/channel/${MAIN}`, CONTACT, 403],
      [ACCOUNT_KEY, '/api/v1/contacts', CONTACT, 201],
    ] as const;
    for (const [key, path, body, status] of cases) {
      const before = gateway.bus.commands().length;
      const answer = await post(path, key, body);
      assert.equal(answer.status, status, path);
      if (status !== 403) continue;
      const asked = gateway.bus.commands().slice(before);
      assert.deepEqual(
        asked.filter(({ command }) => command.type !== 'admit'),
        [],
      );
      assert.match((await errorOf(answer)).error ?? '', /precisa de uma chave com acesso/);
      assert.match(answer.headers.get('ratelimit') ?? '', /^"key"/);
    }
    assert.ok((await gateway.send('/api/v1/contacts', { key: READ_KEY })).ok);
  });

  test('a wrong body is 422 first, and a signature of a network is no key', async () => {
    assert.equal((await post('/api/v1/messages', READ_KEY, { phone: '1' })).status, 422);
    const headers = SIGNED.cloud;
    const path = `/networks/cloud/${MAIN}`;
    const answer = await gateway.send(path, { key: READ_KEY, headers, body: {} });
    assert.notEqual(answer.status, 403);
  });

  test('an access that was lowered counts for a caller that the gateway knows', async () => {
    await using other = await startGateway();
    assert.equal((await other.send('/api/v1/contacts', { body: CONTACT })).status, 201);
    const { onAsk } = other.bus;
    other.bus.onAsk = (asked) => {
      if (asked.command.type !== 'admit') return onAsk(asked);
      const { admission: given } = admission({ ...asked.command, knownVersion: null });
      assert.ok(given?.outcome === 'admitted-with-caller');
      const caller: Caller = { ...given.caller, access: 'read', version: 8 };
      return { status: 200, body: '', admission: { ...given, caller } };
    };
    const before = other.bus.commands().length;
    assert.equal((await other.send('/api/v1/contacts', { body: CONTACT })).status, 403);
    assert.equal(other.bus.commands().length, before);
  });
});

describe('a key that has expired', () => {
  test('is 401 with its own sentence, and costs its address what an unknown one does', async () => {
    await using gateway = await startGateway({ clock: new ManualClock() });
    for (let call = 0; call < 60; call++) {
      const answer = await gateway.send('/api/v1/me', { key: EXPIRED_KEY });
      assert.equal(answer.status, 401);
      assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
      assert.equal((await errorOf(answer)).error, 'Esta chave de API venceu.');
    }
    for (let call = 0; call < 40; call++) {
      await gateway.send('/api/v1/me', { key: `${UNKNOWN_KEY}${call}` });
    }
    assert.ok(gateway.gateway.throttle.tryConsume('127.0.0.1') > 0, 'no token is left');
  });
});

describe('the key of an AI assistant', () => {
  const gateway = useGateway();
  const commands = () =>
    gateway.bus.commands().flatMap(({ command }) => (command.type === 'admit' ? [] : [command]));

  test('changes with the origin `assistant`, under its name', async () => {
    const CONTACT = { phone: '+5511988887777', message: 'oi' };
    const cases = [
      ['/api/v1/messages', { channelId: MAIN, phone: CONTACT.phone, text: 'oi' }, 'sendMessage'],
      ['/api/v1/contacts', { phone: CONTACT.phone }, 'upsertContact'],
      ['/api/v1/tasks', { title: 'Ligar' }, 'createTask'],
      ['/api/v1/conversations/cnv_1/notes', { text: 'nota' }, 'writeNote'],
      [`/api/webhooks/channel/${MAIN}`, { phone: CONTACT.phone }, 'receiveInbound'],
    ] as const;
    for (const [path, body, operation] of cases) {
      const before = commands().length;
      await gateway.send(path, { key: ASSISTANT_KEY, body });
      const [command] = commands().slice(before);
      const by = {
        ...{ memberId: null, role: null, sessionId: null, name: 'Robô' },
        ...{ operation, address: '127.0.0.1', origin: 'assistant' },
      };
      assert.deepEqual([command?.origin, command?.by], ['assistant', by], operation);
    }
  });

  test('reads as any other, and other keys keep their origins', async () => {
    const before = commands().length;
    await gateway.send('/api/v1/me', { key: ASSISTANT_KEY });
    await gateway.send('/api/v1/contacts', { body: { phone: '+5511988887777' } });
    await gateway.send(`/api/webhooks/channel/${MAIN}`, { body: { phone: '+5511988887777' } });
    const made = commands().slice(before);
    assert.deepEqual(
      made.map(({ origin, by }) => [origin, by]),
      [
        [undefined, undefined],
        ['api', undefined],
        ['webhook', undefined],
      ],
    );
  });
});
