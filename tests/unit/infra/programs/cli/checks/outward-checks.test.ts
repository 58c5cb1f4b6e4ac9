/** Findings of `doctor` at the networks' clocks and at the public address. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkAddress } from '../../../../../../infra/programs/cli/checks/address.ts';
import { GRAPH_URL } from '../../../../../../infra/programs/cli/checks/directory.ts';
import { tellRow } from '../../../../../../infra/programs/cli/checks/finding-sentences.ts';
import { checkNetworkClocks } from '../../../../../../infra/programs/cli/checks/network-clocks.ts';
import { json, type Reply, record } from '../../../../../support/stand-ins/server.ts';
import { useUntil } from '../../../../../support/test-hooks.ts';

const HOUR_MS = 3_600_000;
let reply: Reply = 200;
const server = useUntil(
  () => record(() => reply),
  ({ close }) => close(),
);

const clocks = async (...given: Parameters<typeof checkNetworkClocks>) =>
  tellRow(await checkNetworkClocks(...given));
const address = async (...given: Parameters<typeof checkAddress>) =>
  tellRow(await checkAddress(...given));

test('a clock that is an hour off is known by the answers of a network', async () => {
  const { url: origin } = server;
  const behind = await clocks([origin], () => Date.now() - HOUR_MS);
  assert.deepEqual([behind.ok, behind.detail], [false, `this clock is 60 min behind ${origin}`]);
  const ahead = await clocks([origin], () => Date.now() + 3 * HOUR_MS);
  assert.equal(ahead.detail, `this clock is 3 h ahead of ${origin}`);
  const right = await clocks([origin], Date.now);
  assert.deepEqual([right.ok, right.detail], [true, 'as this one at 1 of 1 networks asked']);
});

test('a network that does not answer is told at once, also where no channel has work', async () => {
  const { url: origin } = server;
  const { ok, detail } = await clocks([origin, 'http://127.0.0.1:2'], Date.now);
  assert.equal(ok, false);
  assert.match(detail, /^http:\/\/127\.0\.0\.1:2 does not answer here: \S+/);
});

test('an address that Meta cannot call is told before it is tried', async () => {
  for (const url of ['http://api.example.com', 'https://127.0.0.1:8080', 'https://10.0.0.7']) {
    const { ok, detail } = await address(url, [GRAPH_URL]);
    const reason = `Meta cannot call webhooks at ${url}: it wants a public https address`;
    assert.deepEqual([ok, detail], [false, reason]);
  }
});

test('an address that leads elsewhere is told with what it answers', async () => {
  const { url } = server;
  reply = json({ data: { alive: true } });
  assert.equal((await address(url, [])).ok, true);
  reply = 301;
  const { ok, detail } = await address(url, []);
  assert.deepEqual([ok, detail], [false, `${url}/healthz answers 301, not this service`]);
});
