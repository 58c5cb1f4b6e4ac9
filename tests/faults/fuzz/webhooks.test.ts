/**
 * The networks' posts, spoiled anywhere, through both drivers' parsers. Each outcome is one that
 * the port knows, and never an exception.
 */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import * as v from 'valibot';
import { systemClock } from '../../../infra/adapters/clock/clock.ts';
import { parseWebhook as parseCloud } from '../../../infra/adapters/network/cloud/webhook.ts';
import { parseWebhook as parseWeb } from '../../../infra/adapters/network/web/webhook.ts';
import type { WebhookOutcome } from '../../../shared/ports/network.ts';
import type { Provider } from '../../../shared/vocabulary.ts';
import {
  CLOUD_NETWORK,
  channelOf,
  WEB_NETWORK,
} from '../../support/infra/adapters/network/network-fixture.ts';
import { SeededRandom } from '../simulation/world/seeded-random.ts';
import { chosenCount, chosenSeed } from './chosen.ts';
import { corrupted, corruptedBytes } from './hostile.ts';
import { NetworkEventSchema } from './network-event.ts';
import { bridgeEvent, cloudBatch } from './webhook-batches.ts';

const CASES = 20_000;
/** The bridge's session works as the number that its events name. */
const CHANNELS = {
  cloud: channelOf('cloud'),
  web: { ...channelOf('web'), phone: '551140002000' },
};
const POSTED = {
  phones: ['5531988887777', '551133334444', '12025550143'],
  externalIds: ['wamid.1', 'wamid.2'],
  phoneNumberId: CLOUD_NETWORK.phoneNumberId,
  session: WEB_NETWORK.session,
};

const COMMON = ['unverified', 'malformed', 'message', 'echo', 'receipt', 'readiness'];
const RARE_ON_CLOUD = ['edit', 'deletion', 'identity', 'number-change', 'restriction'];

function bodyOf(random: SeededRandom, provider: Provider): Buffer {
  let value: unknown =
    provider === 'cloud' ? cloudBatch(random, POSTED) : bridgeEvent(random, POSTED);
  for (let times = random.below(4); times > 0; times--) value = corrupted(random, value);
  const bytes = Buffer.from(JSON.stringify(value) ?? '');
  return random.happens(0.1) ? corruptedBytes(random, bytes) : bytes;
}

function parse(provider: Provider, rawBody: Buffer, right: boolean): WebhookOutcome {
  const hmac = (algorithm: string, secret: string) =>
    createHmac(algorithm, right ? secret : `${secret}?`)
      .update(rawBody)
      .digest('hex');
  if (provider === 'cloud') {
    const headers = { 'x-hub-signature-256': `sha256=${hmac('sha256', CLOUD_NETWORK.appSecret)}` };
    return parseCloud(systemClock, CHANNELS.cloud, { headers, rawBody });
  }
  const headers = { 'x-webhook-hmac': hmac('sha512', WEB_NETWORK.webhookSecret) };
  return parseWeb(systemClock, CHANNELS.web, { headers, rawBody });
}

for (const provider of ['cloud', 'web'] as const) {
  test(`${provider}: whatever is posted is parsed, malformed or unsigned, and never throws`, (t) => {
    const seed = chosenSeed();
    const seen = new Map<string, number>();
    const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
    for (let number = 0; number < chosenCount(CASES); number++) {
      const random = new SeededRandom(seed + number);
      const body = bodyOf(random, provider);
      const right = random.happens(0.97);
      try {
        const outcome = parse(provider, body, right);
        assert.equal(outcome.verified, right);
        if (!outcome.verified) count('unverified');
        else if ('malformed' in outcome) count('malformed');
        else for (const event of outcome.events) count(v.parse(NetworkEventSchema, event).type);
      } catch (cause) {
        const shown = body.toString('utf8').slice(0, 2_000);
        throw new Error(`FUZZ_SEED=${seed + number} FUZZ_CASES=1: ${shown}`, { cause });
      }
    }
    t.diagnostic(`seed ${seed}: ${JSON.stringify(Object.fromEntries(seen))}`);
    if (chosenCount(CASES) < CASES) return;
    const rare = provider === 'cloud' ? RARE_ON_CLOUD : [];
    for (const what of [...COMMON, ...rare]) {
      assert.ok((seen.get(what) ?? 0) > CASES / 200, `${what} came up`);
    }
  });
}

test('web: an acknowledgement whose time is no date happened now', () => {
  for (const timestamp of [1e308, -1, 2 ** 53, '99999999999999999', null]) {
    const payload = { id: 'true_5531988887777@c.us_A', fromMe: true, ack: 2 };
    const event = { event: 'message.ack', session: POSTED.session, timestamp, payload };
    const before = Date.now();
    const outcome = parse('web', Buffer.from(JSON.stringify(event)), true);
    assert.ok(outcome.verified && 'events' in outcome);
    const [receipt] = outcome.events;
    assert.ok(receipt?.type === 'receipt');
    assert.ok(receipt.at >= before && receipt.at <= Date.now());
  }
});
