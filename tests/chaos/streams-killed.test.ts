/**
 * kill -9 of gateway, actors, NATS and MongoDB while event streams are read. Each recorded event is
 * seen with its own bytes and in the order of its deal, and by no other organization.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { MongoClient } from 'mongodb';
import * as v from 'valibot';
import { DealAnswer } from '../../shared/api/deal.ts';
import { crmFixtureOf } from '../api/crm-fixture.ts';
import { type Answer, freshPhone } from '../support/api.ts';
import { type EventSource, openEventSource, type SeenEvent } from '../support/event-source.ts';
import { type Organization, organizations } from '../support/organization.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { waitFor } from '../support/wait-for.ts';
import { killHard } from './load-fixture.ts';

const DEALS_AT_ONCE = 4;
const CALLS = { RATE_LIMIT_KEY: '100000', RATE_LIMIT_ORG: '100000' };
const ROLES = ['gateway', 'actors', 'nats', 'mongo', 'actors', 'gateway'];
/** Stages that a deal passes, then it is won: an event each. */
const MOVES = 3;
const AGAIN_MS = 60_000;

let stack: Stack;
let mongo: MongoClient;
let orgs: Record<'own' | 'other', Organization>;
const sources: EventSource[] = [];

before(async () => {
  stack = await startStack({ settings: CALLS });
  orgs = await organizations(stack, { own: {}, other: {} });
  mongo = new MongoClient(stack.runFile().mongodbUrl);
});
after(async () => {
  for (const source of sources) await source.close();
  await mongo?.close();
  await stack?.stop();
});

function open(key: string, query = ''): EventSource {
  const source = openEventSource(() => `${stack.baseUrl}/api/v1/events${query}`, key);
  sources.push(source);
  return source;
}

/** A call that is repeated until it is answered, once in effect. */
async function callUntilDone(key: string, path: string, body: object): Promise<unknown> {
  const headers = { 'idempotency-key': `k-${freshPhone()}` };
  let last: Answer | null = null;
  const isDone = async (): Promise<boolean> => {
    last = await stack.request('POST', path, { key, body, headers }).catch(() => null);
    const { status = 500, text = '' } = last ?? {};
    assert.ok(status < 300 || status === 409 || status >= 500, `${path}: ${status} ${text}`);
    return status < 300;
  };
  await waitFor(isDone, { what: `${path} is done`, timeoutMs: AGAIN_MS });
  return Object(last).json;
}

interface Sale {
  readonly contactId: string;
  readonly stages: readonly string[];
}

async function sellOne(key: string, { contactId, stages }: Sale): Promise<void> {
  const created = { title: 'Plano', contactId, stageId: stages[0] };
  const { id } = v.parse(DealAnswer, await callUntilDone(key, '/api/v1/deals', created)).data;
  for (const stageId of stages.slice(1, 1 + MOVES)) {
    await callUntilDone(key, `/api/v1/deals/${id}`, { stageId });
  }
  await callUntilDone(key, `/api/v1/deals/${id}`, { status: 'won' });
}

/** Bodies by id of what is recorded for the streams of an organization. */
async function recorded(orgId: string): Promise<ReadonlyMap<string, string>> {
  const deliveries = mongo.db('recado').collection('deliveries');
  const found = await deliveries.find({ orgId, order: { $exists: true } }).toArray();
  return new Map(found.map(({ _id, body }) => [String(_id), String(body)]));
}

/** The first arrival of each event. */
function firstOf({ seen }: EventSource): readonly SeenEvent[] {
  const known = new Set<string>();
  return seen.filter(({ id }) => !known.has(id) && known.add(id));
}

function dealOf(data: string): string {
  return String(JSON.parse(data).data.deal?.id);
}

test('streams see all that is recorded, in the order of each deal, through kills', {
  timeout: 240_000,
}, async (t) => {
  const { own, other } = orgs;
  const crm = crmFixtureOf(stack, own);
  const stages = (await crm.pipeline()).stages.map(({ id }) => id);
  const { id: contactId } = await crm.contact();
  const whole = open(own.key);
  const again = open(own.key, '?name=again&events=deal.won');
  const foreign = open(other.key);
  await waitFor(() => sources.every(({ connections }) => connections > 0), { what: 'all connect' });
  let isOver = false;
  const sell = async (): Promise<number> => {
    let sold = 0;
    for (; !isOver; sold++) await sellOne(own.key, { contactId, stages });
    return sold;
  };
  const selling = Promise.all(Array.from({ length: DEALS_AT_ONCE }, sell));
  for (const role of ROLES) {
    const before = whole.seen.length;
    await waitFor(() => whole.seen.length > before + 2 * DEALS_AT_ONCE, {
      what: 'events arrive',
      timeoutMs: AGAIN_MS,
    });
    await killHard(stack, role);
  }
  isOver = true;
  const sold = (await selling).reduce((sum, each) => sum + each, 0);
  const wanted = sold * (MOVES + 2);
  const distinct = ({ seen }: EventSource): number => new Set(seen.map(({ id }) => id)).size;
  await waitFor(() => distinct(whole) >= wanted && distinct(again) >= sold, {
    what: 'every event is seen',
    timeoutMs: AGAIN_MS,
  });
  const bodies = await recorded(own.id);
  assert.equal(bodies.size, wanted + sold);
  for (const { id, data } of [...whole.seen, ...again.seen]) assert.equal(data, bodies.get(id), id);
  assert.deepEqual(new Set(again.seen.map(({ event }) => event)), new Set(['deal.won']));
  assert.deepEqual(foreign.seen, []);
  const byDeal = Map.groupBy(firstOf(whole), ({ data }) => dealOf(data));
  for (const [deal, events] of byDeal) {
    const names = events.map(({ event }) => event);
    const moved = Array.from({ length: MOVES }, () => 'deal.stage_changed');
    assert.deepEqual(names, ['deal.created', ...moved, 'deal.won'], deal);
    const at = events.map(({ data }) => JSON.parse(data).data.toStageId).filter(Boolean);
    assert.deepEqual(at, stages.slice(1, 1 + MOVES), deal);
  }
  const repeats = whole.seen.length - wanted;
  t.diagnostic(
    `${sold} deals, ${wanted} events, ${repeats} repeats, ${whole.connections} connections`,
  );
});
