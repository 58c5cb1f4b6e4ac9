/**
 * The order of commits, by what the events say. The calls of one deal, task or conversation follow
 * one another, each after the answer of the one before. Pure.
 */
import { entityOf, type RecordedById } from './judge.ts';
import type { Sighting } from './sighting.ts';

/** Stages that a deal passes before it is won. */
export const MOVES = 3;
const DEAL = ['deal.created', ...new Array(MOVES).fill('deal.stage_changed'), 'deal.won'];
const TASK = ['task.created', 'task.completed'];
const RECEIPTS = ['message.sent', 'message.delivered', 'message.read'];

interface Told {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** @param seen first sightings, in order @param stages ids in the order of a deal's moves */
export function outOfCommitOrder(
  seen: readonly Pick<Sighting, 'event' | 'data'>[],
  stages: readonly string[],
): readonly string[] {
  const byEntity = Map.groupBy(seen, ({ data }) => entityOf(data));
  return [...byEntity].flatMap(([entity, sightings]) => {
    const told = sightings.map(({ event, data }) => {
      return { event, data: Object(JSON.parse(data)).data };
    });
    const [first] = told;
    const is = (prefix: string) => first?.event.startsWith(prefix) === true;
    if (is('message.')) return conversationFaults(entity, told);
    if (is('deal.')) return dealFaults(entity, told, stages);
    return is('task.') ? differ(entity, names(told), TASK) : [];
  });
}

function dealFaults(entity: string, told: readonly Told[], stages: readonly string[]) {
  const moved = told.flatMap(({ data }) => (data.toStageId ? [String(data.toStageId)] : []));
  return [...differ(entity, names(told), DEAL), ...differ(entity, moved, stages)];
}

/** Texts are numbered by the traffic, those of each direction for themselves. */
function conversationFaults(entity: string, told: readonly Told[]): readonly string[] {
  const numbered = ['message.received', 'message.sent'].flatMap((name) => {
    const numbers = told
      .filter(({ event }) => event === name)
      .map(({ data }) => Number(/\d+$/.exec(String(data.text))));
    const sorted = numbers.toSorted((a, b) => a - b);
    return differ(`${entity} ${name}`, numbers, sorted);
  });
  const byMessage = Map.groupBy(told, ({ data }) => String(data.messageId));
  const receipts = [...byMessage].flatMap(([id, ofMessage]) => {
    const steps = names(ofMessage).filter((name) => RECEIPTS.includes(name));
    const wanted = RECEIPTS.filter((step) => steps.includes(step));
    return differ(id, steps, wanted);
  });
  return [...numbered, ...receipts];
}

function names(told: readonly Told[]): readonly string[] {
  return told.map(({ event }) => event);
}

function differ<T>(what: string, found: readonly T[], wanted: readonly T[]): readonly string[] {
  const isSame = found.length === wanted.length && found.every((each, n) => each === wanted[n]);
  return isSame ? [] : [`${what}: ${found.join(', ')} instead of ${wanted.join(', ')}`];
}

/** The first sighting of each recorded event, over all lives. */
export function firstSightings(
  lives: readonly { readonly sightings: readonly Sighting[] }[],
  recorded: RecordedById,
): readonly Sighting[] {
  const known = new Set<string>();
  const all = lives.flatMap(({ sightings }) => sightings);
  return all.filter(({ id }) => recorded.has(id) && known.size < known.add(id).size);
}
