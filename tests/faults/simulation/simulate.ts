/**
 * One seed from beginning to end: set-up, work under faults, healing, drain, checks.
 */

import { PROBE_MAX_MS } from '../../../actors/domain/breaker.ts';
import type { EntryDocument } from '../../../actors/model/conversation.ts';
import type { Write } from '../../support/plain-store.ts';
import { verdictsOn, violationsIn } from '../checkers/all.ts';
import { waitsIn } from '../checkers/fairness.ts';
import type { History } from '../checkers/history.ts';
import { titlesOf } from '../checkers/pipelines.ts';
import type { StreamHistory } from '../checkers/streams-history.ts';
import { Clients } from './clients.ts';
import { startClockJumps } from './clock-nemesis.ts';
import type { Coverage } from './coverage.ts';
import { due, isAnythingDue } from './due-work.ts';
import { historyOf } from './history.ts';
import { heal, startNemesis } from './nemesis.ts';
import { openShop, type Shop } from './organization.ts';
import { refusalsChangeNothing } from './refusals.ts';
import { startSlowNemesis } from './slow-nemesis.ts';
import { StreamTraffic } from './streams/traffic.ts';
import { CLOCK_OFF_MAX_MS, hasClockJumps } from './world/clock-jumps.ts';
import { takeImmediates } from './world/scheduler.ts';
import { SeededRandom } from './world/seeded-random.ts';
import { planOf, SLOW_WORK_MS } from './world/slow-time.ts';
import { World, type WorldOptions } from './world.ts';

const OPEN_BY_MS = 60_000;
const WORK_MS = 12_000;
/** I11: within 15 s of the last fault every key answers. */
const ANSWERS_WITHIN_MS = 15_000;
/** In-doubt sends wait 12 s anew per owner, breakers up to a minute, then everything has ended. */
const SETTLED_WITHIN_MS = 240_000;
/** In slow worlds a breaker may have come to its longest wait. */
const SLOWLY_SETTLED_WITHIN_MS = PROBE_MAX_MS + 60_000;
const POLL_EVERY_MS = 500;
const PLAN_SALT = 0x5107;
/** Snapshots are written within 15 s, and work that only this makes due needs as long after it. */
const QUIET_MS = 40_000;
/** In slow worlds also every channel is probed once more. */
const SLOW_QUIET_MS = 80_000;

export interface Outcome {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly digest: string;
  readonly trace: readonly string[];
  readonly coverage: ReadonlyMap<string, number>;
  readonly calls: number;
  readonly events: number;
  readonly virtualMs: number;
}

export async function simulate(seed: number, options: WorldOptions = {}): Promise<Outcome> {
  const world = new World(seed, options);
  const restore = takeImmediates(world.scheduler);
  const { stackTraceLimit } = Error;
  // Worlds are full of errors: to say where each came from takes its time.
  if (!options.stacks) Error.stackTraceLimit = 0;
  try {
    return await live(world);
  } finally {
    restore();
    Error.stackTraceLimit = stackTraceLimit;
  }
}

async function live(world: World): Promise<Outcome> {
  const { scheduler, trace, coverage } = world;
  const violations: string[] = [];
  world.faults.pause();
  const shop = await opened(world);
  const streams = new StreamTraffic(world, shop);
  await drive(world, streams.open(), OPEN_BY_MS);
  world.faults.resume();
  trace.record('nemesis', `may use ${world.faults.classes().join(', ')}`);
  const clients = new Clients(world, shop);
  await work(world, clients, streams);
  heal(world);
  streams.finish();
  const healedAt = scheduler.now;
  const answers = await everyKeyAnswers(world, shop);
  if (!answers) violations.push('not every key answered within 15 s of the last fault');
  const settled = await settledWithin(world, () => clients.busy || streams.isBusy);
  if (!settled) violations.push(`not settled after ${settlesWithin(world)} ms: ${due(world)}`);
  // Late writes have arrived, and the records completed because of them are cleared.
  await scheduler.run(scheduler.now + (world.slow ? SLOW_QUIET_MS : QUIET_MS), () => false);
  const history = historyOf(world, { clients, streams, healedAt });
  violations.push(...(await refusalsChangeNothing(world, shop)));
  violations.push(...violationsIn(verdictsOn(history)));
  violations.push(...world.bugs);
  cover(world, history);
  for (const wrong of violations) trace.record('checker', wrong);
  return {
    seed: world.seed,
    violations,
    digest: trace.digest(),
    trace: trace.lines(),
    coverage: coverage.counts,
    calls: clients.history.length,
    events: scheduler.events,
    virtualMs: scheduler.now,
  };
}

async function work(world: World, clients: Clients, streams: StreamTraffic): Promise<void> {
  const { scheduler, seed } = world;
  const until = scheduler.now + (world.slow ? SLOW_WORK_MS : WORK_MS);
  streams.start(until);
  if (world.slow) {
    // Chance of its own: the plan is the same whatever else the world draws.
    const plan = planOf(new SeededRandom(seed ^ PLAN_SALT), scheduler.now, world.actors.length);
    clients.startSlowly(plan, until);
    startSlowNemesis(world, plan);
  } else {
    clients.start(until);
    startNemesis(world, until);
  }
  startClockJumps(world, until);
  await scheduler.run(until, () => false);
}

/** Drives the world until the promise is fulfilled or rejected. */
async function drive<T>(world: World, work: Promise<T>, untilMs: number): Promise<T | null> {
  let result: { readonly value: T } | { readonly fault: unknown } | null = null;
  work.then(
    (value) => {
      result = { value };
    },
    (fault: unknown) => {
      result = { fault };
    },
  );
  await world.scheduler.run(untilMs, () => result !== null);
  const ended = result as { readonly value: T } | { readonly fault: unknown } | null;
  if (ended && 'fault' in ended) throw ended.fault;
  return ended ? ended.value : null;
}

async function opened(world: World): Promise<Shop> {
  await world.scheduler.run(3_000, () =>
    world.actors.every(({ membership }) => membership.complete),
  );
  const shop = await drive(world, openShop(world), OPEN_BY_MS);
  if (!shop) throw new Error(`seed ${world.seed}: the organization could not be set up`);
  return shop;
}

async function everyKeyAnswers(world: World, shop: Shop): Promise<boolean> {
  const until = world.scheduler.now + ANSWERS_WITHIN_MS;
  for (const key of [shop.account, shop.main.key, shop.shop.key]) {
    let answered = false;
    while (!answered && world.scheduler.now < until) {
      const call = world.call({ method: 'GET', path: '/api/v1/me', key });
      const replied = await drive(world, call, until);
      answered = replied !== null && (replied.status === 200 || replied.status === 429);
      if (!answered) await world.scheduler.run(world.scheduler.now + 100, () => false);
    }
    if (!answered) return false;
  }
  return true;
}

function settlesWithin({ slow, seed }: World): number {
  // What a clock ahead has put off, one behind may do: a timer, its send, and the event of that.
  const clocksApartMs = hasClockJumps(seed) ? 3 * CLOCK_OFF_MAX_MS : 0;
  return clocksApartMs + (slow ? SLOWLY_SETTLED_WITHIN_MS : SETTLED_WITHIN_MS);
}

async function settledWithin(world: World, isBusy: () => boolean): Promise<boolean> {
  const { scheduler } = world;
  const until = scheduler.now + settlesWithin(world);
  while (scheduler.now < until) {
    if (!isBusy() && !isAnythingDue(world)) return true;
    await scheduler.run(scheduler.now + POLL_EVERY_MS, () => false);
  }
  return false;
}

function cover({ appended, coverage, database }: World, history: History): void {
  const { messages, transmissions, ...told } = history;
  coverTemplates(coverage, history);
  coverBound(coverage, history);
  coverWaits(coverage, history);
  const joined = history.contacts.filter(({ formerIds }) => (formerIds?.length ?? 0) > 1);
  coverage.count('happening contacts joined', joined.length);
  const entries = database.all('entries') as readonly EntryDocument[];
  const left = new Set(
    entries.flatMap(({ conversationId, after }) =>
      after.joinedTo === undefined ? [] : [conversationId],
    ),
  );
  coverage.count('happening conversations joined', left.size);
  const claimed = appended.filter(({ write }) => isClaim(write));
  coverage.count('happening send claimed by its insert', claimed.length);
  const late = entries.filter(({ ownPlace, seq }) => ownPlace?.seq === seq);
  coverage.count('happening late message', late.length);
  const arrived = messages.filter(({ direction, file }) => direction === 'in' && file);
  coverage.count('happening media arrived', arrived.length);
  for (const { outcome } of messages.flatMap(({ settlements }) => settlements ?? [])) {
    if (outcome === 'failed') coverage.count('happening scheduled message of an opted-out contact');
    else coverage.count(`happening scheduled message ${outcome}`);
  }
  const taken = messages.filter(
    ({ dueAt, status }) => dueAt === undefined && status === 'cancelled',
  );
  coverage.count('happening bulk message cancelled', taken.length);
  const stopped = messages.filter(({ error }) => error === 'opted_out');
  const ofFlows = stopped.filter(({ isAutomatic }) => isAutomatic).length;
  coverage.count('happening flow message of an opted-out contact', ofFlows);
  const released = stopped.filter(({ settlements }) => settlements?.[0]?.outcome === 'released');
  coverage.count('happening released message of an opted-out contact', released.length);
  const sent = transmissions.filter(({ content, taken }) => content && taken);
  coverage.count('happening media sent', sent.length);
  coverStreams(coverage, told.streams ?? []);
  if (told.deliveries.some(({ state }) => state && state.counted >= 3)) {
    coverage.count('happening delivery of three attempts');
  }
}

function coverBound(coverage: Coverage, { calls }: History): void {
  for (const { outcome } of calls.filter(({ request }) => request.after !== undefined)) {
    if (outcome === 'ok') coverage.count('happening send after the newest message');
    if (outcome === 'refused') coverage.count('happening send refused after another message');
  }
}

function coverWaits(coverage: Coverage, history: History): void {
  for (const { others, predecessors } of waitsIn(history) ?? []) {
    coverage.count('happening reply waited');
    if (others > 0) coverage.count('happening reply waited behind others');
    if (predecessors > 0) coverage.count('happening reply waited behind its predecessors');
  }
  if (!history.queues) return;
  const ofStages = titlesOf(history);
  const followed = history.deliveries.filter(
    ({ event, deal }) => event === 'deal.stage_changed' && ofStages.has(deal?.title),
  );
  coverage.count('happening deal followed its stage', followed.length);
  for (const { error } of history.messages.filter(({ urgency }) => urgency === 'bulk')) {
    if (error === 'expired') coverage.count('happening bulk message expired');
    if (error === 'opted_out') coverage.count('happening bulk message of an opted-out contact');
  }
}

function coverStreams(coverage: Coverage, streams: readonly StreamHistory[]): void {
  for (const { deliveries, connections } of streams) {
    const beyond = deliveries.filter(({ reason }) => reason?.startsWith('scope'));
    coverage.count('stream event beyond its key', beyond.length);
    const written = connections.flatMap((connection) => connection.written);
    const places = new Set(written.map(({ id, position }) => `${id} ${position}`));
    const again = places.size - new Set(written.map(({ id }) => id)).size;
    coverage.count('stream retried delivery read', again);
  }
}

function coverTemplates(coverage: World['coverage'], { calls, messages }: History): void {
  const count = <T>(what: string, list: readonly T[], wanted: (each: T) => unknown): void =>
    coverage.count(`happening ${what}`, list.filter(wanted).length);
  const fallbacks = new Set(
    calls.flatMap(({ request }) => (request.fallback ? [request.text] : [])),
  );
  const sent = messages.filter(({ template, wasSent }) => template && wasSent);
  const isAsked = (text: string | null) => fallbacks.has(text ?? undefined);
  count('template sent', sent, () => true);
  count('fallback sent for a refusal', sent, ({ replaces }) => replaces);
  count('fallback sent in its turn', sent, ({ text, replaces }) => !replaces && isAsked(text));
  const inTime = messages.filter(({ fallback, wasSent }) => fallback && wasSent);
  count('message with a fallback sent', inTime, () => true);
  const failed = messages.flatMap(({ error }) => error ?? []);
  count('window closed by the time of a message', failed, (code) => code === 'window_closed');
  count('template not valid at its time', failed, (code) => code === 'template');
  count('template refused by the network', failed, (code) => /^1320/.test(code));
  count('marketing message stopped', failed, (code) => code === 'marketing_opt_out');
  const refused = calls.filter(({ outcome }) => outcome === 'refused');
  const isStrict = ({ request, status }: (typeof calls)[number]) =>
    request.outsideWindow && !request.fallback && status === 409;
  count('call refused for the window', refused, isStrict);
  count('template refused at its call', refused, ({ request, status }) => {
    return (request.template ?? request.fallback) && status === 422;
  });
}

/** Of a message, by the very insert that records it. */
function isClaim(write: Write): boolean {
  return 'insert' in write && (write.document as EntryDocument).send?.state === 'sending';
}
