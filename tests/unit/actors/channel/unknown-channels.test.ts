/** Webhooks to channels that do not exist: anybody can send them, so nothing of them is kept. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChannelActor } from '../../../../actors/channel/actor.ts';
import { Channel } from '../../../../actors/channel/channel.ts';
import type { Environment } from '../../../../actors/environment.ts';
import { Tenure } from '../../../../actors/runtime/owned-partitions.ts';
import { UNLINKED } from '../../../parts/actors/channel/sender-fixture.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { UNHEARD } from '../../../support/unheard.ts';

const CONTEXT = { deadline: Number.MAX_SAFE_INTEGER, repeat: false, epoch: 1 };
const quiet = (): void => undefined;

/** A partition in which the record knows these channels. */
function partition(known: readonly string[]): Tenure<Channel> {
  const channel = (id: string) => ({
    ...{ id, label: id, provider: 'cloud', phone: '551140001000', enabled: true },
    ...{ network: {}, secrets: {}, pace: { perSecond: 1, pairBurst: 1, pairEveryMs: 1 } },
  });
  const environment = {
    store: {
      findOne: async (_: string, filter: Readonly<Record<string, unknown>>) => {
        const id = String(filter['channels.id']);
        return known.includes(id) ? { _id: 'org_1', country: 'BR', channels: [channel(id)] } : null;
      },
    },
    clock: new ManualClock(),
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    live: UNHEARD,
    networks: {
      driver: () => ({
        parseWebhook: () => ({ verified: false }),
        challenge: () => null,
        status: async () => ({ ready: true }),
      }),
    },
    leaseHeld: () => true,
  };
  return new Tenure(
    1,
    (id) => new Channel({ id, epoch: 1 }, environment as unknown as Environment, UNLINKED),
  );
}

async function statusOf(
  senders: Tenure<Channel>,
  channelId: string,
  type: 'webhook' | 'challenge' | 'configure',
): Promise<number> {
  const command = { id: 'cmd', type, provider: 'cloud', headers: {}, query: {}, rawBody: '' };
  const answer = await new ChannelActor(channelId, senders).sharedHandler(command, CONTEXT);
  assert.ok(answer);
  return answer.status;
}

test('of unknown channels no desk stays, however many are named at once', async () => {
  const senders = partition([]);
  const asked = Array.from({ length: 500 }, (_, at) => [
    statusOf(senders, `chn_${at}`, 'webhook'),
    statusOf(senders, `chn_${at}`, 'challenge'),
  ]).flat();
  assert.deepEqual([...new Set(await Promise.all(asked))], [404]);
  assert.equal(senders.workers().length, 0);
});

test('the desk of a channel that is known stays, whatever is sent to it', async () => {
  const senders = partition(['chn_1']);
  const sender = senders.of('chn_1');
  assert.equal(await statusOf(senders, 'chn_1', 'webhook'), 401);
  assert.equal(await statusOf(senders, 'chn_1', 'challenge'), 403);
  assert.equal(await statusOf(senders, 'chn_1', 'configure'), 200);
  assert.equal(senders.of('chn_1'), sender);
  sender.close();
});

test('the desk of a channel that has gone stays while messages wait there', async () => {
  const senders = partition([]);
  const { conversations } = senders.of('chn_1').sender.queue;
  conversations.add({ conversationId: 'cnv_1', seq: 1, entryId: 'msg_1', urgency: 'normal' });
  assert.equal(await statusOf(senders, 'chn_1', 'webhook'), 404);
  assert.equal(senders.workers().length, 1);
});
