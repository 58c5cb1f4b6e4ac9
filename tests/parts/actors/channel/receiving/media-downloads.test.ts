/** Media downloads: those of one network do not wait for another network that never answers. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { ChannelEnvironment } from '../../../../../actors/channel/readiness/configuration.ts';
import { OWN_NUMBER } from '../../../../../actors/channel/readiness/readiness-state.ts';
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
import type { Filter, FindOptions, Write } from '../../../../support/plain-store.ts';

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
      commit: async (writes: readonly Write[]) => writes.map((write) => database.apply(write)),
    },
    ...parts,
  } as unknown as ChannelEnvironment;
}

const HELD = {
  owned: { numbers: EVERY_PARTITION, tenuresNow: () => () => true },
  configurationOf: async (id: string) => ({ network: { id, provider: 'web' } }),
  numberOf: () => OWN_NUMBER,
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

describe('a session that works as another number', () => {
  const GONE = { downloaded: false, final: true, cause: 'no such message' };
  const LATER = { downloaded: false, final: false, cause: 'busy' };

  /** A channel with an old file, whose session works as another number until it is given back. */
  async function held(answer: () => Readonly<Record<string, unknown>>) {
    const clock = new ManualClock();
    const database = new Database();
    const old = dueAt('shop', 1, clock.now() - 16 * 60 * 1000);
    database.apply({ insert: 'entries', document: old });
    database.apply({ insert: 'entries', document: dueAt('works', 1, clock.now()) });
    const told: unknown[] = [];
    const asked: string[] = [];
    const number = { isOther: true, since: 0 };
    const download = async ({ id }: { id: string }) => {
      asked.push(id);
      return id === 'shop' ? answer() : GONE;
    };
    const environment = environmentOf(database, clock, {
      networks: { driver: () => ({ download }) },
      bus: settling(database, told),
    });
    const downloads = new MediaDownloads(environment, { add: () => undefined }, {
      ...HELD,
      numberOf: (id: string) => {
        return { isOther: id === 'shop' && number.isOther, ownSince: number.since };
      },
    } as unknown as OwnedChannels);
    const poll = async () => {
      downloads.poll();
      for (let turns = 0; turns < TURNS; turns++) await turn();
    };
    return { clock, asked, told, number, poll };
  }

  test('is asked for no file, which waits; others are fetched meanwhile', async () => {
    const { asked, told, number, poll } = await held(() => GONE);
    await poll();
    await poll();
    assert.deepEqual([asked, told], [['works'], [null]]);
    number.isOther = false;
    await poll();
    assert.deepEqual(
      [asked, told],
      [
        ['works', 'shop'],
        [null, null],
      ],
    );
  });

  test('that becomes known while it is asked: nothing is given up', async () => {
    const { asked, told, number, poll } = await held(() => {
      number.isOther = true;
      return GONE;
    });
    number.isOther = false;
    await poll();
    assert.deepEqual([asked.includes('shop'), told], [true, [null]]);
  });

  test('and is ours again: its files have their whole time from then on', async () => {
    const { clock, told, number, poll } = await held(() => LATER);
    number.isOther = false;
    number.since = clock.now() - 14 * 60 * 1000;
    await poll();
    assert.deepEqual(told, [null]);
    number.since = 0;
    clock.advance(2 * 60 * 1000);
    await poll();
    assert.deepEqual(told, [null, null]);
  });
});
