/** The spoiled link itself: it passes everything, and each trouble is what it says. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import { type Opened, serveTcp } from '../../support/stand-ins/server.ts';
import { waitFor } from '../../support/wait-for.ts';
import { Link } from './program/link.ts';

let echo: Opened;
/** Its end of the last connection. */
let serving: Socket;
let link: Link;
/** Bytes that reached the other end. */
let arrived = '';
let caller: Socket;
let answered = '';
let ended = false;

before(async () => {
  echo = await serveTcp((socket) => {
    serving = socket;
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      arrived += chunk.toString();
      socket.write(chunk);
    });
  });
  link = await Link.open({ name: 'caller-echo', upstream: echo, unit: () => 0.5 });
});
after(async () => {
  caller?.destroy();
  await link?.close();
  await echo?.close();
});

beforeEach(async () => {
  caller?.destroy();
  link.heal();
  arrived = '';
  await call();
});

async function call(): Promise<void> {
  answered = '';
  ended = false;
  caller = connect({ port: link.port, host: '127.0.0.1' });
  caller.on('error', () => caller.destroy());
  caller.on('data', (chunk) => {
    answered += chunk.toString();
  });
  caller.on('end', () => {
    ended = true;
  });
  await once(caller, 'connect');
  await waitFor(() => link.connections > 0, { what: 'the link sees the caller' });
}

const untilAnswered = (text: string) =>
  waitFor(() => answered === text, { what: `the answer ${text}` });

test('passes bytes in order, also when they are late', async () => {
  caller.write('a');
  await untilAnswered('a');
  link.degrade({ kind: 'delay', ms: 60, jitterMs: 40 });
  const sentAt = performance.now();
  caller.write('b');
  caller.write('c');
  await untilAnswered('abc');
  // Timers of Node.js may be a millisecond early.
  assert.ok(performance.now() - sentAt >= 118, 'a delay each way');
});

test('holds everything back while it stalls, and lets it go when healed', async () => {
  link.degrade({ kind: 'stall' });
  caller.write('held');
  link.degrade({ kind: 'mute' });
  caller.write(' and asked');
  await new Promise((resume) => setImmediate(resume));
  link.heal();
  await untilAnswered('held and asked');
});

test('lets what is asked arrive and no answer come back while it is mute', async () => {
  link.degrade({ kind: 'mute' });
  caller.write('asked');
  await waitFor(() => arrived === 'asked', { what: 'the question arrives' });
  assert.equal(answered, '');
  link.heal();
  await untilAnswered('asked');
});

test('lets what is said unasked pass and nothing that is asked while it is deaf', async () => {
  caller.write('before,');
  await untilAnswered('before,');
  link.degrade({ kind: 'deaf' });
  caller.write('asked');
  serving.write('unasked,');
  await untilAnswered('before,unasked,');
  assert.equal(arrived, 'before,');
  link.heal();
  await untilAnswered('before,unasked,asked');
});

test('drops what was under way for a caller who hung up', async () => {
  link.degrade({ kind: 'stall' });
  caller.write('given up');
  const before = link.connections;
  caller.destroy();
  await waitFor(() => link.connections < before, { what: 'the link sees that' });
  await call();
  caller.write('another');
  link.heal();
  await untilAnswered('another');
  assert.equal(arrived, 'another');
});

test('cuts connections and makes none until it is healed', async () => {
  link.degrade({ kind: 'cut' });
  await waitFor(() => caller.destroyed, { what: 'the connection breaks' });
  const refused = connect({ port: link.port, host: '127.0.0.1' });
  const [error] = await once(refused, 'error');
  assert.match(String(error), /ECONNRESET/);
  link.heal();
  await call();
  caller.write('again');
  await untilAnswered('again');
});

test('tells the caller of an end that is none', async () => {
  link.degrade({ kind: 'half-close' });
  await waitFor(() => ended, { what: 'the end' });
});
