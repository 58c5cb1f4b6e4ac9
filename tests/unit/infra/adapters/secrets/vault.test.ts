import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { verify, verifyWithFallback } from '@octokit/webhooks-methods';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { createVault } from '../../../../../infra/adapters/secrets/vault.ts';

const vault = createVault(randomBytes(32).toString('base64'));
const PLACE = { orgId: 'org_1', recordId: 'chn_1', field: 'network.accessToken' };
const body = '{"event":"deal.created","data":{"id":"d_1"}}';
const freshDelivery = () => ({ id: 'dlv_01', timestamp: Math.floor(Date.now() / 1000), body });

const headersOf = ({ id, timestamp }: ReturnType<typeof freshDelivery>, signature: string) => ({
  ...{ 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signature },
});

test('the signatures are those of the test vector (decisions: Deliveries)', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  assert.deepEqual(vault.sign([secret], { id: 'dlv_01', timestamp: 1763668800, body }), {
    service: 'sha256=e8cbabf5ee00731d9d593b0c449759cfee8b81a9b8dc081a192685cfd6bc17cc',
    standard: 'v1,72pGLDW0K4N4gdgFlhxXL9NQcMFKOIMZ97zyaA++zSg=',
  });
});

test('both public verifiers accept a delivery, after a rotation with either secret', async () => {
  const [newest, old] = [vault.freshSecret(), vault.freshSecret()];
  const delivery = freshDelivery();
  const { service, standard } = vault.sign([newest, old], delivery);
  assert.ok(await verify(newest, body, service));
  assert.ok(!(await verify(old, body, service)));
  assert.ok(await verifyWithFallback(old, body, service, [newest]));
  assert.equal(standard.split(' ').length, 2);
  for (const secret of [newest, old]) {
    const verified = new Webhook(secret).verify(body, headersOf(delivery, standard));
    assert.deepEqual(verified, JSON.parse(body));
  }
});

test("a caller's own secret without the prefix is used raw for both", async () => {
  const secret = 'my own secret, no base64';
  const delivery = freshDelivery();
  const { service, standard } = vault.sign([secret], delivery);
  assert.ok(await verify(secret, body, service));
  new Webhook(secret, { format: 'raw' }).verify(body, headersOf(delivery, standard));
});

/**
 * Of fair bytes 2,048 samples show more than 200 of the 256 values in every byte. Each of the 256
 * bits is set in 35 to 65 of 100. A failure by chance is rarer than one in 10^30.
 */
test('a fresh secret is whsec_ and 32 random bytes', () => {
  const samples = Array.from({ length: 2_048 }, () => vault.freshSecret());
  for (const sample of samples) assert.match(sample, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.equal(new Set(samples).size, samples.length, 'none comes twice');
  const secrets = samples.map((sample) => Buffer.from(sample.slice('whsec_'.length), 'base64'));
  for (let at = 0; at < 32; at++) {
    const bytes = secrets.map((secret) => secret.readUInt8(at));
    assert.ok(new Set(bytes).size > 200, `byte ${at} takes ${new Set(bytes).size} values`);
    for (let bit = 0; bit < 8; bit++) {
      const share = bytes.filter((byte) => (byte >> bit) & 1).length / bytes.length;
      assert.ok(share > 0.35 && share < 0.65, `bit ${bit} of byte ${at} is set in ${share}`);
    }
    // No other byte, and not that of the secret before, says what a byte is.
    const alike = (other: (n: number) => number | undefined) =>
      bytes.filter((byte, n) => byte === other(n)).length / bytes.length;
    const shares = Array.from({ length: at }, (_, other) => alike((n) => secrets[n]?.[other]));
    const before = alike((n) => secrets[n - 1]?.[at]);
    const repeated = Math.max(before, ...shares);
    assert.ok(repeated < 0.05, `byte ${at} repeats another in ${repeated}`);
  }
});

test('what is sealed opens again, differs each time and hides the plain text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (plain) => {
      const sealed = vault.seal(plain, PLACE);
      assert.equal(vault.open(sealed, PLACE), plain);
      assert.notEqual(sealed, vault.seal(plain, PLACE));
      assert.match(sealed, /^v2\.[A-Za-z0-9_-]+$/);
    }),
    { numRuns: 1000 },
  );
});

test('what was tampered with, or sealed under another key, does not open', () => {
  const sealed = vault.seal('secret', PLACE);
  const bytes = Buffer.from(sealed.slice(3), 'base64url');
  for (let index = 0; index < bytes.length; index += 1) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
    assert.throws(() => vault.open(`v2.${changed.toString('base64url')}`, PLACE), /does not open/);
  }
  const other = createVault(randomBytes(32).toString('base64'));
  assert.throws(() => other.open(sealed, PLACE), /SECRETS_KEY/);
  for (const bad of ['', 'v1', 'v1.', 'v2.AAAA', 'v3.AAAA', 'plain']) {
    assert.throws(() => vault.open(bad, PLACE), /format/);
  }
});

test('a key of another length and an empty list of secrets are refused', () => {
  assert.throws(() => createVault('c2hvcnQ='), /32 bytes/);
  assert.throws(() => vault.sign([], freshDelivery()), /at least one secret/);
});

test('a secret opens in its own place only: not in another organization, record or field', () => {
  const sealed = vault.seal('secret', PLACE);
  const elsewhere = [
    { ...PLACE, orgId: 'org_2' },
    { ...PLACE, recordId: 'chn_2' },
    { ...PLACE, field: 'network.verifyToken' },
    // The same letters, cut at other places.
    { orgId: 'org_1c', recordId: 'hn_1', field: PLACE.field },
    { orgId: 'org_1","chn_1', recordId: '', field: PLACE.field },
  ];
  for (const place of elsewhere) assert.throws(() => vault.open(sealed, place), /for this place/);
  const asOlder = sealed.replace('v2', 'v1');
  assert.throws(() => vault.open(asOlder, PLACE), /not in a format/);
});
