/**
 * One run: quiet, faults, healed, drained, read, checked. Its folder holds the history, the logs of
 * all processes and the report; it goes when everything was well.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { engineAddress } from '../../../../infra/programs/service/mongo-engine/address.ts';
import { verdictOf } from '../../checkers/checker.ts';
import { liveness } from '../../checkers/liveness.ts';
import { SeededRandom } from '../../simulation/world/seeded-random.ts';
import { historyOf } from '../history.ts';
import { relieve } from './bridge-faults.ts';
import { drained, readEverything, takeJournals, takeLostLeases, takeMarks } from './finals.ts';
import { nemesisOf } from './nemesis.ts';
import { type OwnDatabase, watchPrimary } from './own-database.ts';
import { Pace } from './pace.ts';
import { Parts } from './parts.ts';
import { type Layout, layOut } from './plans.ts';
import { now, type Recorder, recorderTo } from './recorder.ts';
import { type Report, reportOn } from './report.ts';
import { drawSchedule } from './schedule.ts';
import { engineStore, operatorsStore, playedStore, type Store } from './stores.ts';
import { createWorkloadFixture, type Workload } from './workload-fixture.ts';
import { converseOverBridges } from './workloads/bridges.ts';
import { mergeContacts } from './workloads/contacts.ts';
import { changeDeals } from './workloads/deals.ts';
import { raceFlows } from './workloads/flows.ts';
import { writeAsContacts } from './workloads/inbound.ts';
import { spendLimits } from './workloads/limits.ts';
import { repeatUntilAnswered } from './workloads/once.ts';
import { scheduleMessages } from './workloads/scheduled.ts';
import { sendAll } from './workloads/sends.ts';

const WORKLOADS: readonly Workload[] = [
  sendAll,
  changeDeals,
  raceFlows,
  mergeContacts,
  writeAsContacts,
  spendLimits,
  repeatUntilAnswered,
  converseOverBridges,
];
const POLL_EVERY_MS = 500;
const AFTER_FAULTS_MS = 5_000;
/** A call that was under way at the heal began no earlier. */
const LONGEST_CALL_MS = 60_000;

export interface RunOptions {
  readonly seed: number;
  readonly quietMs: number;
  readonly faultsMs: number;
  /** How long the work goes on after the last fault, at least. */
  readonly healedMs: number;
  /** After which every worker has to be answered again. */
  readonly answeredWithinMs: number;
  readonly drainMs: number;
  readonly only: readonly string[];
  readonly keep: boolean;
  /** Pauses of the workers who do most of the calls last so many times as long; 1 unless set. */
  readonly pace?: number;
  readonly tell: (sentence: string) => void;
  /** So many scheduled messages in place of all other work. */
  readonly scheduled?: number;
  /** A replica set that is played, or the operator's, in place of the engine that stands alone. */
  readonly mongo?: 'replica-set' | OwnDatabase;
  /** Three NATS servers with TLS and users by role, in place of the embedded one. */
  readonly natsCluster?: boolean;
}

export interface Ran extends Report {
  /** Null when it was not kept. */
  readonly folder: string | null;
}

export async function run(options: RunOptions): Promise<Ran> {
  const { seed, keep, tell } = options;
  const folder = mkdtempSync(join(tmpdir(), 'recado-chaos-'));
  tell(`seed ${seed}, everything is in ${folder}`);
  const random = new SeededRandom(seed);
  const unit = () => random.unit();
  const store = await storeOf(options, folder, unit);
  const { mongo, natsCluster = false } = options;
  const actors = mongo === undefined && !natsCluster ? 3 : 4;
  const layout = await layOut({ folder, gateways: 2, actors, unit, store, natsCluster });
  const recorder = recorderTo(join(folder, 'history.jsonl'));
  const parts = await Parts.start(layout);
  try {
    await using _watched = isOwn(options.mongo)
      ? await watchPrimary(options.mongo.mongodbUrl, recorder)
      : null;
    await play(options, { layout, recorder, parts });
  } finally {
    await parts.stop();
    await recorder.close();
  }
  const report = reportOn(recorder.history);
  writeFileSync(join(folder, 'report.txt'), `${report.lines.join('\n')}\n`);
  const kept = keep || report.violations.length > 0;
  if (!kept) rmSync(folder, { recursive: true, force: true });
  if (isOwn(options.mongo)) await leave(options.mongo, kept, tell);
  return { ...report, folder: kept ? folder : null };
}

function isOwn(mongo: RunOptions['mongo']): mongo is OwnDatabase {
  return typeof mongo === 'object';
}

/** What was found wrong has to be read in the database too. */
async function leave(own: OwnDatabase, isKept: boolean, tell: RunOptions['tell']): Promise<void> {
  if (isKept) tell(`the database ${own.name} is kept`);
  else await own.drop();
}

async function storeOf({ mongo }: RunOptions, folder: string, unit: () => number): Promise<Store> {
  if (isOwn(mongo)) return operatorsStore(mongo);
  const engine = engineAddress(join(folder, 'data'));
  return mongo === undefined ? engineStore(engine) : await playedStore(engine, unit);
}

interface RunParts {
  readonly layout: Layout;
  readonly recorder: Recorder;
  readonly parts: Parts;
}

async function play(options: RunOptions, { layout, recorder, parts }: RunParts): Promise<void> {
  const { seed, quietMs, faultsMs, drainMs, only, tell } = options;
  const pace = new Pace(options.pace ?? 1);
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = { layout, parts, recorder, seed, pace, stopping: signal };
  const fixture = await createWorkloadFixture(run);
  const startedAt = now();
  const workers = workloadsOf(options).map((workload) => workload(fixture));
  const [working, settled] = [Promise.all(workers), Promise.allSettled(workers)];
  const play = async () => {
    await pause(quietMs);
    const { links } = layout;
    const { set } = layout.store;
    const nemesis = nemesisOf({
      ...{ parts, links, set, recorder, sandboxUrl: layout.sandboxUrl },
      tell: (sentence) => tell(`${((now() - startedAt) / 1_000).toFixed(1)} s: ${sentence}`),
    });
    const names = { processes: parts.names, links: links.map(({ name }) => name).sort() };
    const hasSet = set !== null;
    await nemesis.inject(drawSchedule({ seed, lengthMs: faultsMs, only, hasSet, ...names }));
    await relieve(layout.sandboxUrl);
    pace.healed();
    await untilAnswered(options, recorder);
  };
  try {
    await Promise.race([play(), working]);
  } catch (cause) {
    stopping.abort();
    // They write to the history, which is about to be closed.
    await settled;
    throw cause;
  }
  stopping.abort();
  await working;
  const stoppedAt = now();
  const due = await drained(layout, drainMs);
  recorder.seen('drained', { due, ms: now() - stoppedAt });
  tell(`due at the end: ${JSON.stringify(due)}`);
  await readEverything(fixture, options.scheduled ? 'read-scheduled' : 'read-conversation');
  takeJournals(fixture, layout);
  takeMarks(fixture, layout);
  takeLostLeases(fixture, layout);
}

/** Scheduled messages are due from the first fault until all are healed. */
function workloadsOf({ scheduled, quietMs, faultsMs }: RunOptions): readonly Workload[] {
  if (scheduled === undefined) return WORKLOADS;
  const due = { quietMs, faultsMs: faultsMs + AFTER_FAULTS_MS };
  return [scheduleMessages({ messages: scheduled, ...due })];
}

/** Ends when everybody is answered, or late; the checker says which. */
async function untilAnswered(options: RunOptions, recorder: Recorder): Promise<void> {
  const { healedMs, answeredWithinMs, tell } = options;
  recorder.seen('healed', { answeredWithinMs });
  tell('healed');
  const healedAt = now();
  await pause(healedMs);
  while (now() - healedAt < answeredWithinMs) {
    const recent = recorder.history.filter(({ t }) => t > healedAt - LONGEST_CALL_MS);
    if (verdictOf(liveness, historyOf(recent)).violations.length === 0) {
      recorder.seen('answered', {});
      return;
    }
    await pause(POLL_EVERY_MS);
  }
}
