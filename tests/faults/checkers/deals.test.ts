/** Deals: histories that some order explains, and others. */
import { deals } from './deals.ts';
import { call, DEAL, delivery, type Ended, inTurn, show, store, type Told } from './fixture.ts';
import type { Answer, Call, Deal, Delivery, Request } from './history.ts';

type State = Partial<Deal>;

/** A life of the deal: calls one after the other, events as they were told, and its last state. */
interface Life {
  readonly calls?: readonly Call[];
  readonly told?: readonly (readonly [event: string, deal: State])[];
  readonly last?: State;
  /** Nobody was answered when it was made. */
  readonly isUnanswered?: true;
}

function life({ calls = [], told = [], last = {}, isUnanswered }: Life): Told {
  const create = call('deal-create', { title: 'first' }, { id: DEAL.id, deal: DEAL });
  const made = delivery('deal.created', DEAL.id, { deal: DEAL });
  const events = told.map(
    ([event, deal]): Delivery => delivery(event, DEAL.id, { deal: { ...DEAL, ...deal } }),
  );
  return {
    calls: [...(isUnanswered ? [] : [create]), ...inTurn(...calls)],
    deliveries: [made, ...events],
    deals: [{ ...DEAL, ...last, readAt: 10_000 }],
  };
}

const change = (request: Request, ended: Ended) =>
  call('deal-change', { dealId: DEAL.id, ...request }, ended);
const answer = (state: State): Answer => ({ id: DEAL.id, deal: { ...DEAL, ...state } });

const MOVED = { stageId: 's2', updatedAt: 't1' };
const WON = { ...MOVED, status: 'won', closedAt: 't2', updatedAt: 't2' };
const REOPENED = { ...MOVED, updatedAt: 't3' };
const move = change({ stageId: 's2' }, answer(MOVED));
const win = change({ status: 'won' }, answer(WON));
const lose = (ended: Ended) => change({ status: 'lost', lostReason: 'x' }, ended);
const reopen = change({ status: 'open' }, answer(REOPENED));
const rename = (title: string, ended: Ended) => change({ title }, ended);
const toldMove = ['deal.stage_changed', MOVED] as const;
const toldWin = ['deal.won', WON] as const;
const toldReopening = ['deal.reopened', REOPENED] as const;

const wholeLife = life({
  calls: [
    ...[move, win, lose(409), change({ stageId: 's3' }, 409), reopen],
    rename('x', answer({ ...REOPENED, title: 'x', updatedAt: 't4' })),
    change({ status: 'open' }, answer({ ...REOPENED, title: 'x', updatedAt: 't4' })),
  ],
  told: [toldMove, toldWin, toldReopening],
  last: { ...REOPENED, title: 'x', updatedAt: 't4' },
});
const maybe = Array.from({ length: 20 }, (_, count) => [
  change({ status: count % 2 === 0 ? 'won' : 'open' }, 'unknown'),
  rename(`maybe ${count}`, 'unknown'),
]).flat();
const rivals = [
  { ...win, startedAt: 20, endedAt: 90 },
  { ...move, startedAt: 20, endedAt: 90 },
];
const sideBySide = life({ told: [toldWin, toldMove], last: WON });

show(deals, {
  anOrderExplainsIt: {
    well: [
      wholeLife,
      // What nobody could answer has happened or not, now or later.
      life({ calls: [move, change({ status: 'won' }, 'unknown')], last: WON }),
      life({ calls: [move, change({ status: 'won' }, 'unknown')], last: MOVED }),
      life({
        calls: [rename('late', 'unknown'), rename('soon', answer({ title: 'soon' }))],
        last: { title: 'late' },
      }),
      life({
        calls: [move, ...maybe, rename('sure', answer({ ...MOVED, title: 'sure' }))],
        last: { ...MOVED, title: 'sure' },
      }),
      { ...sideBySide, calls: [...(sideBySide.calls ?? []), ...rivals] },
      // A reason is missing; and small keys have full windows.
      life({ calls: [change({ status: 'lost' }, 422)] }),
      {
        ...life({ calls: [rename('x', 429)] }),
        store: store({ windows: { ...store().windows, perKey: 25 } }),
      },
    ],
    'an acknowledged change is lost': [life({ calls: [move] }), /no order explains deal_1/],
    'an acknowledged change of an unanswered deal is lost': [
      life({ calls: [move], isUnanswered: true }),
      /no order explains deal_1/,
    ],
    'an earlier change has come after a later one': [
      life({ calls: [win, reopen], last: WON }),
      /no order explains/,
    ],
    'an answer on a stale state': [
      life({
        calls: [move, rename('x', answer({ title: 'x' }))],
        last: { ...MOVED, title: 'x' },
      }),
      /no order explains/,
    ],
    'two winners': [life({ calls: [move, win, lose(answer(WON))], last: WON }), /order explains/],
    'a refusal without a reason': [
      life({ calls: [move, change({ status: 'won' }, 409)], last: MOVED }),
      /no order explains/,
    ],
    'a refusal for a full window where none is small': [
      life({ calls: [rename('x', 429)] }),
      /no order explains/,
    ],
    'a refused change is there': [
      life({ calls: [move, win, rename('no', 409)], last: WON }),
      /no order explains/,
    ],
    'a refused change has taken effect': [
      life({ calls: [lose(409)], last: { status: 'lost', lostReason: 'x', closedAt: 't' } }),
      /no order explains/,
    ],
    'a state that nobody made': [
      life({ calls: [move], last: { ...MOVED, title: 'y' } }),
      /no order explains/,
    ],
  },
  closedAsItsStatusSays: {
    well: [wholeLife, life({ last: WON })],
    'a deal is half closed': [life({ last: { status: 'won' } }), /deal_1 is half closed/],
    'a deal is lost without a reason': [
      life({ last: { status: 'lost', closedAt: 't' } }),
      /deal_1 is half lost/,
    ],
  },
  eventsLeadFromFirstToLast: {
    well: [wholeLife, life({ told: [toldMove, toldWin], last: WON })],
    'a move was not told': [life({ calls: [move], last: MOVED }), /was told of deal_1 is open in/],
    'one was told twice': [life({ told: [toldWin, toldWin], last: WON }), /deal\.won of deal_1 at/],
    'one does not follow from the one before': [
      life({ told: [toldMove, toldReopening], last: MOVED }),
      /deal\.reopened of deal_1 at t3 follows open in s2/,
    ],
  },
  eachEventHasItsCall: {
    well: [
      wholeLife,
      life({ calls: [change({ status: 'won' }, 'unknown')], told: [toldWin] }),
      // The answer of a repeat tells the state of a later moment.
      life({ calls: [change({ status: 'won' }, { id: DEAL.id })], told: [toldWin] }),
    ],
    'one was not told': [life({ calls: [win], last: WON }), /deal\.won of deal_1 at t2 was not/],
    'a change that was acknowledged late was not told': [
      life({ calls: [change({ status: 'won' }, { id: DEAL.id })] }),
      /deal\.won of deal_1: 1 calls did it, 0 may have/,
    ],
    'one was told twice': [life({ calls: [move], told: [toldMove, toldMove] }), /0 calls did it,/],
    'one was told more often than it was asked for': [
      life({
        calls: [win, change({ status: 'won' }, 'unknown')],
        told: [toldWin, toldWin, toldWin],
      }),
      /0 calls did it, 1 may have/,
    ],
    'one has no call': [
      life({ calls: [move, win], told: [toldMove, toldWin, toldReopening] }),
      /deal\.reopened at t3 of deal_1: 0 calls did it/,
    ],
    'a refused change was told': [
      life({ calls: [lose(422)], told: [['deal.lost', { status: 'lost' }]] }),
      /deal\.lost at t0 of deal_1: 0 calls did it/,
    ],
  },
  everyStageIsTold: {
    well: [
      {
        store: store({ changes: became('open', 'won', 'open', 'lost') }),
        deliveries: ['deal.won', 'deal.lost', 'deal.reopened'].map((event) =>
          delivery(event, DEAL.id),
        ),
      },
    ],
    'a deal is won again and nobody is told': [
      {
        store: store({ changes: became('won', 'open', 'won') }),
        deliveries: [delivery('deal.won', DEAL.id)],
      },
      /deal\.won deal_1 happened 2 times and was told 1 times/,
    ],
  },
});

function became(...values: readonly string[]) {
  return values.map((value) => ({ id: DEAL.id, field: 'status', value }));
}
