/** Media downloads: those of one network do not wait for another network that never answers. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { ChannelEnvironment } from '../../../../../actors/channel/readiness/configuration.ts';
import {
  MediaDownloads,
  type OwnedChannels,
} from '../../../../../actors/channel/receiving/media-downloads.ts';
import type { Address } from '../../../../../shared/ports/bus.ts';
import { EVERY_PARTITION, shelved } from '../../../../../shared/wire/subjects.ts';
import { Database } from '../../../../faults/simulation/memory/database.ts';
import { conversationFixture } from '../../../../support/actors/domain/message-fixture.ts';
import { SILENT } from '../../../../support/engine.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import type { Filter, FindOptions } from '../../../../support/plain-store.ts';

const TURNS = 50;

function dueAt(channelId: string, n: number, at: number) {
  return {
    _id: `msg_${channelId}_${n}`,
    ...{ conversationId: `cnv_${channelId}`, seq: n, orgId: 'org_1', channelId },
    after: { ...conversationFixture({ id: `cnv_${channelId}` }), at },
    mediaDue: {
      ...shelved('channel', channelId),
      ...{ at, attempt: 0, media: { mimeType: 'image/png' } },
    },
  };
}

/** The world of the arrivals: what the network does is the test's. */
function environmentOf(
  database: Database,
  clock: ManualClock,
  parts: Readonly<Record<string, unknown>>,
) {
  return {
    clock,
    log: SILENT,
    leaseHeld: () => true,
    ids: { fresh: (prefix: string) => `${prefix}_x`, derive: () => 'x', digest: () => 'x' },
    store: {
      find: async (from: string, filter: Filter, options?: FindOptions) =>
        database.find(from, filter, options),
    },
    ...parts,
  } as unknown as ChannelEnvironment;
}

const HELD = {
  owned: { numbers: EVERY_PARTITION, tenuresNow: () => () => true },
  configurationOf: async (id: string) => ({ network: { id, provider: 'web' } }),
} as unknown as OwnedChannels;

/** Removes the mark of due media from an entry, as its conversation does. */
function settling(database: Database, told: unknown[] = []) {
  return {
    ask: async ({ key }: Address, { messageId, media }: { messageId: string; media: unknown }) => {
      const change = { $unset: { mediaDue: '' } };
      const filter = { _id: messageId, conversationId: key };
      database.apply({ update: 'entries', filter, change });
      told.push(media);
      return { status: 200, body: '{}' };
    },
  };
}

test('a hundred files of a hanging network hold up no other', async () => {
  const clock = new ManualClock();
  const database = new Database();
  for (let n = 0; n < 100; n++) {
    database.apply({ insert: 'entries', document: dueAt('hangs', n, clock.now() - 1_000 + n) });
  }
  database.apply({ insert: 'entries', document: dueAt('works', 1, clock.now()) });
  const asked: string[] = [];
  const download = async ({ id }: { id: string }) => {
    asked.push(id);
    if (id === 'hangs') await new Promise(() => undefined);
    return { downloaded: false, final: true, cause: 'gone' };
  };
  const networks = { driver: () => ({ download }) };
  const environment = environmentOf(database, clock, { networks, bus: settling(database) });
  new MediaDownloads(environment, { add: () => undefined }, HELD).poll();
  for (let turns = 0; turns < TURNS; turns++) await turn();
  assert.ok(asked.includes('works'), String(asked));
  assert.equal(asked.filter((id) => id === 'hangs').length, 2);
});

test('a file that always breaks off is given up once its network has let it go', async () => {
  const clock = new ManualClock();
  const database = new Database();
  const long = clock.now() - 16 * 60 * 1000;
  database.apply({ insert: 'entries', document: dueAt('old', 1, long) });
  const told: unknown[] = [];
  let discarded = 0;
  const download = async () => ({
    downloaded: true,
    mimeType: 'image/png',
    body: [],
    discard: () => void discarded++,
  });
  const environment = environmentOf(database, clock, {
    networks: { driver: () => ({ download }) },
    bus: settling(database, told),
    media: { keep: () => Promise.reject(new Error('cut off')) },
  });
  new MediaDownloads(environment, { add: () => undefined }, HELD).poll();
  for (let turns = 0; turns < TURNS; turns++) await turn();
  assert.deepEqual(told, [null]);
  assert.equal(discarded, 1);
});
