/**
 * Deals as registers (I4, I5, I7, I8; C3.3). Some order of the calls explains every answer and the
 * final state, and each transition has one event. The events lead from the deal's first state to
 * its last, and each has a call that caused it. Deals that follow stages are judged in `pipelines`.
 */
import { type Checker, callsOf, fromStore, grouped, type Rule } from './checker.ts';
import type { Call, Deal, History, Request, StoredDeal } from './history.ts';
import { isLinearizable, type Operation } from './linearize.ts';
import { titlesOf } from './pipelines.ts';

type State = Pick<Deal, 'title' | 'status' | 'stageId' | 'lostReason'>;

const EVENT_OF = new Map([
  ['won', 'deal.won'],
  ['lost', 'deal.lost'],
  ['open', 'deal.reopened'],
]);
const CLOSING: ReadonlySet<string> = new Set(['deal.won', 'deal.lost']);
const TRANSITIONS = ['deal.stage_changed', ...EVENT_OF.values()];
/** A window of the key's was full, where keys are small. */
const FULL = 429;
const INVALID = 422;

interface Told {
  readonly event: string;
  /** As it was right after the transition. */
  readonly deal: Deal;
}

/** A deal with all that is known of it. */
interface Life {
  readonly last: StoredDeal;
  /** As it was made, by the answer or by its event; absent where neither came. */
  readonly made: Deal | undefined;
  readonly changes: readonly Call[];
  /** Of each event one telling, in the order of their moments. */
  readonly told: readonly Told[];
}

function livesOf(history: History): readonly Life[] {
  const changes = grouped(callsOf(history, 'deal-change'), ({ request }) => request.dealId ?? '');
  const events = history.deliveries.flatMap(({ event, deal }) => (deal ? [{ event, deal }] : []));
  const told = grouped(events, ({ deal }) => deal.id);
  const answers = callsOf(history, 'deal-create').flatMap(({ answer }) => answer?.deal ?? []);
  const made = new Map(answers.map((deal) => [deal.id, deal]));
  const ofStages = titlesOf(history);
  const judged = history.deals.filter(({ title }) => !ofStages.has(title));
  return judged.map((last) => {
    const mine = told.of(last.id);
    const transitions = mine.filter(({ event }) => TRANSITIONS.includes(event));
    return {
      last,
      made: made.get(last.id) ?? mine.find(({ event }) => event === 'deal.created')?.deal,
      changes: changes.of(last.id),
      told: transitions.sort((one, other) => compare(one.deal.updatedAt, other.deal.updatedAt)),
    };
  });
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

const anOrderExplainsIt: Rule = (history) => {
  const hasSmallKeys = Number.isFinite(history.store?.windows.perKey);
  return livesOf(history).flatMap(({ last, made, changes }) => {
    if (made === undefined) return [];
    const read: Operation<State> = {
      startedAt: last.readAt,
      endedAt: Number.POSITIVE_INFINITY,
      optional: false,
      apply: (state) => (keyOf(state) === keyOf(last) ? state : null),
    };
    const counted = changes.filter(({ status }) => !(hasSmallKeys && status === FULL));
    const operations = [...counted.map(operationOf), read];
    const explained = isLinearizable<State>({ initial: made, keyOf }, operations);
    if (explained === true) return [];
    const shown = changes.map(
      ({ request: { dealId: _, ...request }, outcome }) => `${JSON.stringify(request)} ${outcome}`,
    );
    const found = explained === null ? 'too many orders may explain' : 'no order explains';
    return [`${found} ${last.id}, ${keyOf(last)} at last: ${shown.join('; ')}`];
  });
};

function operationOf({ request, outcome, status, ...call }: Call): Operation<State> {
  const answer = call.answer?.deal;
  return {
    startedAt: call.startedAt,
    endedAt: call.endedAt,
    optional: outcome === 'unknown',
    apply: (state) => {
      const next = after(state, request);
      if (outcome === 'refused') {
        return next === null || (status === INVALID && !isValid(request)) ? state : null;
      }
      if (outcome === 'unknown') return isValid(request) ? (next ?? state) : state;
      return next !== null && keyOf(next) === keyOf(answer ?? next) ? next : null;
    },
  };
}

function isValid({ status, lostReason }: Request): boolean {
  return status !== 'lost' || lostReason !== undefined;
}

/** The table of C3.3; null for a refusal. */
function after(state: State, request: Request): State | null {
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

/** Equal for equal states. */
function keyOf({ title, status, stageId, lostReason }: State): string {
  return JSON.stringify({ title, status, stageId, lostReason });
}

const closedAsItsStatusSays: Rule = ({ deals }) =>
  deals.flatMap(({ id, status, closedAt, lostReason }) => {
    const wrong: string[] = [];
    const isHalf = closedAt !== undefined && (closedAt !== null) !== (status !== 'open');
    if (isHalf) wrong.push(`${id} is half closed`);
    if ((status === 'lost') !== (lostReason !== null)) wrong.push(`${id} is half lost`);
    return wrong;
  });

/** Missing or doubled ones break the chain. */
const eventsLeadFromFirstToLast: Rule = (history) =>
  livesOf(history).flatMap(({ made, last, told }) => {
    if (made === undefined) return [];
    let { status, stageId } = made;
    const left = [...told];
    while (left.length > 0) {
      const moment = left[0]?.deal.updatedAt;
      const fitting = left.findIndex(
        (each) => each.deal.updatedAt === moment && follows(each, { status, stageId }),
      );
      const [next] = left.splice(fitting, fitting < 0 ? 0 : 1);
      if (next === undefined) {
        return [`${left[0]?.event} of ${last.id} at ${moment} follows ${status} in ${stageId}`];
      }
      ({ status, stageId } = next.deal);
    }
    return status === last.status && stageId === last.stageId
      ? []
      : [`the last that was told of ${last.id} is ${status} in ${stageId}, it is ${last.status}`];
  });

function follows({ event, deal }: Told, before: Pick<Deal, 'status' | 'stageId'>): boolean {
  const stays = deal.stageId === before.stageId;
  if (event === 'deal.stage_changed') return before.status === 'open' && !stays;
  if (event === 'deal.reopened') return stays && before.status !== 'open' && deal.status === 'open';
  return stays && before.status === 'open' && event === `deal.${deal.status}`;
}

/**
 * Acknowledged calls have the event of their very moment, if their answers tell it; the rest is of
 * others and of unanswered ones. Reopening an open deal is answered 200 and changes nothing.
 */
const eachEventHasItsCall: Rule = (history) =>
  livesOf(history).flatMap(({ last, changes, told }) => {
    const left = told.map(({ event, deal }) => `${event} at ${deal.updatedAt}`);
    const wrong: string[] = [];
    for (const { request, answer } of changes) {
      const event = eventOf(request);
      if (event === undefined || !answer?.deal) continue;
      const place = left.indexOf(`${event} at ${answer.deal.updatedAt}`);
      if (place >= 0) left.splice(place, 1);
      else if (CLOSING.has(event))
        wrong.push(`${event} of ${last.id} at ${answer.deal.updatedAt} was not told`);
    }
    for (const event of TRANSITIONS) {
      const more = left.filter((each) => each.startsWith(`${event} `));
      const mine = changes.filter(({ request }) => eventOf(request) === event);
      const sure = mine.filter(({ outcome, answer }) => outcome === 'ok' && !answer?.deal).length;
      const perhaps = mine.filter(({ outcome }) => outcome === 'unknown').length;
      const isTooFew = CLOSING.has(event) && more.length < sure;
      if (isTooFew || more.length > sure + perhaps) {
        const what = more.length > 0 ? more.join(', ') : event;
        wrong.push(`${what} of ${last.id}: ${sure} calls did it, ${perhaps} may have`);
      }
    }
    return wrong;
  });

function eventOf({ stageId, status }: Request): string | undefined {
  return EVENT_OF.get(status ?? '') ?? (stageId === undefined ? undefined : 'deal.stage_changed');
}

/** A second effect under the first one's event id is delivered to no subscriber. */
const everyStageIsTold = fromStore((store, { deliveries }) => {
  const told = grouped(deliveries, ({ event, subject }) => `${event} ${subject}`);
  const closings = store.changes.filter(
    ({ field, value }) => field === 'status' && CLOSING.has(`deal.${value}`),
  );
  return [...Map.groupBy(closings, ({ id, value }) => `deal.${value} ${id}`)].flatMap(
    ([what, all]) => {
      const times = told.of(what).length;
      return times === all.length
        ? []
        : [`${what} happened ${all.length} times and was told ${times} times`];
    },
  );
});

export const deals: Checker = {
  rules: {
    anOrderExplainsIt,
    closedAsItsStatusSays,
    eventsLeadFromFirstToLast,
    eachEventHasItsCall,
    everyStageIsTold,
  },
  counted: (history) => {
    const changes = callsOf(history, 'deal-change');
    const told = history.deliveries.filter(({ event }) => TRANSITIONS.includes(event));
    return {
      deals: history.deals.length,
      changes: changes.length,
      unanswered: changes.filter(({ outcome }) => outcome === 'unknown').length,
      events: told.length,
    };
  },
};
