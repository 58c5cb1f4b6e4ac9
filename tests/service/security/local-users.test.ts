/**
 * Other users of the machine reach the loopback. The embedded NATS server and the simulator do
 * nothing for them without the token of this start (D118).
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { connect as openSocket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { connect } from 'nats';
import { natsAccess } from '../../../infra/adapters/nats/access.ts';
import { freshPhone } from '../../support/api.ts';
import { killHard } from '../../support/kills.ts';
import { useOrganizations, useStack } from '../../support/stack-hooks.ts';

const TOKEN = /^[A-Za-z0-9_-]{32,}$/;

const stack = useStack();
const { shop } = useOrganizations(stack, { shop: {} });

const nats = () => new URL(stack.runFile().natsUrl);
const simulator = () => new URL(stack.runFile().sandboxUrl);

/** The server's answer to these lines. */
async function saidTo(...lines: readonly string[]): Promise<string> {
  const socket = openSocket(Number(nats().port), nats().hostname);
  socket.write(lines.map((line) => `${line}\r\n`).join(''));
  return text(socket);
}

describe('the addresses of one start', () => {
  test('run.json holds both tokens and is its owner’s alone', () => {
    const file = join(stack.dataDir, 'run.json');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.match(decodeURIComponent(nats().username), TOKEN);
    assert.match(simulator().pathname.slice(1), TOKEN);
    assert.notEqual(nats().username, simulator().pathname.slice(1));
  });

  // Where arguments are files; other systems show them to everybody in the same way.
  const visible = { skip: process.platform !== 'linux' };
  test('no process shows a token in its arguments, and no log holds one', visible, () => {
    const tokens = [nats().username, simulator().pathname.slice(1)];
    const shown = [
      ...readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .map((pid) => `/proc/${pid}/cmdline`),
      ...readdirSync(join(stack.dataDir, 'logs')).map((name) => join(stack.dataDir, 'logs', name)),
    ];
    const read = shown.flatMap((file) => readIfThere(file) ?? []);
    assert.ok(
      read.some((words) => words.includes('nats-server')),
      'there was something to see',
    );
    for (const words of read) assert.ok(!tokens.some((token) => words.includes(token)));
  });
});

describe('the embedded NATS server', () => {
  test('whoever has no token, or another, is turned away before anything is carried', async () => {
    const server = { servers: `${nats().hostname}:${nats().port}`, reconnect: false };
    for (const credentials of [{}, { token: 'guess' }, { user: 'a', pass: 'b' }]) {
      await assert.rejects(connect({ ...server, ...credentials }), /Authorization Violation/);
    }
    const said = await saidTo('CONNECT {"verbose":true}', 'SUB recado.> 1', 'PING');
    assert.match(said, /-ERR 'Authorization Violation'/);
    assert.doesNotMatch(said, /PONG|\+OK/);
  });

  test('the command line and every role get in with the address of run.json', async () => {
    const connection = await connect({ ...natsAccess(stack.runFile().natsUrl), reconnect: false });
    assert.ok(connection.info?.auth_required);
    await connection.close();
    await stack.ask('actors');
  });

  test('killed, it comes back at the same address with the same token', async () => {
    const before = stack.runFile().natsUrl;
    await killHard(stack, 'nats');
    const { key, main } = shop;
    const sent = await stack.send(key, { channelId: main, phone: freshPhone(), text: 'oi' });
    await stack.messageIn(key, sent, 'read');
    assert.equal(stack.runFile().natsUrl, before);
    await assert.rejects(
      connect({ servers: `${nats().hostname}:${nats().port}`, reconnect: false }),
      /Authorization Violation/,
    );
  });
});

describe('the simulator', () => {
  const call = (path: string, init?: RequestInit) => fetch(`${simulator().origin}${path}`, init);

  test('without the token nothing is told and nothing is done', async () => {
    const { key, main } = shop;
    const phone = freshPhone();
    const sent = await stack.send(key, { channelId: main, phone, text: 'segredo' });
    await stack.messageIn(key, sent, 'read');
    const inbound = { body: JSON.stringify({ channelId: main, from: phone, text: 'x' }) };
    const fault = { body: JSON.stringify({ phoneNumberId: shop.phoneNumberId, status: 500 }) };
    const wrong = 'A'.repeat(simulator().pathname.length - 1);
    for (const prefix of ['', `/${wrong}`, `${simulator().pathname}x`, '/%2e', '//']) {
      const tried = await Promise.all([
        call(`${prefix}/control/sent`),
        call(`${prefix}/control`, { method: 'DELETE' }),
        call(`${prefix}/control/inbound`, { method: 'POST', ...inbound }),
        call(`${prefix}/control/faults`, { method: 'POST', ...fault }),
        call(`${prefix}/v26.0/${shop.phoneNumberId}`),
        call(`${prefix}/api/sessions/x`),
      ]);
      for (const answer of tried) {
        assert.equal(answer.status, 404, prefix);
        assert.doesNotMatch(await answer.text(), /segredo/);
      }
    }
    const answer = await fetch(`${stack.sandboxUrl}/control/sent?to=${phone.replace(/\D/g, '')}`);
    const { data } = Object(await answer.json());
    assert.equal(data.length, 1, 'what was accepted is still on its list');
    const next = await stack.send(key, { channelId: main, phone, text: 'de novo' });
    await stack.messageIn(key, next, 'read');
  });

  test('a file is fetched with the channel’s own key, as from a network, and not without', async () => {
    assert.equal((await call('/media/unknown')).status, 401);
  });
});

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // The process has ended, or belongs to another user.
    return null;
  }
}
