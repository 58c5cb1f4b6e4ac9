/**
 * Hand-over: three actors processes under a steady load. A fourth joins and leaves by SIGTERM; then
 * one of the supervisor's is killed, and started again. No call may fail; a call waits while its
 * conversation, channel or organization has no owner.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, MongoClient } from 'mongodb';
import { type Change, type Changed, LOAD, stageOf, underLoad } from '../hand-over/changes.ts';
import { memberOf, ownedBy, startActors } from '../hand-over/members.ts';
import { machineMs } from '../machine-clock.ts';
import { median, round } from '../rounds.ts';
import { startService } from '../service.ts';
import type { Column, Context, Result, Suite, Table } from '../suite.ts';

const MEMBERS = 3;

export const handOver: Suite = {
  name: 'hand-over',
  about: 'how long calls wait while an actors process joins, leaves, is killed',
  run,
};

async function run(context: Context): Promise<Result> {
  const { options, logProgress } = context;
  const settings = { FORMATION: `actors=${MEMBERS},panel=0` };
  const service = await startService(context, { settings });
  const client = await new MongoClient(service.run().mongodbUrl).connect();
  try {
    const db = client.db('recado');
    const stage = await stageOf(context, service, db.collection('entries'));
    const rounds: (readonly Changed[])[] = [];
    for (let number = 0; number < options.rounds; number++) {
      const actors = service.run().pids.actors ?? [];
      const victim = actors[number % actors.length] ?? 0;
      await ownedBy(db, MEMBERS);
      const graceful = await underLoad(stage, [
        atRest(options.seconds),
        ...joinAndLeave(db, () => startActors(context, service)),
      ]);
      const crash = await underLoad(stage, [atRest(options.seconds), killed(db, victim)]);
      const changes = [...graceful, ...crash.slice(1)];
      rounds.push(changes);
      const waits = changes.map(({ name, longestMs }) => `${name} ${Math.round(longestMs)} ms`);
      logProgress(`${number + 1} of ${options.rounds}: ${waits.join(', ')}`);
    }
    return resultOf(rounds);
  } finally {
    await client.close();
  }
}

function atRest(seconds: number): Change {
  const make = async () => {
    await sleep(seconds * 1_000);
    return machineMs();
  };
  return { name: 'no change', make };
}

/** From the start of the fourth process on, and from its SIGTERM on. */
function joinAndLeave(db: Db, start: () => ReturnType<typeof startActors>): readonly Change[] {
  const joined: Awaited<ReturnType<typeof start>>[] = [];
  const join = async () => {
    joined.push(await start());
    return await ownedBy(db, MEMBERS + 1);
  };
  const leave = async () => {
    await joined.pop()?.stop();
    return await ownedBy(db, MEMBERS);
  };
  return [
    { name: 'a fourth joins', make: join },
    { name: 'it leaves', make: leave },
  ];
}

/** Until the supervisor's next process has its partitions too. */
function killed(db: Db, pid: number): Change {
  const make = async () => {
    const member = await memberOf(db, pid);
    process.kill(pid, 'SIGKILL');
    return await ownedBy(db, MEMBERS, member);
  };
  return { name: 'one is killed', make };
}

function resultOf(rounds: readonly (readonly Changed[])[]): Result {
  return {
    tables: [tableOf(rounds)],
    notes: [
      LOAD,
      'a wait counts from when the call was due to its answer; every 201 was found in MongoDB',
      'a call counts for the change during which it waited most; a failed one is a fault',
      'killed: until the process that is started again has its partitions',
    ],
  };
}

function tableOf(rounds: readonly (readonly Changed[])[]): Table {
  const numbered = rounds.map(
    (_, at): Column => ({ name: `longest, round ${at + 1}`, unit: 'ms' }),
  );
  const rows = (rounds[0] ?? []).map(({ name }, at) => {
    const those = rounds.flatMap((changes) => changes[at] ?? []);
    const sum = (of: (changed: Changed) => number) =>
      those.reduce((total, each) => total + of(each), 0);
    const longest = those.map(({ longestMs }) => longestMs);
    return [
      name,
      sum(({ calls }) => calls),
      sum((each) => each.failed),
      ...longest.map((ms) => round(ms, 0)),
      round(median(longest), 0),
      round(median(those.map(({ tookMs }) => tookMs)), 0),
    ];
  });
  const columns: Column[] = [
    { name: 'change', unit: '' },
    { name: 'calls', unit: '' },
    { name: 'failed', unit: '' },
    ...numbered,
    { name: 'median', unit: 'ms' },
    { name: 'last change of an owner after', unit: 'ms' },
  ];
  return { title: 'The longest wait of a call', columns, rows };
}
