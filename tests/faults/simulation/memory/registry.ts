/** Members and partitions by the server's clock, as `infra/adapters/mongo/registry` keeps them. */
import { LEASE_MS } from '../../../../shared/limits.ts';
import type { Member, PartitionRow, Registry } from '../../../../shared/ports/registry.ts';

export type SyncRegistry = {
  [Name in keyof Registry]: (
    ...given: Parameters<Registry[Name]>
  ) => Awaited<ReturnType<Registry[Name]>>;
} & {
  /** As the supervisor says of a process that it saw die. */
  markDead(processId: string): void;
};

interface StoredMember extends Member {
  state: 'live' | 'leaving' | 'dead';
  expiresAt: number;
}

interface Rows {
  readonly rows: Map<string, PartitionRow>;
}

function partitionsOf({ rows }: Rows): Pick<SyncRegistry, 'partitions' | 'claim' | 'release'> {
  // As the real one: the same rows while nothing changes.
  let known: readonly PartitionRow[] | null = null;
  return {
    partitions: () => {
      known ??= [...rows.values()];
      return known;
    },
    claim: (wanted, id) => {
      known = null;
      for (const { name, owner, epoch } of wanted) {
        const row = rows.get(name);
        const free = row ? row.owner === owner && row.epoch === epoch : epoch === 0;
        if (free) rows.set(name, { name, owner: id, epoch: epoch + 1 });
      }
      return wanted.flatMap(({ name }) => {
        const row = rows.get(name);
        return row?.owner === id ? [row] : [];
      });
    },
    release: (held, id) => {
      known = null;
      for (const { name, epoch } of held) {
        const row = rows.get(name);
        if (row?.owner === id && row.epoch === epoch) rows.set(name, { ...row, owner: null });
      }
    },
  };
}

export function createSimulatedRegistry(serverNow: () => number): SyncRegistry {
  const members = new Map<string, StoredMember>();
  const bury = (): void => {
    for (const member of members.values()) {
      if (member.expiresAt <= serverNow()) member.state = 'dead';
    }
  };
  return {
    ...partitionsOf({ rows: new Map() }),
    join: ({ id, kinds, weight }) => {
      members.set(id, { id, kinds, weight, state: 'live', expiresAt: serverNow() + LEASE_MS });
    },
    renew: (id) => {
      const member = members.get(id);
      if (!member || member.state === 'dead' || member.expiresAt <= serverNow()) return false;
      member.expiresAt = serverNow() + LEASE_MS;
      return true;
    },
    startLeaving: (id) => {
      const member = members.get(id);
      if (member?.state === 'live') member.state = 'leaving';
    },
    leave: (id) => {
      const member = members.get(id);
      if (member) member.state = 'dead';
    },
    liveMembers: () => {
      bury();
      return [...members.values()]
        .filter(({ state }) => state !== 'dead')
        .map(({ id, kinds, weight, state }) => {
          return { id, kinds, weight, leaving: state === 'leaving' };
        });
    },
    markDead: (processId) => {
      for (const member of members.values()) {
        if (member.id === processId || member.id.startsWith(`${processId}.`)) member.state = 'dead';
      }
    },
  };
}
