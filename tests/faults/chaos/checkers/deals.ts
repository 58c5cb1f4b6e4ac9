/**
 * Deals as registers (I4, I5, I7, I8; C3.3). Some order of the calls explains every answer and the
 * final state, and each transition has one event.
 */
import { type Call, callsOf, type History, seenOf } from '../history.ts';
import { grouped, type Verdict } from './checker.ts';
import { notificationFaults, toldOf } from './deal-events.ts';
import { CHANGE, type Change, CREATE, Deal } from './deal-shapes.ts';
import { isLinearizable, type Operation } from './linearize.ts';

type State = Pick<Deal, 'title' | 'status' | 'stageId' | 'lostReason'>;

export function checkDeals(history: History): Verdict {
  const creates = callsOf(history, 'deal-create', CREATE);
  const changes = callsOf(history, 'deal-change', CHANGE);
  const read = seenOf(history, 'read-deal', Deal);
  const titles = grouped(firstTitles(creates, changes, read), ({ title }) => title);
  const changesOf = grouped(changes, ({ request }) => request.dealId);
  const told = grouped(toldOf(history), ({ deal }) => deal.id);
  const readOf = new Map(read.map((deal) => [deal.id, deal]));
  const violations = creates.flatMap((create) => {
    const { title } = create.request;
    const found = titles.of(title);
    if (found.length > 1) return [`${title} was made ${found.length} times`];
    if (create.answer === null) {
      return create.outcome === 'refused' && found.length > 0
        ? [`${title} was refused, is there`]
        : [];
    }
    const { id } = create.answer;
    const last = readOf.get(id);
    if (last === undefined) return [`the deal ${id} was made and is lost`];
    const mine = changesOf.of(id);
    return [
      ...registerFaults(create.answer, mine, last),
      ...notificationFaults({ created: create.answer, changes: mine, last }, told.of(id)),
    ];
  });
  const unanswered = changes.filter(({ outcome }) => outcome === 'info').length;
  const events = [...told.groups.values()].reduce((sum, all) => sum + all.length, 0);
  return {
    violations,
    counted: { deals: read.length, changes: changes.length, unanswered, events },
  };
}

/**
 * The title of each deal at its creation. A title of a later change belongs to no call that creates
 * a deal.
 */
function firstTitles(
  creates: readonly Call<{ readonly title: string }, Deal>[],
  changes: readonly Change[],
  read: readonly Deal[],
): readonly Pick<Deal, 'title'>[] {
  const made = new Map(creates.flatMap(({ answer }) => (answer ? [[answer.id, answer]] : [])));
  const later = new Set(changes.flatMap(({ request }) => request.title ?? []));
  return read.flatMap((deal) => made.get(deal.id) ?? (later.has(deal.title) ? [] : [deal]));
}

function registerFaults(created: Deal, changes: readonly Change[], last: Deal & { t: number }) {
  const read: Operation<State> = {
    startedAt: last.t,
    endedAt: Number.POSITIVE_INFINITY,
    optional: false,
    apply: (state) => (same(state, last) ? state : null),
  };
  const register = { initial: created, keyOf: (state: State) => JSON.stringify(pick(state)) };
  const operations = [...changes.map(operationOf), read];
  const explained = isLinearizable<State>(register, operations);
  if (explained === true) return [];
  const shown = changes
    .map(
      ({ request: { dealId: _, ...request }, outcome }) => `${JSON.stringify(request)} ${outcome}`,
    )
    .join('; ');
  const found = explained === null ? 'too many orders may explain' : 'no order explains';
  return [`${found} ${created.id}, ${JSON.stringify(pick(last))} at last: ${shown}`];
}

function operationOf({ request, outcome, answer, startedAt, endedAt }: Change): Operation<State> {
  return {
    startedAt,
    endedAt,
    optional: outcome === 'info',
    apply: (state) => {
      const next = after(state, request);
      if (outcome === 'refused') return next === null ? state : null;
      if (outcome === 'info') return next ?? state;
      return next !== null && answer !== null && same(next, answer) ? next : null;
    },
  };
}

/** The table of C3.3; null for a refusal. */
function after(state: State, request: Change['request']): State | null {
  const closed = state.status !== 'open';
  if (request.stageId !== undefined && closed) return null;
  if ((request.status === 'won' || request.status === 'lost') && closed) return null;
  const status = request.status ?? state.status;
  return {
    title: request.title ?? state.title,
    stageId: request.stageId ?? state.stageId,
    status,
    lostReason: status === 'lost' ? (request.lostReason ?? state.lostReason) : null,
  };
}

function pick({ title, status, stageId, lostReason }: State): State {
  return { title, status, stageId, lostReason };
}

function same(one: State, other: State): boolean {
  return JSON.stringify(pick(one)) === JSON.stringify(pick(other));
}
