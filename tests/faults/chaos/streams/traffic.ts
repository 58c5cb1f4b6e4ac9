/**
 * Calls of integrators and messages of contacts that go on through kills. Each call is repeated
 * under one key until it is answered, so that it happens once. Its events are counted.
 */
import { setTimeout as pause } from 'node:timers/promises';
import * as v from 'valibot';
import { DealAnswer } from '../../../../shared/api/deal.ts';
import { TaskAnswer } from '../../../../shared/api/task.ts';
import { freshPhone } from '../../../support/api.ts';
import type { Organization } from '../../../support/organization.ts';
import { callerOf } from '../program/caller.ts';
import { bring } from '../program/workloads/inbound.ts';
import { MOVES } from './commits.ts';

const AGAIN_MS = 200;
const CONFLICT = 409;
/** Of one worker: the calls go on while a killed process starts again. */
const BETWEEN_MS = 60;

export interface TrafficPlan {
  readonly organization: Organization;
  readonly baseUrl: string;
  readonly sandboxUrl: string;
  readonly contactId: string;
  /** Of the deals, in their order. */
  readonly stages: readonly string[];
  /** Begins every text and title. */
  readonly mark: string;
  readonly workers: Readonly<Record<'deals' | 'tasks' | 'conversations', number>>;
  /** Pauses last so many times their own length. */
  readonly pace: number;
}

/** Causes of everything that must be recorded. */
export interface Made {
  readonly deals: number;
  readonly tasks: number;
  /** Texts by their event and channel. */
  readonly received: Readonly<Record<string, readonly string[]>>;
  readonly sent: Readonly<Record<string, readonly string[]>>;
}

/** Of each name. */
export type EventCounts = Readonly<Record<string, number>>;

/** Events that must be recorded, each once. @param channelId whose messages alone are heard */
export function countsOf(
  { deals, tasks, received, sent }: Made,
  channelId: string | null = null,
): EventCounts {
  const count = (texts: Made['sent']): number =>
    Object.entries(texts)
      .filter(([id]) => channelId === null || id === channelId)
      .reduce((sum, [, list]) => sum + list.length, 0);
  return {
    ...{ 'deal.created': deals, 'deal.stage_changed': deals * MOVES, 'deal.won': deals },
    ...{ 'task.created': tasks, 'task.completed': tasks },
    ...{ 'message.received': count(received), 'message.sent': count(sent) },
    ...{ 'message.delivered': count(sent), 'message.read': count(sent) },
  };
}

export interface Traffic {
  /** In the order of a deal's moves, the first one left out. */
  readonly stages: readonly string[];
  /** Events that the calls so far must have caused. */
  readonly events: number;
  /** Resolves when the calls under way are done. */
  end(): Promise<Made>;
}

interface Making {
  deals: number;
  tasks: number;
  readonly received: Readonly<Record<string, string[]>>;
  readonly sent: Readonly<Record<string, string[]>>;
}

type Post = (path: string, body: object) => Promise<unknown>;

export function startTraffic(plan: TrafficPlan): Traffic {
  const { organization, workers, pace } = plan;
  const { main, shop } = organization;
  const made: Making = {
    ...{ deals: 0, tasks: 0 },
    received: { [main]: [] as string[], [shop]: [] as string[] },
    sent: { [main]: [] as string[], [shop]: [] as string[] },
  };
  const count = { events: 0 };
  let isOver = false;
  const work = async (one: (n: number) => Promise<number>): Promise<void> => {
    for (let n = 0; !isOver; n++) {
      const caused = await one(n);
      count.events += caused;
      await pause(BETWEEN_MS * pace);
    }
  };
  const { deal, task, converse } = callsOf(plan, made);
  const working = [
    ...Array.from({ length: workers.deals }, () => work(deal)),
    ...Array.from({ length: workers.tasks }, () => work(task)),
    ...Array.from({ length: workers.conversations }, (_, n) =>
      work(converse(n % 2 === 0 ? main : shop, freshPhone())),
    ),
  ];
  const end = async (): Promise<Made> => {
    isOver = true;
    await Promise.all(working);
    return made;
  };
  // A fault of a worker is told at the end.
  for (const each of working) each.catch(() => undefined);
  return {
    ...{ end, stages: plan.stages.slice(1) },
    get events() {
      return count.events;
    },
  };
}

/** One call or more, and the number of events that they cause. */
function callsOf(plan: TrafficPlan, made: Making) {
  const { mark } = plan;
  const post = repeating(plan);
  const deal = async (): Promise<number> => {
    await sell(post, plan);
    made.deals += 1;
    return MOVES + 2;
  };
  const task = async (): Promise<number> => {
    const created = await post('/api/v1/tasks', { title: mark });
    const { id } = v.parse(TaskAnswer, created).data;
    await post(`/api/v1/tasks/${id}`, { done: true });
    made.tasks += 1;
    return 2;
  };
  const converse =
    (channelId: string, phone: string) =>
    async (n: number): Promise<number> => {
      const text = `${mark} ${phone} ${n}`;
      await writeAsContact(plan, { channelId, from: phone, text });
      made.received[channelId]?.push(text);
      await post('/api/v1/messages', { channelId, phone, text });
      made.sent[channelId]?.push(text);
      return 2;
    };
  return { deal, task, converse };
}

async function sell(post: Post, { contactId, stages, mark }: TrafficPlan): Promise<void> {
  const [first, ...next] = stages;
  const created = await post('/api/v1/deals', { title: mark, contactId, stageId: first });
  const { id } = v.parse(DealAnswer, created).data;
  for (const stageId of next) await post(`/api/v1/deals/${id}`, { stageId });
  await post(`/api/v1/deals/${id}`, { status: 'won' });
}

let keys = 0;

/** A call that is repeated until it is answered, once in effect. */
function repeating({ baseUrl, organization }: TrafficPlan): Post {
  const call = callerOf(baseUrl, organization.key);
  return async (path, body) => {
    keys += 1;
    const idempotencyKey = `streams-${keys}`;
    for (;;) {
      const { type, status, json } = await call({ path, body, idempotencyKey });
      if (type === 'ok') return json;
      // Its first try may be under way still.
      if (type === 'refused' && status !== CONFLICT) {
        throw new Error(`${path}: ${status} ${JSON.stringify(json)}`);
      }
      await pause(AGAIN_MS);
    }
  };
}

interface Written {
  readonly channelId: string;
  readonly from: string;
  readonly text: string;
}

/** The network brings it again under the same id, until the service has taken it. */
async function writeAsContact({ sandboxUrl }: TrafficPlan, written: Written): Promise<void> {
  const id = `wamid.${written.text.replaceAll(/\W/g, '-')}`;
  const body = JSON.stringify({ ...written, id });
  while ((await bring(`${sandboxUrl}/control/inbound`, body)).type !== 'ok') await pause(AGAIN_MS);
}
