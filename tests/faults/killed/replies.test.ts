/** Replies of a number with 30,000 bulk messages before them, and after its owner was killed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MongoClient } from 'mongodb';
import { entryDocument } from '../../../actors/conversation/log/documents.ts';
import { databaseOf } from '../../../infra/adapters/mongo/client.ts';
import { packed } from '../../../infra/adapters/mongo/packing.ts';
import {
  conversationFixture,
  outboundFixture,
} from '../../support/actors/domain/message-fixture.ts';
import { freshPhone } from '../../support/api.ts';
import { killHard } from '../../support/kills.ts';
import { useOrganizations, useStack } from '../../support/stack-hooks.ts';
import { waitFor } from '../../support/wait-for.ts';

const BULK = 30_000;
const CONVERSATIONS = 300;
const INSERTED_AT_ONCE = 2_000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** A batch in flight, and the other message that may go before. */
const OTHERS_MAX = 2 + 1;

const stack = useStack();
const pace = { perSecond: 2, pairBurst: 10_000, pairEvery: '1ms' };
const { paced } = useOrganizations(stack, { paced: { pace } });

/** As they are once accepted: limits would have let them in for minutes. */
async function queueBulk(): Promise<void> {
  const { mongodbUrl } = stack.runFile();
  await using client = new MongoClient(mongodbUrl, { retryWrites: false });
  const entries = databaseOf(client, mongodbUrl).collection<{ _id: string }>('entries');
  const at = Date.now();
  for (let from = 0; from < BULK; from += INSERTED_AT_ONCE) {
    const some = Array.from({ length: INSERTED_AT_ONCE }, (_, index) => {
      const number = from + index;
      const seq = Math.floor(number / CONVERSATIONS) + 1;
      const place = { id: `cnv_bulk_${number % CONVERSATIONS}`, seq, queuedSeq: seq };
      const owner = { orgId: paced.id, channelId: paced.main, at, createdAt: at };
      const state = { ...conversationFixture(), ...place, ...owner };
      const expiring = { bulk: { expiresAt: at + DAY_MS }, createdAt: at };
      const message = outboundFixture({
        ...expiring,
        status: 'queued',
        text: `campanha ${number}`,
      });
      const queued = { state, message, outbox: [], queued: true, previousSeq: seq - 1 };
      return packed('entries', entryDocument(`msg_bulk_${number}`, queued));
    });
    await entries.insertMany(some, { ordered: false });
  }
}

/** Milliseconds from its 201 until the network has it, and the messages that went meanwhile. */
async function reply(text: string) {
  const phone = freshPhone();
  await stack.network.inbound({ channelId: paced.main, from: phone, text: 'Vocês entregam?' });
  const before = (await stack.network.sent()).length;
  await stack.send(paced.key, { channelId: paced.main, phone, text });
  const acceptedAt = performance.now();
  const others = await waitFor(
    async () => {
      const at = (await stack.network.sent()).findIndex((each) => each.text === text);
      return at < 0 ? null : at - before;
    },
    { what: `${text} is sent`, timeoutMs: 30_000 },
  );
  return { ms: performance.now() - acceptedAt, others };
}

test('a reply passes 30,000 bulk messages, and does so after its owner was killed', async (t) => {
  await queueBulk();
  const areGoing = async () => (await stack.network.sent()).length >= 3 || null;
  await waitFor(areGoing, { what: 'bulk messages go', timeoutMs: 120_000 });
  const before = await reply('Sim, entregamos.');
  assert.ok(before.others <= OTHERS_MAX, `${before.others} others before it`);
  await killHard(stack, 'actors');
  const after = await reply('Até 18h.');
  assert.ok(after.others <= OTHERS_MAX, `${after.others} others before it`);
  const [asIs, anew] = [before, after].map(({ ms }) => Math.round(ms));
  t.diagnostic(`${asIs} ms after its 201, and ${anew} ms once its owner was killed`);
  const texts = (await stack.network.sent()).map(({ text }) => text);
  assert.equal(new Set(texts).size, texts.length, 'nothing goes twice');
});
