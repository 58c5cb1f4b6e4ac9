/** The connection of an asker, under the test's hand. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NatsConnection } from 'nats';
import { type AskItem, pack, Unpacker } from '../../../../../infra/adapters/nats/envelope.ts';
import { Mux } from '../../../../../infra/adapters/nats/mux.ts';
import { ASK_REPEAT_MS } from '../../../../../shared/limits.ts';
import { AskFailed, type AskOptions } from '../../../../../shared/ports/bus.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';

interface Message {
  readonly data: Uint8Array;
  readonly subject: string;
  readonly headers?: { readonly code: number };
}
type Heard = (error: null, message: Message) => void;

interface Published {
  readonly items: readonly AskItem[];
  readonly reply: string;
}

/** A connection that keeps published asks, and answers when the test says so. */
class Wire {
  readonly published: Published[] = [];
  readonly #unpacker = new Unpacker();
  #heard: Heard = () => undefined;

  connection(): NatsConnection {
    const part = {
      subscribe: (_: string, { callback }: { readonly callback: Heard }) => {
        this.#heard = callback;
      },
      publish: (_: string, payload: Uint8Array, { reply }: { readonly reply: string }) => {
        const items = this.#unpacker.unpack(payload, reply) as readonly AskItem[];
        this.published.push({ items, reply });
      },
    };
    return part as unknown as NatsConnection;
  }

  /** @param status 0: not the owner */
  answer(n: number, status = 200): void {
    const [data] = pack({ process: 'owner', items: [{ n, status, body: '' }] });
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
  const mux = new Mux(wire.connection(), clock, { processId: 'asker' });
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

test('an asker that was paused reads its answers before it repeats an ask or gives it up', async () => {
  const clock = new ManualClock();
  const wire = new Wire();
  const mux = new Mux(wire.connection(), clock, { processId: 'asker' });
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
  const mux = new Mux(wire.connection(), clock, { processId: 'asker' });
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
