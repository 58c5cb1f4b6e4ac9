/** A stolen gateway or panel gives away neither the store nor the key of its secrets. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { startSecondGateway } from '../../support/second-gateway.ts';
import { startStack } from '../../support/stack.ts';
import { useOrganizations, useStack } from '../../support/stack-hooks.ts';

const KEY = randomBytes(32).toString('base64');
const STORE = /^(MONGODB_URL|SECRETS_KEY|SECRETS_KEY_LOST|RECADO_SECRETS_KEY_FILE)=/;

const stack = useStack(() =>
  startStack({ settings: { FORMATION: 'gateway=2,panel=1', SECRETS_KEY: KEY } }),
);
const { shop } = useOrganizations(stack, { shop: {} });

/** As the kernel shows it to whoever runs as the process's user. */
function environmentOf(pid: number): readonly string[] {
  return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
}

describe('the environment of a role', { skip: process.platform !== 'linux' }, () => {
  test('of gateways and the panel leads to no store and opens no secret', () => {
    const { pids, mongodbUrl } = stack.runFile();
    const fronts = [...(pids.gateway ?? []), ...(pids.panel ?? [])];
    assert.equal(fronts.length, 3);
    for (const entries of fronts.map(environmentOf)) {
      assert.ok(entries.some((entry) => entry.startsWith('NATS_URL=')));
      assert.deepEqual(
        entries.filter((entry) => STORE.test(entry)),
        [],
      );
      assert.ok(!entries.some((entry) => entry.includes(KEY) || entry.includes(mongodbUrl)));
    }
    assert.ok(environmentOf(stack.pid('actors')).includes(`SECRETS_KEY=${KEY}`));
  });
});

test('a gateway serves without them, and whatever they are', async () => {
  for (const settings of [{}, { MONGODB_URL: 'nowhere', SECRETS_KEY: 'no key' }]) {
    const gateway = await startSecondGateway(stack, settings);
    try {
      const me = await gateway.call('GET', '/api/v1/me', { key: shop.key });
      assert.equal(me.status, 200);
    } finally {
      await gateway.stop();
    }
  }
});
