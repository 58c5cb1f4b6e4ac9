/**
 * The networks' posts, spoiled, doubled and in disorder, through the real service. The answers are
 * the driver's contract (accepted 200, malformed 400, unsigned 401). After each batch a well-formed
 * message is accepted as usual.
 */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { before, test } from 'node:test';
import type { Provider } from '../../../shared/vocabulary.ts';
import { freshPhone } from '../../support/api.ts';
import { bridgePost, postToShop } from '../../support/infra/adapters/network/web/bridge.ts';
import { cloudPost, cloudText } from '../../support/network.ts';
import { useOrganizations, useStack } from '../../support/stack-hooks.ts';
import { SeededRandom } from '../simulation/world/seeded-random.ts';
import { chosenCount, chosenSeed } from './chosen.ts';
import { corrupted, corruptedBytes } from './hostile.ts';
import { bridgeEvent, cloudBatch, type Posted } from './webhook-batches.ts';

const CASES = 300;

const stack = useStack();
const { org } = useOrganizations(stack, { org: {} });
let posted: Posted;

before(async () => {
  const phones = [freshPhone(), freshPhone(), freshPhone()];
  const sends = await Promise.all(
    phones.map((phone) => stack.send(org.key, { channelId: org.main, phone, text: 'olá' })),
  );
  const read = await Promise.all(sends.map((sent) => stack.messageIn(org.key, sent, 'read')));
  const externalIds = read.map(({ externalId }) => externalId ?? '');
  posted = { phones, externalIds, phoneNumberId: org.phoneNumberId, session: org.session };
});

interface Post {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly signed: boolean;
}

function postOf(random: SeededRandom, provider: Provider): Post {
  let value: unknown =
    provider === 'cloud' ? cloudBatch(random, posted) : bridgeEvent(random, posted);
  for (let times = random.below(4); times > 0; times--) value = corrupted(random, value);
  const bytes = Buffer.from(JSON.stringify(value) ?? '');
  const body = random.happens(0.05) ? corruptedBytes(random, bytes) : bytes;
  const signed = random.happens(0.95);
  const hmac = (algorithm: string, secret: string) =>
    createHmac(algorithm, signed ? secret : 'another')
      .update(body)
      .digest('hex');
  const headers: Record<string, string> =
    provider === 'cloud'
      ? { 'x-hub-signature-256': `sha256=${hmac('sha256', org.appSecret)}` }
      : { 'x-webhook-hmac': hmac('sha512', `webhook-secret-${org.ref}`) };
  return { body, headers, signed };
}

async function acceptedAsUsual(provider: Provider, number: number): Promise<void> {
  const phone = freshPhone();
  const { status, text } =
    provider === 'cloud'
      ? await stack.request('POST', `/networks/cloud/${org.main}`, {
          ...cloudPost(org.appSecret, org.phoneNumberId, {
            messages: [cloudText(phone, `wamid.good-${number}`, 'bem formada')],
          }),
        })
      : await postToShop(
          stack,
          org,
          bridgePost(org, 'message.any', {
            id: `false_${phone}@c.us_GOOD${number}`,
            timestamp: Math.floor(Date.now() / 1_000),
            from: `${phone}@c.us`,
            fromMe: false,
            body: 'bem formada',
          }),
        );
  assert.equal(status, 200, text);
  const contact = await stack.contact(org.key, phone);
  const { data } = await stack.conversations(org.key, `?contactId=${contact?.id}`);
  assert.deepEqual(
    data.map(({ lastMessagePreview }) => lastMessagePreview),
    ['bem formada'],
  );
}

for (const provider of ['cloud', 'web'] as const) {
  test(`${provider}: whatever is posted, the next well-formed message is taken`, async (t) => {
    const seed = chosenSeed();
    const { pids } = stack.runFile();
    const statuses = new Map<number, number>();
    const path = `/networks/${provider}/${provider === 'cloud' ? org.main : org.shop}`;
    for (let number = 0; number < chosenCount(CASES); number++) {
      const random = new SeededRandom(seed + number);
      const { body, headers, signed } = postOf(random, provider);
      const told = () => `FUZZ_SEED=${seed + number} FUZZ_CASES=1: ${body.toString('base64')}`;
      const posts = Array.from({ length: random.happens(0.2) ? 3 : 1 }, () =>
        stack.request('POST', path, { body, headers }),
      );
      for (const { status, text } of await Promise.all(posts)) {
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        const right = signed ? status === 200 || status === 400 : status === 401;
        if (!right) assert.fail(`${status} ${text}: ${told()}\n${stack.story()}`);
      }
      if (number % 3 === 0) await acceptedAsUsual(provider, seed + number);
    }
    t.diagnostic(`seed ${seed}: ${JSON.stringify(Object.fromEntries(statuses))}`);
    assert.deepEqual(stack.runFile().pids, pids, 'no process died');
  });
}
