/** What happens to the fleet: its start, rest, a rolling restart, the loss of a rack. */
import { placePartitions } from '../../../../actors/runtime/placement.ts';
import type { Member, PartitionRow } from '../../../../shared/ports/registry.ts';
import type { Fleet } from './fleet.ts';
import { COUNTED, type Counted, type Total } from './traffic.ts';

const SECOND_MS = 1_000;
/** All processes start within so much. */
const START_MS = 1_000;
const REST_MS = 10_000;
const AWAY_MS = 5_000;
/** A lost rack comes back after so much. */
const RACK_AWAY_MS = 30_000;

export interface Phase {
  readonly name: string;
  /** Virtual milliseconds, until all partitions had their owners. */
  readonly ms: number;
  readonly traffic: ReadonlyMap<Counted, Total>;
  /** Milliseconds without an owner, of each time that a partition had none; shortest first. */
  readonly pauses: readonly number[];
}

async function phase(fleet: Fleet, name: string, run: () => Promise<void>): Promise<Phase> {
  // What is counted by the second begins with one.
  const begun = fleet.now % SECOND_MS;
  if (begun > 0) await fleet.pass(SECOND_MS - begun);
  const from = fleet.now;
  await run();
  const traffic = new Map(
    COUNTED.map((what) => [what, fleet.traffic.between(what, from, fleet.now)]),
  );
  return { name, ms: fleet.now - from, traffic, pauses: fleet.service.pausesSince(from) };
}

/**
 * All are on the record before the first one reads it: else each would place all partitions anew for
 * every one that comes after it.
 */
export async function startAll(fleet: Fleet, processes: number, racks: number): Promise<Phase> {
  return await phase(fleet, 'start of all', async () => {
    const ids = Array.from({ length: processes }, () => fleet.enrol());
    for (const [at, id] of ids.entries()) {
      fleet.start(at % racks, id);
      await fleet.pass(START_MS / processes);
    }
    await fleet.agree();
  });
}

export function atRest(fleet: Fleet): Promise<Phase> {
  return phase(fleet, `at rest, ${REST_MS / 1_000} s`, () => fleet.pass(REST_MS));
}

export interface RollingRestart extends Phase {
  /** Partitions that changed their owner, and how few could have. */
  readonly moves: number;
  readonly leastMoves: number;
}

/** One process after the other, the oldest first, each when all partitions have owners again. */
export async function restartInTurns(fleet: Fleet, count: number): Promise<RollingRestart> {
  let [moves, leastMoves] = [0, 0];
  const measured = await phase(fleet, `${count} restarts in turns`, async () => {
    for (const process of [...fleet.processes.values()].slice(0, count)) {
      const before = fleet.record.rows();
      const staying = fleet.record.members().filter(({ id }) => id !== process.id);
      leastMoves += changesTo(before, placePartitions(staying, before));
      await fleet.leave(process);
      await fleet.pass(AWAY_MS);
      await fleet.agree();
      const between = fleet.record.rows();
      moves += changesTo(before, ownersOf(between));
      fleet.start(process.rack);
      await fleet.pass(1_000);
      await fleet.agree();
      const after = fleet.record.rows();
      leastMoves += changesTo(between, placePartitions(fleet.record.members(), between));
      moves += changesTo(between, ownersOf(after));
    }
  });
  return { ...measured, moves, leastMoves };
}

export interface LostRack {
  readonly lost: number;
  readonly outage: Phase;
  readonly survivors: readonly PartitionRow[];
  readonly returned: Phase;
}

/** All processes of a rack end at one moment, and no notice is given. They start again later. */
export async function loseRack(fleet: Fleet, rack: number): Promise<LostRack> {
  const lost = [...fleet.processes.values()].filter((process) => process.rack === rack);
  const outage = await phase(fleet, `${lost.length} processes lost`, async () => {
    for (const process of lost) fleet.kill(process);
    await fleet.agree();
  });
  const survivors = fleet.record.rows();
  await fleet.pass(RACK_AWAY_MS);
  const returned = await phase(fleet, `${lost.length} processes back`, async () => {
    for (const _process of lost) fleet.start(rack);
    await fleet.pass(1_000);
    await fleet.agree();
  });
  return { lost: lost.length, outage, survivors, returned };
}

/**
 * Owners after every process was restarted once, by the placement alone: all carry it out before
 * the next restart.
 */
export function ownersAfterRoll(
  members: readonly Member[],
  rows: readonly PartitionRow[],
): { readonly rows: readonly PartitionRow[]; readonly moves: number } {
  let [present, placed, moves] = [members, rows, 0];
  const place = (): void => {
    const owners = placePartitions(present, placed);
    moves += changesTo(placed, owners);
    placed = placed.map((row) => ({ ...row, owner: owners.get(row.name) ?? null }));
  };
  for (const member of members) {
    present = present.filter((each) => each !== member);
    place();
    present = [...present, { ...member, id: `${member.id}.again` }];
    place();
  }
  return { rows: placed, moves };
}

type Owners = ReadonlyMap<string, string | null>;

function ownersOf(rows: readonly PartitionRow[]): Owners {
  return new Map(rows.map(({ name, owner }) => [name, owner]));
}

function changesTo(rows: readonly PartitionRow[], owners: Owners): number {
  return rows.filter(({ name, owner }) => owners.get(name) !== owner).length;
}
