/**
 * One connection against a model of its owner: each delivery is written once, in order. Pushes are
 * lost, late or early meanwhile, reads fail, and the peer reads slowly.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { EVENT_STREAM_COMMENT_EVERY_MS } from '../../../../shared/limits.ts';
import type { PushedPage, StreamRead } from '../../../../shared/wire/stream-commands.ts';
import { HINT, page, push, StreamFixture } from './event-stream-fixture.ts';

const PAGE_MAX = 3;
const SILENCES = 20;
const IDS = /^id: \d+\.dlv_(\d+)$/gm;

/** The owner: it gives positions, answers reads from its log, and pushes what is new. */
class Owner {
  readonly stream = new StreamFixture();
  #log: number[] = [];
  /** Pushes on their way. */
  #pushes: PushedPage[] = [];
  #decided: StreamRead | null = null;

  get log(): readonly number[] {
    return this.#log;
  }

  /** Number of pushes on their way. */
  get pushes(): number {
    return this.#pushes.length;
  }

  /** Positions rise, with gaps. */
  async append(gaps: readonly number[], isLost: boolean): Promise<void> {
    const after = this.#log.at(-1) ?? 0;
    let last = after;
    const added = gaps.map((gap) => (last += 1 + gap));
    this.#log.push(...added);
    if (!isLost) this.#pushes.push(push(after, added));
  }

  hint(): void {
    this.#pushes.push(HINT);
  }

  /** Pushes at these places of the queue arrive, within one tick. */
  async arrive(places: readonly number[]): Promise<void> {
    const arrived = places.flatMap((place) =>
      this.#pushes.splice(place % Math.max(1, this.#pushes.length), 1),
    );
    await this.stream.push(...arrived);
  }

  /** The answer is decided: what is new does not get into it, and its push may overtake it. */
  decide(): void {
    const [after] = this.stream.openReads();
    if (after === undefined || this.#decided) return;
    const later = this.#log.filter((position) => position > after);
    this.#decided = page(later.slice(0, PAGE_MAX), { more: later.length > PAGE_MAX });
  }

  async answer(): Promise<void> {
    this.decide();
    const decided = this.#decided;
    this.#decided = null;
    if (decided) await this.stream.answer(decided);
  }

  async fail(): Promise<void> {
    this.#decided = null;
    if (this.stream.openReads().length > 0) await this.stream.fail();
  }

  get written(): readonly number[] {
    return [...this.stream.text.matchAll(IDS)].map(([, position]) => Number(position));
  }
}

type Step = (owner: Owner) => unknown;

const gapsArb = fc.array(fc.nat(2), { minLength: 1, maxLength: 5 });
const placesArb = fc.array(fc.nat(4), { minLength: 1, maxLength: 3 });
const append =
  (gaps: readonly number[], isLost: boolean): Step =>
  (owner) =>
    owner.append(gaps, isLost);
const arrive =
  (places: readonly number[]): Step =>
  (owner) =>
    owner.arrive(places);
const pass =
  (ms: number): Step =>
  (owner) =>
    owner.stream.pass(ms);
/** No push is lost, no read fails and no time passes. */
const goodStepArb: fc.Arbitrary<Step> = fc.oneof(
  gapsArb.map((gaps) => append(gaps, false)),
  placesArb.map(arrive),
  fc.constantFrom<Step[]>(
    (owner) => owner.hint(),
    (owner) => owner.decide(),
    (owner) => owner.answer(),
    (owner) => owner.answer(),
    (owner) => owner.stream.fill(),
    (owner) => owner.stream.drain(),
  ),
);
const stepArb: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: goodStepArb },
  gapsArb.map((gaps) => append(gaps, true)),
  fc.constant<Step>((owner) => owner.fail()),
  fc.nat(20_000).map(pass),
);

async function run(steps: readonly Step[]): Promise<Owner> {
  const owner = new Owner();
  await owner.stream.start();
  for (const step of steps) {
    await step(owner);
    const { written, log } = owner;
    assert.deepEqual(written, log.slice(0, written.length));
    if (owner.stream.over) break;
  }
  return owner;
}

/** The peer reads, the owner answers, nothing new happens. */
async function calm(owner: Owner): Promise<void> {
  await owner.stream.drain();
  for (let silence = 0; silence < SILENCES; silence++) {
    while (owner.stream.openReads().length > 0) await owner.answer();
    await owner.stream.pass(EVENT_STREAM_COMMENT_EVERY_MS);
  }
}

test('whatever happens, each delivery is written once and in order, and in the end all are', () =>
  fc.assert(
    fc.asyncProperty(fc.array(stepArb, { maxLength: 60, size: 'max' }), async (steps) => {
      const owner = await run(steps);
      if (owner.stream.over === 'cut') return;
      await calm(owner);
      assert.equal(owner.stream.over, false);
      assert.deepEqual(owner.written, owner.log);
    }),
    { numRuns: 300 },
  ));

test('while nothing is lost, no delivery waits for a silence', () =>
  fc.assert(
    fc.asyncProperty(fc.array(goodStepArb, { maxLength: 40, size: 'max' }), async (steps) => {
      const owner = await run(steps);
      await owner.stream.drain();
      while (owner.pushes > 0 || owner.stream.openReads().length > 0) {
        await owner.arrive([0]);
        await owner.answer();
      }
      assert.deepEqual(owner.written, owner.log);
    }),
    { numRuns: 300 },
  ));
