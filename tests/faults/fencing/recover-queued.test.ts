/**
 * Messages queued by an owner that ended right after it had answered sends. Every conversation is
 * on the lists of the next owner, for any order of its partitions and any number of queued
 * messages.
 */

import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { EntryDocument } from '../../../actors/conversation/api.ts';
import { entryDocument } from '../../../actors/conversation/documents.ts';
import type { Environment } from '../../../actors/environment.ts';
import { createKinds } from '../../../actors/kinds.ts';
import type { Kind } from '../../../actors/runtime/api.ts';
import { createIds } from '../../../infra/adapters/ids/ids.ts';
import { createStore } from '../../../infra/adapters/mongo/store.ts';
import type { Address } from '../../../shared/ports/bus.ts';
import type { Document, Filter, FindOptions, Store } from '../../../shared/ports/store.ts';
import { partitionOf } from '../../../shared/wire/subjects.ts';
import {
  conversationFixture,
  outboundFixture,
} from '../../support/actors/domain/message-fixture.ts';
import { fileEngine, SILENT } from '../../support/engine.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { UNHEARD } from '../../support/unheard.ts';

const EPOCH = 2;
/** So many turns of the event loop let everything happen that follows from an answer. */
const TURNS = 12;
const quiet = (): void => undefined;

const engine = fileEngine();
let store: Store;
let clock: ManualClock;

before(() => {
  store = createStore(engine.mongo);
});
beforeEach(async () => {
  clock = new ManualClock();
  for (const name of ['entries', 'conversations'])
    await engine.mongo.db.collection(name).deleteMany();
});

interface Overrides {
  readonly store?: Store;
  readonly ask?: (to: Address) => Promise<unknown>;
}

/** The conversations of a process that has just started. */
function conversations(overrides: Overrides = {}): Required<Pick<Kind, 'acquire'>> & Kind {
  const ask = overrides.ask ?? (async () => ({ status: 200, body: '{}' }));
  const environment = {
    store: overrides.store ?? store,
    clock,
    random: { unit: () => 0.5 },
    ids: createIds(Buffer.alloc(32, 7)),
    log: SILENT,
    live: UNHEARD,
    bus: { ask, nudge: quiet, answerAll: quiet },
    settings: {},
    leaseHeld: () => true,
  } as unknown as Environment;
  const [kind] = createKinds(environment, ['conversation']);
  assert.ok(kind?.acquire);
  return { ...kind, acquire: kind.acquire };
}

/** Ids of conversations, all of one partition each. */
function conversationsIn(partition: number, count: number): string[] {
  const ids: string[] = [];
  for (let n = 0; ids.length < count; n++) {
    const id = `cnv_${partition}_${n}`;
    if (partitionOf('conversation', id) === partition) ids.push(id);
  }
  return ids;
}

function queued(conversationId: string): EntryDocument {
  const state = { ...conversationFixture({ id: conversationId }), seq: 1, at: clock.now() };
  const message = outboundFixture({ text: 'oi' });
  return entryDocument(`msg_${conversationId}`, { state, message, outbox: [], queued: true });
}

async function answered(ids: readonly string[]): Promise<void> {
  const documents = ids.map((id) => ({ insert: 'entries', document: queued(id) }));
  for (const outcome of await store.commit(documents)) assert.ok(outcome.ok);
}

async function listed(ids: readonly string[]): Promise<number> {
  return store.count('conversations', { _id: { $in: [...ids] } });
}

test('of partitions that are taken one soon after the other', async () => {
  const kind = conversations();
  const ours = conversationsIn(5, 3);
  const theirs = conversationsIn(6, 3);
  await answered(ours);
  await kind.acquire(5, EPOCH);
  assert.equal(await listed(ours), ours.length);
  // The other owner still answers sends, and is killed.
  await answered(theirs);
  await kind.acquire(6, EPOCH);
  assert.equal(await listed(theirs), theirs.length);
});

test('of a long backlog, read in pages', async () => {
  const asked: (number | undefined)[] = [];
  const bounded: Store = {
    ...store,
    find: <T extends Document>(collection: string, filter: Filter, options?: FindOptions) => {
      if (collection === 'entries' && 'send.partition' in filter) asked.push(options?.limit);
      return store.find<T>(collection, filter, options);
    },
  };
  const mine = conversationsIn(5, 4_500);
  await answered(mine);
  await conversations({ store: bounded }).acquire(5, EPOCH);
  assert.equal(await listed(mine), mine.length);
  assert.ok(asked.length > 2 && asked.every((limit) => limit !== undefined), String(asked));
});

test('of a message that was sent while they were looked for', async () => {
  const [id = ''] = conversationsIn(5, 1);
  await answered([id]);
  const lookedFor = Promise.withResolvers<void>();
  const seen = Promise.withResolvers<void>();
  // The send agenda is read after the receipt, the pending ones after its events were told.
  const slow: Store = {
    ...store,
    find: async <_T extends Document>(
      collection: string,
      filter: Filter,
      options?: FindOptions,
    ) => {
      if (collection === 'entries' && 'send.partition' in filter) {
        seen.resolve();
        await lookedFor.promise;
      }
      return store.find(collection, filter, options);
    },
  };
  const told = Promise.withResolvers<void>();
  const ask = async () => {
    told.resolve();
    return { status: 200, body: '{}' };
  };
  const kind = conversations({ store: slow, ask });
  const taken = kind.acquire(5, EPOCH);
  await seen.promise;
  const command = {
    ...({ id: 'cmd_1', type: 'receipt', messageId: `msg_${id}`, networkId: null } as const),
    receipt: { status: 'sent', at: clock.now(), externalId: 'ext_1' } as const,
  };
  const deadline = clock.now() + 8_000;
  await kind.open(id, EPOCH, false).turn(command, { deadline, repeat: false, epoch: EPOCH });
  await told.promise;
  for (let turns = 0; turns < TURNS; turns++) await turn();
  await kind.flush?.(5);
  // Whatever is to be cleared has been when the next change is written.
  await store.commit([{ remove: 'entries', filter: { _id: 'none' } }]);
  lookedFor.resolve();
  await taken;
  assert.equal(await listed([id]), 1);
});
