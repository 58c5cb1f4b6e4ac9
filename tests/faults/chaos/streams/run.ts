/**
 * Event streams under kill -9 of everything: gateways, actors, NATS, MongoDB and the consumers
 * themselves, while integrators and contacts go on. Three kinds of consumers read the same traffic.
 */
import { MongoClient } from 'mongodb';
import { crmFixtureOf } from '../../../support/api/crm-fixture.ts';
import { emptyProject, type Project } from '../../../support/infra/kit/installed.ts';
import { killHard } from '../../../support/kills.ts';
import { type Organization, organizations } from '../../../support/organization.ts';
import { openStack, type Stack } from '../../../support/stack.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { SeededRandom } from '../../simulation/world/seeded-random.ts';
import { ClientLoop } from './client-loop.ts';
import { MOVES } from './commits.ts';
import { CurlReader } from './curl-reader.ts';
import { Forwarding } from './forwarding.ts';
import { Records } from './records.ts';
import { type Consumer, seenBy } from './sighting.ts';
import {
  countsOf,
  type EventCounts,
  startTraffic,
  type Traffic,
  type TrafficPlan,
} from './traffic.ts';
import { type Verdict, verdictOf } from './verdict.ts';

const SETTINGS = {
  ...{ FORMATION: 'gateway=2,actors=2' },
  ...{ RATE_LIMIT_KEY: '1000000', RATE_LIMIT_ORG: '1000000' },
};
const EVENTS = '*,message.delivered,message.read';
/** One of each kind; the names of further ones have a number. */
export const FIRST = 5;
const WORKERS = { deals: 3, tasks: 2, conversations: 4 };
const OTHER_WORKERS = { deals: 1, tasks: 1, conversations: 2 };

export interface StreamsPlan {
  readonly seed: number;
  /** Events that the own organization's calls have caused at least, when the kills are over. */
  readonly events: number;
  /** How often each process is killed. */
  readonly rounds: number;
  /** Further readers beside the first five, of all kinds in turn; none unless set. */
  readonly more?: number;
  /** Pauses between calls last so many times as long; 1 unless set. */
  readonly pace?: number;
  readonly tell: (sentence: string) => void;
}

export interface StreamsReport extends Verdict {
  readonly kills: number;
  readonly seconds: number;
}

interface Running {
  readonly stack: Stack;
  readonly random: SeededRandom;
  readonly project: Project;
  readonly own: Organization;
  readonly other: Organization;
  readonly records: Records;
}

/** @throws where the service does not come back */
export async function killBesideStreams(plan: StreamsPlan): Promise<StreamsReport> {
  const stack = await openStack({ settings: SETTINGS });
  const mongo = new MongoClient(stack.runFile().mongodbUrl);
  const project = emptyProject();
  const consumers: Consumer[] = [];
  try {
    const { own, other } = await organizations(stack, { own: {}, other: {} });
    const random = new SeededRandom(plan.seed);
    const records = new Records(mongo.db('recado'), [own.id, other.id]);
    const running = { ...{ stack, random, project, own, other }, records };
    await project.install(`${stack.baseUrl}/docs/recado-client.tgz`);
    await open(running, consumers, plan.more ?? 0);
    return await work(running, consumers, plan);
  } catch (cause) {
    throw new Error(`${consumers.map(stateOf).join('\n')}\n${stack.story()}`, { cause });
  } finally {
    for (const consumer of consumers) await consumer.close();
    await mongo.close();
    await stack.stop();
    project.remove();
  }
}

function stateOf(consumer: Consumer): string {
  const { name, lives, faults } = consumer;
  return `${name}: ${seenBy(consumer).size} seen in ${lives.length} lives; ${faults.join('; ')}`;
}

/** Three kinds for the whole organization, and readers for a channel's key and the other one. */
async function open(running: Running, consumers: Consumer[], more: number): Promise<void> {
  const { stack, random, project, own, other, records } = running;
  const { baseUrl } = stack;
  const curl = (name: string, key: string) =>
    new CurlReader({
      ...{ name, key, random: random.branch() },
      url: `${baseUrl}/api/v1/events?name=${name}&events=${EVENTS}`,
    });
  const whole = { key: own.key, baseUrl, events: EVENTS };
  const { folder } = project;
  const kinds: readonly (readonly [string, (name: string) => Consumer | Promise<Consumer>])[] = [
    ['forwarded', (name) => Forwarding.start({ ...whole, name, folder, random: random.branch() })],
    ['loop', (name) => new ClientLoop({ ...whole, name, project })],
    ['shell', (name) => curl(name, own.key)],
    ['channel', (name) => curl(name, own.mainKey)],
    ['foreign', (name) => curl(name, other.key)],
    // A key has ten streams at most.
    ['channel', (name) => curl(name, own.mainKey)],
    ['foreign', (name) => curl(name, other.key)],
  ];
  for (let n = 0; n < FIRST + more; n++) {
    const [kind, start] = kinds[n % kinds.length] ?? [];
    const consumer = await start?.(`${kind}${n < FIRST ? '' : n}`);
    if (consumer) consumers.push(consumer);
  }
  // A stream begins with its first connection.
  const names = consumers.map(({ name }) => name);
  await waitFor(() => records.haveStreams(names), { what: 'all connect' });
}

async function work(
  running: Running,
  consumers: readonly Consumer[],
  plan: StreamsPlan,
): Promise<StreamsReport> {
  const { own, other, records } = running;
  const startedAt = performance.now();
  const { pace = 1 } = plan;
  const traffic = await begin(running, own, { workers: WORKERS, pace });
  const others = await begin(running, other, { workers: OTHER_WORKERS, pace });
  const kills = await killInTurn(running, { consumers, traffic, plan });
  const made = { own: await traffic.end(), other: await others.end() };
  plan.tell(`${kills} kills, ${traffic.events} events of calls`);
  const judged = consumers.map((consumer) => ({
    consumer,
    ...(consumer.name.startsWith('foreign')
      ? { stages: others.stages, made: made.other, channelId: null }
      : { stages: traffic.stages, made: made.own, channelId: null }),
    ...(consumer.name.startsWith('channel') ? { channelId: own.main } : {}),
  }));
  for (const { consumer, made: causes, channelId } of judged) {
    await waitFor(() => isComplete(records, consumer, countsOf(causes, channelId)), {
      what: `everything is recorded and seen by ${consumer.name}`,
    });
  }
  const verdict = await verdictOf(records, judged);
  return { ...verdict, kills, seconds: Math.round((performance.now() - startedAt) / 1_000) };
}

async function begin(
  { stack }: Running,
  organization: Organization,
  rate: Pick<TrafficPlan, 'workers' | 'pace'>,
): Promise<Traffic> {
  const crm = crmFixtureOf(stack, organization);
  const stages = (await crm.pipeline()).stages.slice(0, MOVES + 1).map(({ id }) => id);
  const { id: contactId } = await crm.contact();
  const { baseUrl, sandboxUrl } = stack;
  const mark = `de ${organization.ref}`;
  return startTraffic({ organization, baseUrl, sandboxUrl, contactId, stages, mark, ...rate });
}

interface Killing {
  readonly consumers: readonly Consumer[];
  readonly traffic: Traffic;
  readonly plan: StreamsPlan;
}

/** The next one when the one before is back and calls go on; in another order each round. */
async function killInTurn(
  { stack, random }: Running,
  { consumers, traffic, plan }: Killing,
): Promise<number> {
  const victims = [
    ...Object.entries(stack.runFile().pids)
      .filter(([role]) => ['gateway', 'actors', 'nats', 'mongo'].includes(role))
      .flatMap(([role, pids]) =>
        pids.map((_, n) => ({
          name: `${role} ${n}`,
          kill: () => killHard(stack, role, { place: n }),
        })),
      ),
    ...consumers.map((consumer) => ({ name: consumer.name, kill: () => consumer.kill() })),
  ];
  const every = plan.events / (plan.rounds * victims.length);
  let kills = 0;
  for (let round = 0; round < plan.rounds; round++) {
    for (const victim of random.shuffled(victims)) {
      kills += 1;
      await waitFor(() => traffic.events >= kills * every, {
        what: `calls go on before the kill of ${victim.name}`,
      });
      await victim.kill();
    }
    plan.tell(`${kills} kills, ${traffic.events} events of calls, ${consumers.map(stateOf)}`);
  }
  return kills;
}

/** Everything is recorded and seen, and what was forwarded has its outcome. */
async function isComplete(
  records: Records,
  consumer: Consumer,
  wanted: EventCounts,
): Promise<boolean> {
  const { counts, waiting, ids } = await records.countsOf(consumer.name);
  if (!Object.entries(wanted).every(([event, count]) => (counts[event] ?? 0) >= count))
    return false;
  const seen = seenBy(consumer);
  return ids.every((id) => seen.has(id)) && (consumer.reading !== 'forwarded' || waiting === 0);
}

export function sentencesOf({ kills, seconds, consumers }: StreamsReport): readonly string[] {
  return [
    `${kills} kills in ${seconds} s`,
    ...consumers.map(
      ({ name, lives, recorded, repeats }) =>
        `${name}: ${recorded} events, all seen; ${lives} lives, ${repeats} repeats`,
    ),
  ];
}
