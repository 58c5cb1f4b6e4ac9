/**
 * End to end: accepted → network (the simulator, with its sent, delivered and read receipts) →
 * `message.sent` at a subscriber in a process of its own.
 *
 * The sustained rate is searched: doubled until the backlog grows, then by bisection. The latencies
 * are measured at half of it, from the due time of each call.
 */
import { MongoClient } from 'mongodb';
import {
  type EndToEndFixture,
  type JourneyRun,
  runJourneys,
  travellers,
} from '../end-to-end/fixture.ts';
import { isSustained } from '../end-to-end/journeys.ts';
import { organizationsFile } from '../organization.ts';
import { median, round } from '../rounds.ts';
import { startService } from '../service.ts';
import { startSubscribers } from '../subscribers.ts';
import type { Cell, Column, Context, Result, Suite } from '../suite.ts';

const REF = 'travel';
const FIRST_PER_SECOND = 200;
const STEPS_BETWEEN = 3;
const LEAST = 10;
/** Receipts may lag behind the subscriber's events, but not for long. */
const SETTLED_MS = 3_000;

export const endToEnd: Suite = {
  name: 'end-to-end',
  about: 'accepted, sent, receipts, told to a subscriber: the sustained rate and the time it takes',
  run,
};

async function run(context: Context): Promise<Result> {
  const service = await startService(context);
  const subscribers = await startSubscribers(context.children, { prompt: 1, hanging: 0 });
  const [url = ''] = subscribers.prompt;
  const { orgs } = await service.apply(organizationsFile([travellers(REF, url)]));
  const channelIds = Object.values(orgs[REF]?.channels ?? {}).map(({ id }) => id);
  const client = await new MongoClient(service.run().mongodbUrl).connect();
  const entries = client.db('recado').collection('entries');
  const fixture: EndToEndFixture = {
    context,
    service,
    subscribers,
    entries,
    channelIds,
    ref: REF,
    calls: 0,
  };
  try {
    return await measure(fixture);
  } finally {
    await client.close();
  }
}

async function measure(fixture: EndToEndFixture): Promise<Result> {
  const { options, logProgress } = fixture.context;
  await runJourneys(fixture, { perSecond: FIRST_PER_SECOND / 2, seconds: 5 * options.seconds });
  const { sustained, tried } = await search(fixture);
  const atHalf: JourneyRun[] = [];
  for (let count = 0; count < options.rounds; count++) {
    atHalf.push(
      await runJourneys(fixture, { perSecond: sustained / 2, seconds: 2 * options.seconds }),
    );
    logProgress(`${atHalf.length} of ${options.rounds} rounds at half of it`);
  }
  return {
    tables: [
      { title: 'Sustained rate, searched', columns: COLUMNS, rows: tried.map(rowOf) },
      { title: 'At half the sustained rate', columns: COLUMNS, rows: [medianRow(atHalf)] },
    ],
    notes: [
      'open loop: every latency counts from when the call was due',
      'every message was on record as read, and told to the subscriber, before the next load',
    ],
  };
}

interface Found {
  readonly sustained: number;
  readonly tried: readonly JourneyRun[];
}

async function search(fixture: EndToEndFixture): Promise<Found> {
  const tried: JourneyRun[] = [];
  const attempt = async (perSecond: number): Promise<boolean> => {
    const journeyRun = await runJourneys(fixture, {
      perSecond,
      seconds: 2 * fixture.context.options.seconds,
    });
    tried.push(journeyRun);
    const held = isSustained(journeyRun) && journeyRun.settledMs <= SETTLED_MS;
    fixture.context.logProgress(
      `${Math.round(perSecond)}/s ${held ? 'is sustained' : 'is too much'}`,
    );
    return held;
  };
  let sustained = 0;
  let tooMuch = FIRST_PER_SECOND;
  while (await attempt(tooMuch)) {
    sustained = tooMuch;
    tooMuch *= 2;
  }
  for (let step = 0; step < STEPS_BETWEEN || (sustained === 0 && tooMuch > LEAST); step++) {
    const between = Math.round((sustained + tooMuch) / 2);
    if (await attempt(between)) sustained = between;
    else tooMuch = between;
  }
  if (sustained === 0) throw new Error(`not even ${tooMuch}/s are sustained`);
  return { sustained, tried: tried.toSorted((a, b) => a.perSecond - b.perSecond) };
}

const FIGURES: readonly (readonly [Column, (journeyRun: JourneyRun) => number])[] = [
  [{ name: 'offered', unit: '/s' }, (t) => t.perSecond],
  [{ name: '201 p50', unit: 'ms' }, (t) => t.accept.p50Ms],
  [{ name: '201 p99', unit: 'ms' }, (t) => t.accept.p99Ms],
  [{ name: '201 to subscriber p50', unit: 'ms' }, (t) => t.fromAccepted.p50Ms],
  [{ name: '201 to subscriber p99', unit: 'ms' }, (t) => t.fromAccepted.p99Ms],
  [{ name: 'due to subscriber p50', unit: 'ms' }, (t) => t.whole.p50Ms],
  [{ name: 'due to subscriber p99', unit: 'ms' }, (t) => t.whole.p99Ms],
  [{ name: 'under way, 2nd quarter', unit: '' }, (t) => t.backlogBefore],
  [{ name: 'last quarter', unit: '' }, (t) => t.backlogAfter],
  [{ name: 'all read after', unit: 'ms' }, (t) => t.settledMs],
];
const COLUMNS = FIGURES.map(([column]) => column);

function rowOf(journeyRun: JourneyRun): Cell[] {
  return FIGURES.map(([, pick]) => round(pick(journeyRun)));
}

function medianRow(rounds: readonly JourneyRun[]): Cell[] {
  return FIGURES.map(([, pick]) => round(median(rounds.map(pick))));
}
