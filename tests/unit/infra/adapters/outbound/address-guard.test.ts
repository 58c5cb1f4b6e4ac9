import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { request } from 'undici';
import {
  classifyAddress,
  createAddressGuard,
  targetOf,
} from '../../../../../infra/adapters/outbound/address-guard.ts';
import { createOutbound } from '../../../../../infra/adapters/outbound/safe-fetch.ts';
import {
  INTERNAL_SPELLINGS,
  LOOPBACK_SPELLINGS,
  UNSPECIFIED_SPELLINGS,
} from '../../../../support/infra/adapters/outbound/internal-spellings.ts';
import { realClock } from '../../../../support/infra/adapters/outbound/real-clock.ts';
import { listen } from '../../../../support/stand-ins/listener.ts';

const EVERY_SPELLING = [...LOOPBACK_SPELLINGS, ...UNSPECIFIED_SPELLINGS, ...INTERNAL_SPELLINGS];

test('no spelling of an internal address reaches a listener (design, invariant 10)', async () => {
  await using listener = await listen((_, response) => response.end());
  const outbound = createOutbound({ allow: [], loopback: false, clock: realClock });
  for (const host of EVERY_SPELLING) {
    const url = `http://${host}:${listener.port}/hook`;
    const outcome = await outbound.post(url, '{}', {});
    assert.equal(outcome.ok, false, host);
    if (!outcome.ok) assert.equal(outcome.kind, 'blocked_address', `${host}: ${outcome.error}`);
    assert.notEqual(await outbound.refuse(url), null, host);
  }
  assert.ok(EVERY_SPELLING.length >= 60);
  assert.equal(listener.connections(), 0);
  await outbound.close();
});

test('the loopback spellings do reach the listener without a guard', async () => {
  await using listener = await listen((_, response) => response.end());
  for (const host of LOOPBACK_SPELLINGS) {
    const answer = await request(`http://${host}:${listener.port}/`).catch(() => null);
    if (answer === null) assert.match(host, /^\[/, `${host} is no spelling of the listener`);
    await answer?.body.dump();
  }
  assert.ok(listener.connections() > 0);
});

test('EVENTS_TO_LOOPBACK admits the loopback range and nothing else', async () => {
  await using listener = await listen((_, response) => response.end());
  const outbound = createOutbound({ allow: [], loopback: true, clock: realClock });
  for (const host of [...LOOPBACK_SPELLINGS, 'localhost']) {
    assert.equal(await outbound.refuse(`http://${host}:${listener.port}/`), null, host);
  }
  for (const host of [...UNSPECIFIED_SPELLINGS, ...INTERNAL_SPELLINGS]) {
    const outcome = await outbound.post(`http://${host}:${listener.port}/`, '{}', {});
    assert.equal(outcome.ok ? 'reached' : outcome.kind, 'blocked_address', host);
  }
  assert.equal(listener.connections(), 0);
  await outbound.close();
});

test('PRIVATE_NETWORK_ALLOW admits a host on its port only, by name and by address', () => {
  const guard = createAddressGuard({
    allow: ['crm.internal:8080', '10.0.0.5:443', '[fd00::1]:9000'],
    loopback: false,
  });
  const admits = (address: string, url: string) => guard.admits(address, targetOf(new URL(url)));
  assert.ok(admits('10.1.1.1', 'http://CRM.internal.:8080/hook'));
  assert.ok(admits('10.0.0.5', 'https://10.0.0.5/'));
  assert.ok(admits('10.0.0.5', 'https://any.example/'));
  assert.ok(admits('::ffff:10.0.0.5', 'https://[::ffff:10.0.0.5]/'));
  assert.ok(admits('fd00::1', 'http://[fd00:0::1]:9000/'));
  assert.ok(!admits('10.1.1.1', 'http://crm.internal:8081/'));
  assert.ok(!admits('10.0.0.5', 'http://10.0.0.5/'));
  assert.ok(!admits('10.0.0.6', 'https://10.0.0.6/'));
  for (const bad of ['crm.internal', 'crm:0x50', ':80', 'a/b:80', 'u@h:80', 'h:70000']) {
    assert.throws(() => createAddressGuard({ allow: [bad], loopback: false }), /host:port/, bad);
  }
});

test('public addresses are public, and what cannot be read is internal', () => {
  const v4 = ['1.1.1.1', '93.184.215.14', '172.32.0.1', '100.128.0.1', '11.0.0.1'];
  const v6 = ['2606:4700:4700::1111', '2a00:1450:4001::200e', '::ffff:8.8.8.8'];
  for (const address of [...v4, ...v6]) assert.equal(classifyAddress(address), 'public', address);
  for (const address of ['', 'localhost', '1.1.1', 'fe80::1%eth0', '1.1.1.1 ', '::8.8.8.8']) {
    assert.notEqual(classifyAddress(address), 'public', address);
  }
});

test('an IPv4-mapped address is judged as its IPv4 address', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      assert.equal(classifyAddress(`::ffff:${address}`), classifyAddress(address));
    }),
    { numRuns: 1000 },
  );
});

test('no IPv6 address outside 2000::/3 is public but a mapped one', () => {
  fc.assert(
    fc.property(fc.ipV6(), (address) => {
      const first = Number.parseInt(address.split(':')[0] || '0', 16);
      const global = first >= 0x2000 && first <= 0x3fff;
      const mapped = /ffff:/i.test(address);
      if (classifyAddress(address) === 'public') assert.ok(global || mapped, address);
    }),
    { numRuns: 1000 },
  );
});
