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
    'no order explains deal_1': [
      // An acknowledged change is lost.
      life({ calls: [move] }),
      // An acknowledged change of an unanswered deal is lost.
      life({ calls: [move], isUnanswered: true }),
      // An earlier change has come after a later one.
      life({ calls: [win, reopen], last: WON }),
      // An answer on a stale state.
      life({
        calls: [move, rename('x', answer({ title: 'x' }))],
        last: { ...MOVED, title: 'x' },
      }),
      // A refusal without a reason.
      life({ calls: [move, change({ status: 'won' }, 409)], last: MOVED }),
      // A refusal for a full window where none is small.
      life({ calls: [rename('x', 429)] }),
      // A refused change is there.
      life({ calls: [move, win, rename('no', 409)], last: WON }),
      // A refused change has taken effect.
      life({ calls: [lose(409)], last: { status: 'lost', lostReason: 'x', closedAt: 't' } }),
      // A state that nobody made.
      life({ calls: [move], last: { ...MOVED, title: 'y' } }),
      // Two calls have won.
      life({ calls: [move, win, lose(answer(WON))], last: WON }),
    ],
  },
  closedAsItsStatusSays: {
    well: [wholeLife, life({ last: WON })],
    'deal_1 is half closed': [life({ last: { status: 'won' } })],
    'deal_1 is half lost': [life({ last: { status: 'lost', closedAt: 't' } })],
  },
  eventsLeadFromFirstToLast: {
    well: [wholeLife, life({ told: [toldMove, toldWin], last: WON })],
    'the last that was told of deal_1 is open in s1': [life({ calls: [move], last: MOVED })],
    'deal.won of deal_1 at t2 follows won in s2': [
      life({ told: [toldMove, toldWin, toldWin], last: WON }),
    ],
    'deal.reopened of deal_1 at t3 follows open in s2': [
      life({ told: [toldMove, toldReopening], last: MOVED }),
    ],
  },
  eachEventHasItsCall: {
    well: [
      wholeLife,
      life({ calls: [change({ status: 'won' }, 'unknown')], told: [toldWin] }),
      // The answer of a repeat tells the state of a later moment.
      life({ calls: [change({ status: 'won' }, { id: DEAL.id })], told: [toldWin] }),
    ],
    'deal.won of deal_1 at t2 was not told': [life({ calls: [win], last: WON })],
    'deal.won of deal_1: 1 calls did it, 0 may have': [
      life({ calls: [change({ status: 'won' }, { id: DEAL.id })] }),
    ],
    'deal.stage_changed at t1 of deal_1: 0 calls did it': [
      life({ calls: [move], told: [toldMove, toldMove] }),
    ],
    'deal.won at t2 of deal_1: 0 calls did it, 1 may have': [
      life({
        calls: [win, change({ status: 'won' }, 'unknown')],
        told: [toldWin, toldWin, toldWin],
      }),
    ],
    'deal.reopened at t3 of deal_1: 0 calls did it': [
      life({ calls: [move, win], told: [toldMove, toldWin, toldReopening] }),
    ],
    'deal.lost at t0 of deal_1: 0 calls did it': [
      life({ calls: [lose(422)], told: [['deal.lost', { status: 'lost' }]] }),
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
    'deal.won deal_1 happened 2 times and was told 1 times': [
      {
        store: store({ changes: became('won', 'open', 'won') }),
        deliveries: [delivery('deal.won', DEAL.id)],
      },
    ],
  },
});

function became(...values: readonly string[]) {
  return values.map((value) => ({ id: DEAL.id, field: 'status', value }));
}
