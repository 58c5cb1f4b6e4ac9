/** A run's MongoDB: which address each process has of it, and what lies in between. */
import type { EngineAddress } from '../../../../infra/programs/service/mongo-engine/address.ts';
import { ReplicaSet } from '../../../support/replica-set/set.ts';
import type { Upstream } from './link.ts';
import type { OwnDatabase } from './own-database.ts';

const LOOPBACK = '127.0.0.1';

export interface Store {
  /** For the command line and the readers: without a link. */
  readonly mongodbUrl: string;
  /** The replica set that is played, if one is. */
  readonly set: ReplicaSet | null;
  /** Where a process's link leads. Null: there is neither link nor engine, the driver goes itself. */
  readonly upstream: Upstream | null;
  /** What a process connects to, behind its link. */
  behind(link: { readonly port: number }): Promise<string>;
  close(): Promise<void>;
}

type Engine = Pick<EngineAddress, 'url' | 'socketPath'>;

/** The embedded engine, which stands alone. */
export function engineStore({ url, socketPath }: Engine): Store {
  return {
    ...{ mongodbUrl: url, set: null, upstream: { path: socketPath } },
    behind: async ({ port }) => `mongodb://${LOOPBACK}:${port}/?directConnection=true`,
    close: async () => undefined,
  };
}

/**
 * The engine as a replica set. Each process has a member of its own in front of its link, since a
 * driver connects to the addresses that a set names; all of them are in the one state of the set.
 */
export async function playedStore({ socketPath }: Engine, unit: () => number): Promise<Store> {
  const set = new ReplicaSet(unit);
  const first = await set.listen({ path: socketPath });
  const open = [first];
  return {
    ...{ mongodbUrl: first.mongodbUrl, set, upstream: { path: socketPath } },
    behind: async (link) => {
      const member = await set.listen(link);
      open.push(member);
      return member.mongodbUrl;
    },
    close: async () => {
      await Promise.all(open.map((member) => member.close()));
    },
  };
}

/** A database of the operator's servers. Their faults are the operator's. */
export function operatorsStore({ mongodbUrl }: OwnDatabase): Store {
  return {
    ...{ mongodbUrl, set: null, upstream: null },
    behind: async () => mongodbUrl,
    close: async () => undefined,
  };
}
