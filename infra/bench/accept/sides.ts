/** A side of the comparison, and the count of its rows. */
import type { Collection, MongoClient } from 'mongodb';
import { type Loaded, type LoadPlan, runLoad } from '../load.ts';
import type { Context } from '../suite.ts';

const PHONES = 2_000;

export interface Target extends Pick<LoadPlan, 'port' | 'path' | 'token'> {
  readonly channelId: string;
}

export interface AcceptSide {
  readonly name: string;
  readonly target: Target;
  /** Messages that MongoDB holds of this side. */
  count(): Promise<number>;
  /** Waits until no work is left of the accepted messages. */
  drain(): Promise<void>;
}

export interface Effort {
  readonly connections: number;
  readonly seconds: number;
}

/**
 * One round of one side.
 * @throws {Error} unless MongoDB contains exactly the accepted messages
 */
export async function measureAccepted(
  { children }: Context,
  side: AcceptSide,
  effort: Effort,
): Promise<Loaded> {
  const before = await side.count();
  const { channelId, ...target } = side.target;
  const body = JSON.stringify({ channelId, phone: '{phone}', text: 'Mensagem de número {n}' });
  const loaded = await runLoad(children, {
    ...{ ...target, ...effort },
    ...{ bodies: [body], phones: PHONES },
  });
  const stored = (await side.count()) - before;
  const refused = Object.keys(loaded.refused);
  if (refused.length > 0) throw new Error(`${side.name} answered ${refused.join(', ')}`);
  if (stored !== loaded.accepted) {
    throw new Error(`${side.name} accepted ${loaded.accepted} and stored ${stored}`);
  }
  return loaded;
}

export function rowsIn(client: MongoClient, database: string, name: string): Collection {
  return client.db(database).collection(name);
}
