/**
 * `npm run chaos -- --minutes M [--only fault[:part],…] [--seed S] [--keep] [--check FOLDER]`: the
 * service in real processes under faults. With `--replica-set` MongoDB is a replica set that fails
 * too, with `--mongodb URL` one of the operator's, who makes it fail. With `--nats-cluster` NATS is three
 * servers with TLS and users by role. With `--scheduled [--messages N]` the work is that of
 * scheduled messages. With `--panel [--changes N] [--seed S]` open pages of the panel beside kills
 * instead, with `--streams [--events N] [--rounds R] [--readers N] [--seed S]` event streams. Exits
 * with 1 on any violation.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { recordsFrom } from '../records.ts';
import { FIRST } from '../streams/run.ts';
import { ownDatabase } from './own-database.ts';
import { runPanel } from './panel.ts';
import { reportOn } from './report.ts';
import { type RunOptions, run } from './run.ts';
import { FAULT_KINDS } from './schedule.ts';
import { SET_FAULT_KINDS } from './set-faults.ts';
import { runStreams } from './streams.ts';

const QUIET_MS = 10_000;
const HEALED_MS = 20_000;
/** I11. */
const ANSWERED_WITHIN_MS = 15_000;
const DRAIN_MS = 120_000;
const MINUTE_MS = 60_000;
/** Most of the messages are scheduled before the first fault. */
const SCHEDULING_MS = 15;
/** A message that the faults have held back is still to be sent when they have ended. */
const SENT_MS = 40;
const KILLS = ['kill', 'kill-some', 'kill-all'];

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    keep: { type: 'boolean', default: false },
    check: { type: 'string' },
    panel: { type: 'boolean', default: false },
    changes: { type: 'string', default: '1000' },
    scheduled: { type: 'boolean', default: false },
    messages: { type: 'string', default: '5000' },
    streams: { type: 'boolean', default: false },
    events: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '6' },
    readers: { type: 'string', default: String(FIRST) },
    'replica-set': { type: 'boolean', default: false },
    mongodb: { type: 'string' },
    'nats-cluster': { type: 'boolean', default: false },
  },
});

function wanted(): readonly string[] {
  const only = values.only.split(',').filter((name) => name !== '');
  const kinds = [...FAULT_KINDS, ...(values['replica-set'] ? SET_FAULT_KINDS : [])];
  const unknown = only.filter((name) => !kinds.some((kind) => kind === name.split(':')[0]));
  if (unknown.length === 0) return only;
  return refuse(`no such faults: ${unknown.join(', ')}; there are ${kinds.join(', ')}`);
}

function refuse(sentence: string): never {
  console.error(sentence);
  process.exit(2);
}

/** The store of the run; nothing for the engine that stands alone. */
async function mongoOf(): Promise<Pick<RunOptions, 'mongo'>> {
  if (values.mongodb === undefined) return values['replica-set'] ? { mongo: 'replica-set' } : {};
  if (values['replica-set']) refuse('--mongodb and --replica-set exclude each other');
  const own = await ownDatabase(values.mongodb);
  return 'refused' in own ? refuse(own.refused) : { mongo: own };
}

async function runOrCheck() {
  if (values.check !== undefined) {
    const lines = readFileSync(join(values.check, 'history.jsonl'), 'utf8');
    return { ...reportOn(recordsFrom(lines)), folder: values.check };
  }
  const tell = (sentence: string) => console.log(sentence);
  if (values.panel) {
    const plan = { seed: Number(values.seed), changes: Number(values.changes), tell };
    return { lines: [], violations: await runPanel(plan), folder: null };
  }
  if (values.streams) {
    const [events, rounds] = [Number(values.events), Number(values.rounds)];
    const more = Math.max(0, Number(values.readers) - FIRST);
    const { seed } = values;
    const plan = { seed: Number(seed), ...{ events, rounds, more }, tell };
    return { lines: [`seed ${seed}`], violations: await runStreams(plan), folder: null };
  }
  const faultsMs = Number(values.minutes) * MINUTE_MS;
  const { seed, keep } = values;
  const patience = { answeredWithinMs: ANSWERED_WITHIN_MS, drainMs: DRAIN_MS };
  const times = { quietMs: QUIET_MS, faultsMs, healedMs: HEALED_MS, ...patience };
  const only = wanted();
  const store = { ...(await mongoOf()), natsCluster: values['nats-cluster'] };
  if (!values.scheduled) {
    return await run({ seed: Number(seed), ...times, ...store, only, keep, tell });
  }
  const scheduled = Number(values.messages);
  const quietMs = Math.max(QUIET_MS, scheduled * SCHEDULING_MS);
  const kills = only.length > 0 ? only : KILLS;
  const drainMs = DRAIN_MS + scheduled * SENT_MS;
  const given = { seed: Number(seed), ...store, keep, tell, scheduled };
  return await run({ ...times, ...given, quietMs, drainMs, only: kills });
}

const { lines, violations, folder } = await runOrCheck();
for (const line of lines) console.log(line);
if (folder !== null) console.log(`kept in ${folder}`);
// A pipe takes some 280 lines at once: to exit at once would drop the rest of them.
process.stdout.write('', () => process.exit(violations.length === 0 ? 0 : 1));
