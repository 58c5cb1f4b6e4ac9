/** Actors processes that come and go beside the supervisor's, and the owners of partitions. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from 'mongodb';
import { rowsOf, type ShelfDocument } from '../../adapters/mongo/shelf.ts';
import type { StartedProcess } from '../child-processes.ts';
import { machineMs } from '../machine-clock.ts';
import type { BenchService } from '../service.ts';
import type { Context } from '../suite.ts';

const POLL_MS = 100;
/** Longer than a step of a release, which drains turns and due state. */
const STEADY_MS = 1_500;
const TIMEOUT_MS = 120_000;

/** The supervisor's own command. Nothing supervises it. */
export async function startActors(
  { children }: Context,
  service: BenchService,
): Promise<StartedProcess> {
  const { natsUrl, mongodbUrl, sandboxUrl, pids } = service.run();
  const [sibling] = pids.actors ?? [];
  const command = readFileSync(`/proc/${sibling}/cmdline`, 'utf8').split('\0');
  return await children.start({
    args: command.slice(1, -1),
    readyOutput: 'actors started',
    env: {
      NATS_URL: natsUrl,
      MONGODB_URL: mongodbUrl,
      RECADO_SANDBOX_URL: sandboxUrl,
      DATA_DIR: service.dataDir,
      RECADO_SECRETS_KEY_FILE: join(service.dataDir, 'secrets.key'),
      LOG_LEVEL: 'info',
    },
  });
}

/** The member that a live process of the supervisor is. */
export async function memberOf(db: Db, pid: number): Promise<string> {
  const member = await db.collection<{ _id: string }>('members').findOne({ pid, state: 'live' });
  if (member === null) throw new Error(`process ${pid} is no member`);
  return member._id;
}

/**
 * Waits until so many members own all partitions and none has changed for a while.
 * @param gone a member that owns none any more
 * @returns when the last change was seen, milliseconds of the machine's clock
 */
export async function ownedBy(db: Db, members: number, gone?: string): Promise<number> {
  const startedAt = machineMs();
  let [seen, changedAt] = ['', startedAt];
  while (true) {
    const shelves = await db
      .collection<ShelfDocument>('partitions')
      .find({}, { batchSize: 1_000 })
      .toArray();
    const now = machineMs();
    const state = JSON.stringify(shelves);
    if (state !== seen) [seen, changedAt] = [state, now];
    const rows = shelves.flatMap((shelf) => rowsOf(shelf._id, shelf));
    const owners = new Set(rows.map(({ owner }) => owner));
    const isWanted = owners.size === members && !owners.has(null) && !owners.has(gone ?? null);
    if (isWanted && now - changedAt >= STEADY_MS) return changedAt;
    if (now - startedAt > TIMEOUT_MS) throw new Error(`partitions have ${owners.size} owners`);
    await sleep(POLL_MS);
  }
}
