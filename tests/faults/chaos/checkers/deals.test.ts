/** Whether the checker of deals can fail: histories that some order explains, and others. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkDeals } from './deals.ts';
import { type Ended, HistoryBuilder } from './history-builder.ts';

const MADE = {
  id: 'd1',
  title: 'first',
  status: 'open',
  stageId: 's1',
  lostReason: null,
  updatedAt: 't0',
};
type Deal = Omit<typeof MADE, 'lostReason'> & { lostReason: string | null };
type Change = Readonly<Record<string, string>>;

class Life {
  readonly builder = new HistoryBuilder();
  #now: Deal = MADE;
  #events = 0;

  constructor() {
    this.builder.call('deal-create', { title: 'first' }, { ok: MADE });
  }

  /** The service's next answer. */
  after(change: Partial<Deal>, updatedAt: string): Deal {
    this.#now = { ...this.#now, ...change, updatedAt };
    return this.#now;
  }

  call(change: Change, ended: Ended): this {
    this.builder.call('deal-change', { dealId: 'd1', ...change }, ended);
    return this;
  }

  told(event: string, deal: Deal = this.#now): this {
    this.#events += 1;
    this.builder.received(`dlv${this.#events}`, event, { deal });
    return this;
  }

  /** A change that is answered and told. */
  changed(change: Change & Partial<Deal>, event: string | null, at: string): this {
    this.call(change, { ok: this.after(change, at) });
    if (event !== null) this.told(event);
    return this;
  }

  faults(last: Deal = this.#now): readonly string[] {
    this.builder.seen('read-deal', last);
    return checkDeals(this.builder.history).violations;
  }
}

const moved = (life: Life) => life.changed({ stageId: 's2' }, 'deal.stage_changed', 't1');
const won = (life: Life) => life.changed({ status: 'won' }, 'deal.won', 't2');

describe('deals', () => {
  test('a life that went its way passes', () => {
    const life = won(moved(new Life()));
    life.call({ status: 'lost', lostReason: 'x' }, { refused: { status: 409 } });
    life.call({ stageId: 's3' }, { refused: { status: 409 } });
    life.changed({ status: 'open' }, 'deal.reopened', 't3').changed({ title: 'x' }, null, 't4');
    life.call({ status: 'open' }, { ok: life.after({}, 't4') });
    assert.deepEqual(life.faults(), []);
  });

  test('what nobody could answer has happened or not, now or later', () => {
    const happened = moved(new Life()).call({ status: 'won' }, { info: true });
    const closed = happened.after({ status: 'won' }, 't2');
    assert.deepEqual(happened.told('deal.won', closed).faults(), []);
    const nothing = moved(new Life()).call({ status: 'won' }, { info: true });
    assert.deepEqual(nothing.faults(), []);
    const later = new Life().call({ title: 'late' }, { info: true });
    later.changed({ title: 'soon' }, null, 't1');
    assert.deepEqual(later.faults(later.after({ title: 'late' }, 't2')), []);
  });

  test('many calls that nobody could answer hide no order', () => {
    const life = moved(new Life());
    for (let count = 0; count < 20; count++) {
      life.call({ status: count % 2 === 0 ? 'won' : 'open' }, { info: true });
      life.call({ title: `maybe ${count}` }, { info: true });
    }
    assert.deepEqual(life.changed({ title: 'sure' }, null, 't3').faults(), []);
  });

  test('calls at the same time may have happened in either order', () => {
    const life = new Life();
    const win = life.builder.begin('deal-change', { dealId: 'd1', status: 'won' });
    const move = life.builder.begin('deal-change', { dealId: 'd1', stageId: 's2' });
    win({ ok: life.after({ stageId: 's2', status: 'won' }, 't2') });
    move({ ok: { ...MADE, stageId: 's2', updatedAt: 't1' } });
    life.told('deal.won').told('deal.stage_changed', { ...MADE, stageId: 's2', updatedAt: 't1' });
    assert.deepEqual(life.faults(), []);
  });

  for (const [what, tell] of Object.entries({
    'an acknowledged change that is lost': (life: Life) => moved(life).faults(MADE),
    'an answer on a stale state': (life: Life) => {
      moved(life).call({ title: 'x' }, { ok: { ...MADE, title: 'x', updatedAt: 't2' } });
      return life.faults();
    },
    'two winners': (life: Life) => {
      won(moved(life)).call({ status: 'lost', lostReason: 'x' }, { ok: life.after({}, 't2') });
      return life.faults();
    },
    'a refusal without a reason': (life: Life) =>
      moved(life)
        .call({ status: 'won' }, { refused: { status: 409 } })
        .faults(),
    'a refused change that is there': (life: Life) => {
      won(moved(life)).call({ title: 'no' }, { refused: { status: 409 } });
      return life.faults();
    },
    'a state that nobody made': (life: Life) =>
      moved(life).faults(life.after({ title: 'y' }, 't1')),
  })) {
    test(`${what} is found`, () => {
      const found = tell(new Life());
      assert.match(found.join(), /no order explains d1/);
    });
  }

  test('a deal that was made and is lost, or made twice, is found', () => {
    assert.match(checkDeals(new Life().builder.history).violations.join(), /is lost/);
    const twice = new Life();
    twice.builder.seen('read-deal', { ...MADE, id: 'd2' });
    assert.match(twice.faults().join(), /made 2 times/);
  });
});

describe('events of deals', () => {
  test('one that was not told is found', () => {
    const life = new Life().changed({ status: 'won' }, null, 't1');
    assert.match(life.faults().join(), /deal.won of d1 at t1 was not told/);
  });

  test('a move that was not told breaks the chain', () => {
    const life = new Life().changed({ stageId: 's2' }, null, 't1');
    assert.match(life.faults().join(), /the last that was told of d1 is open in s1/);
  });

  test('one that was told twice is found', () => {
    const life = moved(new Life()).told('deal.stage_changed');
    assert.match(life.faults().join(), /0 calls may have done it/);
  });

  test('one without a call is found', () => {
    const life = won(moved(new Life())).told('deal.reopened', { ...MADE, updatedAt: 't9' });
    assert.match(life.faults().join(), /0 calls may have done it/);
  });
});
