/** The connection of an asker, under the test's hand. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Wire as BusWire } from '../../../../../infra/adapters/nats/connection.ts';
import { type AskItem, pack, Unpacker } from '../../../../../infra/adapters/nats/envelope.ts';
import { Mux } from '../../../../../infra/adapters/nats/mux.ts';
import { ASK_REPEAT_MS, HEDGE_AFTER_MS } from '../../../../../shared/limits.ts';
import { AskFailed, type AskOptions } from '../../../../../shared/ports/bus.ts';
import { OWNERS_CHANGED, RESPONDERS_WANTED } from '../../../../../shared/wire/subjects.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';

interface Message {
  readonly data: Uint8Array;
  readonly subject: string;
  readonly headers?: { readonly code: number };
}
type Heard = (error: null, message: Message) => void;

interface Published {
  readonly subject: string;
  readonly items: readonly AskItem[];
  readonly reply: string;
}

const ANNOUNCED: Message = { data: new Uint8Array(), subject: OWNERS_CHANGED };

/** A connection that keeps published asks, and answers when the test says so. */
class Wire {
  readonly published: Published[] = [];
  announceOwners: () => void = () => undefined;
  readonly #unpacker = new Unpacker();
  #heard: Heard = () => undefined;

  connection(): BusWire {
    const part = {
      inbox: 'recado.inbox.gateway.asker',
      subscribe: (subject: string, { callback }: { readonly callback: Heard }) => {
        if (subject === OWNERS_CHANGED) this.announceOwners = () => callback(null, ANNOUNCED);
        else this.#heard = callback;
      },
      publish: (subject: string, payload: Uint8Array, { reply }: { readonly reply: string }) => {
        if (subject === RESPONDERS_WANTED) return;
        const items = this.#unpacker.unpack(payload, reply) as readonly AskItem[];
        this.published.push({ subject, items, reply });
      },
    };
    return part as unknown as BusWire;
  }

  /** @param status 0: not the owner */
  answer(n: number, status = 200, from: object = { process: 'owner' }): void {
    const [data] = pack({ ...from, items: [{ n, status, body: '' }] });
    assert.ok(data);
    this.#heard(null, { data, subject: 'owner' });
  }

  /** The last message found no subscriber. */
  refuse(): void {
    const { reply } = this.published.at(-1) ?? assert.fail('nothing was published');
    this.#heard(null, { data: new Uint8Array(), subject: reply, headers: { code: 503 } });
  }
}

const nextTurn = (): Promise<void> => new Promise((go) => setImmediate(go));

const ADDRESS = { kind: 'contact', key: 'somebody' } as const;
const SWEEP_MS = 25;

type Fate = 'no responders' | 'not the owner' | 'unanswered';

function pass(clock: ManualClock, ms: number): void {
  for (let passed = 0; passed < ms; passed += SWEEP_MS) clock.advance(SWEEP_MS);
}

/** The marks of one ask and its repeats; each but the last meets a fate. */
async function marksAfter(
  fates: readonly Fate[],
  given: Pick<AskOptions, 'repeat' | 'once'> = {},
): Promise<readonly boolean[]> {
  const clock = new ManualClock();
  const wire = new Wire();
  const mux = new Mux(wire.connection(), clock);
  const asked = mux.ask(ADDRESS, {}, { deadline: clock.now() + 60_000, ...given });
  await nextTurn();
  for (const fate of fates) {
    if (fate === 'no responders') wire.refuse();
    if (fate === 'not the owner') wire.answer(1, 0);
    pass(clock, SWEEP_MS * 2 + (fate === 'unanswered' ? ASK_REPEAT_MS : 0));
    await nextTurn();
  }
  wire.answer(1);
  await asked;
  mux.close();
  return marksOf(wire);
}

const marksOf = (wire: Wire) => wire.published.map(({ items }) => items[0]?.repeat === true);

for (const [what, fates, given, marks] of [
  [
    'one that nobody received is not',
    ['no responders', 'no responders'],
    {},
    [false, false, false],
  ],
  ['one without an answer is', ['unanswered'], {}, [false, true]],
  ['one that reached another process is', ['not the owner'], {}, [false, true]],
  ['one that may have been received is', ['no responders', 'unanswered'], {}, [false, false, true]],
  ['a marked ask stays marked', ['unanswered', 'no responders'], {}, [false, true, true]],
  ['an ask once is not repeated for want of an answer', ['unanswered'], { once: true }, [false]],
  [
    'an ask once is repeated where it was not received, or not by its owner',
    ['no responders', 'not the owner', 'unanswered'],
    { once: true },
    [false, false, true],
  ],
  ['an ask that may have run before is, from the first', [], { repeat: true }, [true]],
  ['and so is its repeat', ['no responders'], { repeat: true }, [true, true]],
] as const) {
  test(`a repeat is marked where a process may have received the ask: ${what}`, async () => {
    assert.deepEqual(await marksAfter(fates, given), marks);
  });
}

test('what waits for an owner is repeated when one is announced, and nothing that was just asked', async () => {
  const clock = new ManualClock();
  const wire = new Wire();
  const mux = new Mux(wire.connection(), clock);
  const options = { deadline: clock.now() + 60_000 };
  const asked = [
    mux.ask(ADDRESS, {}, options),
    mux.ask({ ...ADDRESS, key: 'other' }, {}, { ...options, once: true }),
  ];
  await nextTurn();
  const announce = async () => {
    const before = wire.published.length;
    wire.announceOwners();
    clock.advance(0);
    for (const turn of [nextTurn, nextTurn]) await turn();
    const items = wire.published.slice(before).flatMap((each) => each.items);
    return items.map(({ n, repeat = false }) => [n, repeat]);
  };
  assert.deepEqual(await announce(), [], 'both were asked just now');
  clock.advance(120);
  assert.deepEqual(await announce(), [[1, true]], 'its owner may be gone; the other is asked once');
  assert.deepEqual(await announce(), []);
  wire.answer(2, 0);
  assert.deepEqual(await announce(), [[2, true]], 'one that nobody owned');
  wire.answer(1);
  wire.answer(2);
  await Promise.all(asked);
  assert.deepEqual(await announce(), []);
  mux.close();
});

test('an asker that was paused reads its answers before it repeats an ask or gives it up', async () => {
  const clock = new ManualClock();
  const wire = new Wire();
  const mux = new Mux(wire.connection(), clock);
  const ask = (ms: number) => mux.ask(ADDRESS, {}, { deadline: clock.now() + ms });
  const unheard = ask(60_000);
  await nextTurn();
  clock.advance(ASK_REPEAT_MS * 2);
  wire.refuse();
  await nextTurn();
  pass(clock, SWEEP_MS * 2);
  await nextTurn();
  assert.deepEqual(marksOf(wire), [false, false]);
  wire.answer(1);
  await unheard;

  const answered = ask(1_000);
  await nextTurn();
  clock.advance(2_000);
  wire.answer(2);
  assert.equal((await answered).status, 200);

  await nextTurn();
  const unanswered = ask(1_000);
  const rejected = assert.rejects(unanswered, AskFailed);
  await nextTurn();
  const late = wire.published.length;
  clock.advance(2_000);
  await nextTurn();
  await rejected;
  assert.equal(wire.published.length, late, 'it is not repeated either');
  mux.close();
});

const STEP_MS = 5;

class CountingClock extends ManualClock {
  ticks = 0;

  override after(ms: number, run: () => void): () => void {
    return super.after(ms, () => {
      this.ticks++;
      run();
    });
  }

  pass(ms: number): void {
    for (let passed = 0; passed < ms; passed += STEP_MS) this.advance(STEP_MS);
  }
}

/** One ask has been answered. */
async function afterOneAsk() {
  const clock = new CountingClock();
  const wire = new Wire();
  const mux = new Mux(wire.connection(), clock);
  const asked = mux.ask(ADDRESS, {}, { deadline: clock.now() + 8_000 });
  await nextTurn();
  wire.answer(1);
  await asked;
  return { clock, wire, mux };
}

test('what has been answered is looked after once or twice, and then nothing ticks', async () => {
  const { clock } = await afterOneAsk();
  clock.pass(10_000);
  assert.ok(clock.ticks <= 3, `${clock.ticks} ticks`);
  assert.equal(clock.waiting, 0);
});

test('an ask after a rest is repeated as soon as any other', async () => {
  const { clock, wire, mux } = await afterOneAsk();
  clock.pass(100);
  const again = mux.ask(ADDRESS, {}, { deadline: clock.now() + 8_000 });
  await nextTurn();
  const before = wire.published.length;
  clock.pass(ASK_REPEAT_MS + 2 * STEP_MS + 25);
  await nextTurn();
  assert.equal(wire.published.length, before + 1);
  wire.answer(2);
  await again;
});

/** Two processes are known that answer queries; the first of them is chosen. */
async function twoResponders() {
  const clock = new ManualClock();
  const wire = new Wire();
  let hedged = 0;
  const metrics = { ask: () => undefined, askFailed: () => undefined, hedged: () => void hedged++ };
  const mux = new Mux(wire.connection(), clock, { metrics, random: () => 0 });
  const query = (resource: string) => mux.query(resource, {}, { deadline: clock.now() + 8_000 });
  const first = query('contacts');
  await nextTurn();
  wire.answer(1, 200, { process: 'one', queries: true });
  wire.answer(1, 200, { process: 'two', queries: true });
  await first;
  pass(clock, SWEEP_MS);
  const sent = () => wire.published.map(({ subject }) => subject);
  return { clock, wire, mux, query, sent, hedges: () => hedged };
}

const GROUP = 'recado.query.contacts';
const [ONE, TWO] = ['recado.process.one', 'recado.process.two'];

test('a query without an answer is asked of another process, and its first answer counts', async () => {
  const { clock, wire, mux, query, sent, hedges } = await twoResponders();
  const asked = query('contacts');
  await nextTurn();
  assert.deepEqual(sent(), [GROUP, ONE]);
  pass(clock, HEDGE_AFTER_MS);
  await nextTurn();
  assert.deepEqual(sent(), [GROUP, ONE, TWO]);
  wire.answer(2, 200, { process: 'two', queries: true });
  wire.answer(2, 404, { process: 'one', queries: true });
  assert.equal((await asked).status, 200);
  assert.equal(hedges(), 1);
  mux.close();
});

test('the silent process gets no further query', async () => {
  const { clock, wire, mux, query, sent } = await twoResponders();
  const asked = query('contacts');
  await nextTurn();
  pass(clock, HEDGE_AFTER_MS);
  await nextTurn();
  wire.answer(2, 200, { process: 'two', queries: true });
  await asked;
  void query('contacts').catch(() => undefined);
  await nextTurn();
  assert.deepEqual(sent(), [GROUP, ONE, TWO, TWO]);
  mux.close();
});

test('a query that writes goes where NATS chooses, and to no second process', async () => {
  const { clock, wire, mux, query, sent, hedges } = await twoResponders();
  const asked = query('idempotency-claim');
  await nextTurn();
  pass(clock, ASK_REPEAT_MS - SWEEP_MS);
  await nextTurn();
  assert.deepEqual(sent(), [GROUP, 'recado.query.idempotency-claim']);
  assert.equal(hedges(), 0);
  wire.answer(2);
  await asked;
  mux.close();
});

test('a process that has left the bus gets its query no more, and the next one has its time', async () => {
  const { clock, wire, mux, query, sent, hedges } = await twoResponders();
  const asked = query('contacts');
  await nextTurn();
  wire.refuse();
  pass(clock, SWEEP_MS);
  await nextTurn();
  assert.deepEqual(sent(), [GROUP, ONE, TWO]);
  pass(clock, SWEEP_MS);
  assert.equal(hedges(), 0);
  wire.answer(2, 200, { process: 'two', queries: true });
  await asked;
  mux.close();
});

test('a process of an older release, which does not tell, is asked by the queue group', async () => {
  const clock = new ManualClock();
  const wire = new Wire();
  const mux = new Mux(wire.connection(), clock);
  for (const n of [1, 2]) {
    const asked = mux.query('contacts', {}, { deadline: clock.now() + 8_000 });
    await nextTurn();
    wire.answer(n);
    await asked;
  }
  assert.deepEqual(
    wire.published.map(({ subject }) => subject),
    [GROUP, GROUP],
  );
  mux.close();
});
