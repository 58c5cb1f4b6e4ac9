/**
 * Members on a record in memory. Their host only notes the partitions that are acquired and
 * released.
 */
import type { Host } from '../../../actors/runtime/host.ts';
import { Membership } from '../../../actors/runtime/membership.ts';
import type { OwnerBus } from '../../../shared/ports/bus.ts';
import type { Registry } from '../../../shared/ports/registry.ts';
import { ACTOR_KINDS } from '../../../shared/vocabulary.ts';
import { SILENT } from '../../support/engine.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { createSimulatedRegistry, type SyncRegistry } from '../simulation/memory/registry.ts';

export const ignore = (): void => undefined;
export const hangs = (): Promise<never> => new Promise<never>(ignore);

interface MemberFixture {
  /** Simulates an ask that reaches the member. */
  turn(): void;
  /** Simulates another member's announcement. */
  announce(to?: readonly string[]): void;
  readonly membership: Membership;
  /** Epochs by the names of what it holds. */
  readonly held: Map<string, number>;
  /** Called for each partition that it acquires, before it holds it. */
  onAcquire: (name: string, epoch: number) => void;
  /** Simulates turns that a release waits for. */
  beforeRelease: () => Promise<void>;
  start(): Promise<void>;
}

interface Joining {
  readonly id?: string;
  readonly weight?: number;
  readonly announceMembers?: (to?: readonly string[]) => void;
}

function memberFixtureOf(
  clock: ManualClock,
  registry: Registry,
  { id = 'a', weight = 1, announceMembers = ignore }: Joining = {},
): MemberFixture {
  const held = new Map<string, number>();
  const host = {
    turns: 0,
    names: () => [...held.keys()],
    epochOf: (name: string) => held.get(name) ?? null,
    acquire: ({ kind, number }: { kind: string; number: number }, epoch: number) => {
      fixture.onAcquire(`${kind}.${number}`, epoch);
      held.set(`${kind}.${number}`, epoch);
    },
    release: async (name: string) => {
      await fixture.beforeRelease();
      held.delete(name);
    },
    dropAll: () => held.clear(),
  } as unknown as Host;
  let announce: (to?: readonly string[]) => void = ignore;
  const onMembersAnnounced = (heard: (to: readonly string[] | null) => void): void => {
    announce = (to) => heard(to ?? null);
  };
  const announceOwners = ignore;
  const bus = { announceMembers, announceOwners, onMembersAnnounced } as unknown as OwnerBus;
  const membership = new Membership({
    ...{ registry, bus, clock, processId: id, weight },
    ...{ log: SILENT, kinds: ACTOR_KINDS, pid: 1, onTakeOver: ignore },
  });
  const turn = (): void => void (host as { turns: number }).turns++;
  const start = (): Promise<void> => membership.start(host);
  const fixture: MemberFixture = {
    membership,
    held,
    turn,
    start,
    announce: (to) => announce(to),
    onAcquire: ignore,
    beforeRelease: async () => undefined,
  };
  return fixture;
}

interface OnRecord {
  readonly clock: ManualClock;
  readonly record: SyncRegistry;
  /** Answers at once, as the record is. */
  readonly registry: Registry;
}

export type Member = MemberFixture & OnRecord;

interface Surroundings {
  /** Happens before an answer of the registry. */
  readonly before?: (call: keyof Registry, on: Omit<OnRecord, 'registry'>) => void;
  /** Calls that are answered in another way. */
  readonly calls?: (on: OnRecord) => Partial<Registry>;
}

/** A member `a` that has not started yet, with a clock and a record of its own. */
export function member({ before = ignore, calls = () => ({}) }: Surroundings = {}): Member {
  const clock = new ManualClock();
  const record = createSimulatedRegistry(() => clock.now());
  const registry = registryOn(record, async (call, run) => {
    before(call, { clock, record });
    return run();
  });
  const on = { clock, record, registry };
  return Object.assign(memberFixtureOf(clock, { ...registry, ...calls(on) }), on);
}

type Said = <T>(call: keyof Registry, run: () => T) => Promise<T>;

function registryOn(record: SyncRegistry, said: Said): Registry {
  return {
    join: (member) => said('join', () => record.join(member)),
    renew: (id) => said('renew', () => record.renew(id)),
    startLeaving: (id) => said('startLeaving', () => record.startLeaving(id)),
    leave: (id) => said('leave', () => record.leave(id)),
    liveMembers: () => said('liveMembers', () => record.liveMembers()),
    partitions: () => said('partitions', () => record.partitions()),
    claim: (rows, id) => said('claim', () => record.claim(rows, id)),
    release: (rows, id) => said('release', () => record.release(rows, id)),
  };
}

/** Members on one record, who hear each other's announcements. */
export class Fleet {
  readonly clock = new ManualClock();
  readonly record = createSimulatedRegistry(() => this.clock.now());
  readonly members = new Map<string, MemberFixture>();
  readonly #dead = new Set<string>();
  readonly #turns: () => number;

  /** @param turns of the event loop before a call of the record is made, so that calls overtake */
  constructor(turns: () => number = () => 0) {
    this.#turns = turns;
  }

  async start(id: string, weight = 1): Promise<void> {
    const said: Said = async (_call, run) => {
      for (let turns = this.#turns(); turns > 0; turns--) {
        await new Promise((go) => setImmediate(go));
      }
      return this.#dead.has(id) ? hangs() : run();
    };
    const announceMembers = (to?: readonly string[]): void => {
      for (const [other, each] of this.members) if (other !== id) each.announce(to);
    };
    const registry = registryOn(this.record, said);
    const fixture = memberFixtureOf(this.clock, registry, { id, weight, announceMembers });
    this.members.set(id, fixture);
    await fixture.start();
  }

  /** Lets it leave, when its partitions are released. */
  async leave(id: string): Promise<void> {
    await this.members.get(id)?.membership.leave();
    this.members.delete(id);
  }

  /** It does nothing more, and the others learn of it by its lease. */
  kill(id: string): void {
    this.#dead.add(id);
    this.members.delete(id);
  }
}

export async function startedMember(surroundings?: Surroundings): Promise<Member> {
  const made = member(surroundings);
  await made.start();
  return made;
}

/** Partitions that the member holds but does not own on record, or owns under another epoch. */
export function strayed({ membership, held, record }: Member): readonly string[] {
  const owned = new Map(
    record
      .partitions()
      .flatMap(({ name, owner, epoch }) =>
        owner === membership.memberId ? [[name, epoch] as const] : [],
      ),
  );
  return [...held].flatMap(([name, epoch]) => (owned.get(name) === epoch ? [] : [name]));
}
