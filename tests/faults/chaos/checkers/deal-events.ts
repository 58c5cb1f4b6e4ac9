/**
 * One event per transition of a deal (I5). In the order of their moments, the events lead from the
 * deal's first state to its last. Each has a call that caused it.
 */
import * as v from 'valibot';
import type { History } from '../history.ts';
import { type Change, Deal } from './deal-shapes.ts';
import { receivedBySubscriber } from './facts.ts';

const TRANSITIONS = ['deal.stage_changed', 'deal.won', 'deal.lost', 'deal.reopened'];
const Told = v.object({ event: v.string(), data: v.object({ deal: Deal }) });

export interface Notification {
  readonly event: string;
  /** As it was right after the transition. */
  readonly deal: Deal;
}

interface Life {
  readonly created: Deal;
  readonly changes: readonly Change[];
  readonly last: Deal;
}

/** One telling per delivery: an attempt that comes again is the same telling. */
export function toldOf(history: History): Notification[] {
  const deliveries = new Map(receivedBySubscriber(history).map((each) => [each.delivery, each]));
  return [...deliveries.values()].flatMap(({ event, bytes }) => {
    if (!TRANSITIONS.includes(event)) return [];
    const { data } = v.parse(Told, JSON.parse(Buffer.from(bytes, 'base64').toString('utf8')));
    return [{ event, deal: data.deal }];
  });
}

export function notificationFaults(life: Life, told: readonly Notification[]): string[] {
  return [...chainFaults(life, told), ...unfounded(life, told)];
}

/** Missing or doubled ones break the chain. */
function chainFaults({ created, last }: Life, told: readonly Notification[]): string[] {
  const left = told.toSorted((one, other) => compare(one.deal.updatedAt, other.deal.updatedAt));
  let { status, stageId } = created;
  while (left.length > 0) {
    const moment = left[0]?.deal.updatedAt;
    const fitting = left.findIndex(
      (each) => each.deal.updatedAt === moment && follows(each, { status, stageId }),
    );
    const [next] = left.splice(fitting, fitting < 0 ? 0 : 1);
    if (next === undefined) {
      const { event, deal } = left[0] ?? { event: '', deal: created };
      return [`${event} of ${deal.id} at ${moment} follows ${status} in ${stageId}`];
    }
    ({ status, stageId } = next.deal);
  }
  return status === last.status && stageId === last.stageId
    ? []
    : [`the last that was told of ${last.id} is ${status} in ${stageId}, it is ${last.status}`];
}

function follows({ event, deal }: Notification, before: Pick<Deal, 'status' | 'stageId'>): boolean {
  const stays = deal.stageId === before.stageId;
  if (event === 'deal.stage_changed') return before.status === 'open' && !stays;
  if (event === 'deal.reopened') return stays && before.status !== 'open' && deal.status === 'open';
  return stays && before.status === 'open' && event === `deal.${deal.status}`;
}

/** Acknowledged calls have the event of their very moment; the rest is of unanswered calls. */
function unfounded({ created, changes }: Life, told: readonly Notification[]): string[] {
  const left = told.map(({ event, deal }) => `${event} at ${deal.updatedAt}`);
  const wrong: string[] = [];
  for (const { request, answer } of changes) {
    const event = eventOf(request);
    if (event === null || answer === null) continue;
    const place = left.indexOf(`${event} at ${answer.updatedAt}`);
    if (place >= 0) left.splice(place, 1);
    else if (event === 'deal.won' || event === 'deal.lost')
      wrong.push(`${event} of ${created.id} at ${answer.updatedAt} was not told`);
  }
  for (const event of TRANSITIONS) {
    const more = left.filter((each) => each.startsWith(`${event} `));
    const perhaps = changes.filter(
      ({ request, outcome }) => outcome === 'info' && eventOf(request) === event,
    );
    if (more.length > perhaps.length) {
      wrong.push(`${more.join(', ')} of ${created.id}: ${perhaps.length} calls may have done it`);
    }
  }
  return wrong;
}

function eventOf({ stageId, status }: Change['request']): string | null {
  if (status === 'won' || status === 'lost') return `deal.${status}`;
  if (status === 'open') return 'deal.reopened';
  return stageId === undefined ? null : 'deal.stage_changed';
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
