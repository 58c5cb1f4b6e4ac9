/** The replica set that is played itself: each of its faults is to the driver what it claims. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { type Collection, MongoClient, type MongoClientOptions, MongoServerError } from 'mongodb';
import { fileEngine } from '../../support/engine.ts';
import type { Code, Fate } from '../../support/replica-set/codes.ts';
import { ReplicaSet, type ReplicaSetServer, socketOf } from '../../support/replica-set/set.ts';
import { waitFor } from '../../support/wait-for.ts';

interface Note {
  readonly _id: string;
  readonly n?: number;
  readonly at?: Date;
}

const engine = fileEngine();
const MAJORITY = { w: 'majority', journal: true } as const;
/** What callers of a step-down are told, in turn. */
let unit = 0;
let set: ReplicaSet;
let server: ReplicaSetServer;
let client: MongoClient;
let notes: Collection<Note>;

beforeEach(async () => {
  set = new ReplicaSet(() => unit);
  server = await set.listen(socketOf(engine.uri));
  notes = await connected();
  await notes.deleteMany();
});
afterEach(async () => {
  set.heal();
  await client.close();
  await server.close();
});

/** As the service does, and with what else is given. */
async function connected(more: MongoClientOptions = {}): Promise<Collection<Note>> {
  await client?.close();
  client = new MongoClient(server.mongodbUrl, {
    ...{ retryWrites: false, heartbeatFrequencyMS: 1_000, minHeartbeatFrequencyMS: 50 },
    ...{ serverSelectionTimeoutMS: 1_500, writeConcern: MAJORITY },
    ...more,
  });
  await client.connect();
  return client.db('played').collection<Note>('notes');
}

/** What the engine has, whatever anybody was told. */
async function kept(): Promise<readonly string[]> {
  const all = await engine.mongo.client.db('played').collection<Note>('notes').find().toArray();
  return all.map(({ _id }) => _id).sort();
}

/** Once, from the next write on; resolves as it comes. */
function befalls(fate: Fate): Promise<void> {
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  let isDue = true;
  set.trouble(({ isWrite }) => {
    if (!isWrite || !isDue) return null;
    isDue = false;
    resolve();
    return fate;
  });
  return asked;
}

const failed = (promise: Promise<unknown>) =>
  promise.then(
    () => assert.fail('it was acknowledged'),
    (cause: unknown) => {
      assert.ok(cause instanceof Error);
      return cause;
    },
  );
const codeOf = (cause: Error) => (cause instanceof MongoServerError ? cause.code : cause.name);

test('an acknowledged write is there once, by majority and within a session', async () => {
  const seen: unknown[] = [];
  notes = await connected({ monitorCommands: true, retryWrites: true });
  client.on('commandStarted', ({ command }) => seen.push(command));
  await notes.insertOne({ _id: 'a' });
  const [insert] = seen as [Record<string, unknown>];
  assert.deepEqual(insert.writeConcern, { w: 'majority', j: true });
  assert.ok(insert.lsid && insert.txnNumber, 'as to a replica set');
  assert.deepEqual(await notes.find({}, { readConcern: 'majority' }).toArray(), [{ _id: 'a' }]);
  assert.deepEqual(await kept(), ['a']);
});

describe('a write that was applied', () => {
  for (const concern of [64, 91, 189, 50] satisfies Code[]) {
    test(`and was not acknowledged by a majority (${concern}) is an error, and is there`, async () => {
      befalls({ concern });
      const cause = await failed(notes.insertOne({ _id: 'a' }));
      assert.equal(codeOf(cause), concern);
      assert.equal(cause.constructor.name, 'MongoWriteConcernError');
      assert.deepEqual(await kept(), ['a']);
    });
  }

  test('and whose time was over is an error, and is there', async () => {
    befalls({ error: 50 });
    assert.equal(codeOf(await failed(notes.insertOne({ _id: 'a' }))), 50);
    assert.deepEqual(await kept(), ['a']);
  });

  test('and whose answer is late ends in a time-out of the socket, and is there', async () => {
    notes = await connected({ socketTimeoutMS: 300 });
    befalls('late');
    assert.equal(codeOf(await failed(notes.insertOne({ _id: 'a' }))), 'MongoNetworkTimeoutError');
    assert.deepEqual(await kept(), ['a']);
  });

  test('and whose answer is late is acknowledged when all is healed', async () => {
    befalls('late');
    const inserted = notes.insertOne({ _id: 'a' });
    await waitFor(async () => (await kept()).length === 1, { what: 'it is applied' });
    set.heal();
    assert.equal((await inserted).acknowledged, true);
  });

  test('and whose answer is late is acknowledged though all is healed before it comes', async () => {
    const asked = befalls('late');
    const inserted = notes.insertOne({ _id: 'a' });
    await asked;
    set.heal();
    assert.equal((await inserted).acknowledged, true);
  });

  test('and whose connection is cut then is there, and not if it is cut before', async () => {
    befalls('cut-after');
    assert.equal(codeOf(await failed(notes.insertOne({ _id: 'a' }))), 'MongoNetworkError');
    befalls('cut-before');
    assert.equal(codeOf(await failed(notes.insertOne({ _id: 'b' }))), 'MongoNetworkError');
    assert.deepEqual(await kept(), ['a']);
  });
});

test('a write that a driver retries is applied once', async () => {
  notes = await connected({ retryWrites: true });
  await notes.insertOne({ _id: 'a', n: 0 });
  const fates: Fate[] = ['cut-after', { concern: 91 }, { concern: 189 }, { error: 11602 }];
  for (const [index, fate] of fates.entries()) {
    befalls(fate);
    const { modifiedCount } = await notes.updateOne({ _id: 'a' }, { $inc: { n: 1 } });
    assert.equal(modifiedCount, 1, JSON.stringify(fate));
    assert.equal((await notes.findOne({ _id: 'a' }))?.n, index + 1, JSON.stringify(fate));
  }
  befalls('cut-before');
  await notes.updateOne({ _id: 'a' }, { $inc: { n: 1 } });
  assert.equal((await notes.findOne({ _id: 'a' }))?.n, fates.length + 1);
});

describe('without a primary', () => {
  const types = () => {
    const seen: string[] = [];
    client.on('topologyDescriptionChanged', ({ newDescription }) => seen.push(newDescription.type));
    return seen;
  };

  test('the driver knows by its waiting monitor, and knows the next primary at once', async () => {
    notes = await connected({ heartbeatFrequencyMS: 60_000 });
    await notes.findOne();
    const seen = types();
    set.stepDown();
    await waitFor(() => seen.includes('ReplicaSetNoPrimary'), { what: 'it knows' });
    const cause = await failed(notes.insertOne({ _id: 'a' }));
    assert.equal(codeOf(cause), 'MongoServerSelectionError');
    set.elect();
    await waitFor(() => seen.at(-1) === 'ReplicaSetWithPrimary', { what: 'it knows the next' });
    await notes.insertOne({ _id: 'b' });
    assert.deepEqual(await kept(), ['b']);
  });

  test('who still asks is refused, and nothing is applied', async () => {
    const direct = server.mongodbUrl.replace('replicaSet=rs', 'directConnection=true');
    const more = { heartbeatFrequencyMS: 500, retryWrites: false, retryReads: false };
    await using alone = new MongoClient(direct, more);
    const there = alone.db('played').collection<Note>('notes');
    await there.findOne();
    set.stepDown();
    const toPrimary = { readPreference: 'primary' } as const;
    assert.equal(codeOf(await failed(there.insertOne({ _id: 'a' }))), 10107);
    const read = alone.db('played').command({ find: 'notes' }, toPrimary);
    assert.equal(codeOf(await failed(read)), 13435);
    assert.deepEqual(await kept(), []);
  });

  test('a machine that is lost takes its connections with it', async () => {
    await notes.findOne();
    const seen = types();
    set.lose();
    await waitFor(() => seen.includes('ReplicaSetNoPrimary'), { what: 'it knows' });
    set.elect();
    await waitFor(
      async () =>
        await notes.insertOne({ _id: 'a' }).then(
          () => true,
          () => false,
        ),
      { what: 'the next primary is found' },
    );
    assert.deepEqual(await kept(), ['a']);
  });

  for (const [told, code] of [
    [0, 11602],
    [0.9, 189],
  ] as const) {
    test(`a write under way is there, and its caller is told ${code}`, async () => {
      unit = told;
      await notes.findOne();
      const { promise: asked, resolve } = Promise.withResolvers<void>();
      set.trouble(({ isWrite }) => {
        if (isWrite) resolve();
        return null;
      });
      const inserted = failed(notes.insertOne({ _id: 'a' }));
      await asked;
      set.stepDown();
      assert.equal(codeOf(await inserted), code);
      assert.deepEqual(await kept(), ['a']);
    });
  }
});

describe('while the primary has no majority', () => {
  test('nothing is acknowledged and reads go on; then it is applied in its order', async () => {
    await notes.insertOne({ _id: 'a', n: 0 });
    set.withhold();
    const answered: number[] = [];
    const adds: Promise<unknown>[] = [];
    for (const n of [1, 2, 3]) {
      const added = notes.updateOne({ _id: 'a', n: n - 1 }, { $set: { n } });
      adds.push(added.then(() => answered.push(n)));
      // Each has a connection of its own: only what has arrived is before the next one.
      await withheld(n);
    }
    assert.equal((await notes.findOne({ _id: 'a' }))?.n, 0);
    assert.deepEqual(answered, []);
    await set.catchUp();
    await Promise.all(adds);
    assert.equal((await notes.findOne({ _id: 'a' }))?.n, 3);
  });

  test('a write whose caller has gone is applied all the same', async () => {
    set.withhold();
    const inserted = failed(notes.insertOne({ _id: 'a' }));
    await withheld(1);
    await client.close();
    await inserted;
    assert.deepEqual(await kept(), []);
    await set.catchUp();
    assert.deepEqual(await kept(), ['a']);
  });

  for (const [told, what] of [
    [0, 11602],
    [0.9, 'MongoNetworkError'],
  ] as const) {
    test(`a write is gone when it steps down, and its caller is told ${what}`, async () => {
      unit = told;
      set.withhold();
      const inserted = failed(notes.insertOne({ _id: 'a' }));
      await withheld(1);
      set.stepDown();
      assert.equal(codeOf(await inserted), what);
      set.elect();
      await waitFor(
        async () =>
          await notes.insertOne({ _id: 'b' }).then(
            () => true,
            () => false,
          ),
        { what: 'the next primary' },
      );
      assert.deepEqual(await kept(), ['b']);
    });
  }
});

const withheld = (count: number) =>
  waitFor(() => set.withheldCount === count, { what: `${count} writes are withheld` });

test("a server's clock is off in every expression that asks for it", async () => {
  const time = [{ $set: { at: '$$NOW' } }];
  for (const aheadMs of [30_000, -30_000, 0]) {
    set.setClock(aheadMs);
    await notes.deleteMany();
    await notes.insertOne({ _id: 'a' });
    const before = Date.now();
    const marked = await notes.findOneAndUpdate({ _id: 'a' }, time, { returnDocument: 'after' });
    const off = (marked?.at?.getTime() ?? Number.NaN) - before - aheadMs;
    assert.ok(off >= -1 && off < 10_000, `${off} ms`);
    const past = { $expr: { $lte: ['$at', '$$NOW'] } };
    assert.equal(await notes.countDocuments(past), 1);
    set.setClock(aheadMs - 20_000);
    assert.equal(await notes.countDocuments(past), 0);
    assert.equal((await notes.updateOne(past, [{ $set: { n: 1 } }])).matchedCount, 0);
    await notes.insertOne({ _id: '$$NOW' });
    assert.deepEqual(await kept(), ['$$NOW', 'a']);
  }
});
