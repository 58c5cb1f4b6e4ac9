/** Record of each event stream in the store: the truth that sightings are compared with. */
import type { Collection, Db } from 'mongodb';
import { unpacked } from '../../../../infra/adapters/mongo/packing.ts';
import type { Recorded, RecordedById } from './judge.ts';
import type { EventCounts } from './traffic.ts';

interface StreamEntry {
  readonly id: string;
  readonly name: string;
}

interface StoredDelivery {
  readonly _id: string;
  readonly subscriptionId: string;
  readonly event: string;
  readonly body: string;
  readonly number: string;
  readonly order: string;
  /** Events that it named as those before it. */
  readonly after?: object;
  readonly state: {
    readonly status: string;
    readonly epoch: number;
    readonly position?: number;
    readonly attempts: readonly { readonly status: number | null }[];
  };
}

export interface Counted {
  readonly counts: EventCounts;
  readonly ids: readonly string[];
  /** Without an outcome. */
  readonly waiting: number;
}

export class Records {
  readonly #db: Db;
  readonly #orgIds: readonly string[];

  constructor(db: Db, orgIds: readonly string[]) {
    this.#db = db;
    this.#orgIds = orgIds;
  }

  async haveStreams(names: readonly string[]): Promise<boolean> {
    const streams = await this.#streams();
    return names.every((wanted) => streams.some(({ name }) => name === wanted));
  }

  async countsOf(streamName: string): Promise<Counted> {
    const projection = { event: 1, 'state.status': 1 } as const;
    const filter = { subscriptionId: await this.#idOf(streamName) };
    const found = await this.#deliveries.find(filter, { projection }).toArray();
    const byEvent = Object.groupBy(found, ({ event }) => event);
    const counts = Object.entries(byEvent).map(([event, of = []]) => [event, of.length]);
    return {
      counts: Object.fromEntries(counts),
      ids: found.map(({ _id }) => _id),
      waiting: found.filter(({ state }) => state.status === 'pending').length,
    };
  }

  async of(streamName: string): Promise<RecordedById> {
    const filter = { subscriptionId: await this.#idOf(streamName) };
    const found = await this.#deliveries.find(filter).toArray();
    return new Map(
      found.map((each): [string, Recorded] => {
        const { _id, event, body, number, state, order, after } = unpacked('deliveries', each);
        const { attempts, position, epoch } = state;
        const place = JSON.stringify({ id: _id, order, position, epoch, after });
        return [_id, { event, body, number, lastStatus: attempts.at(-1)?.status ?? null, place }];
      }),
    );
  }

  get #deliveries(): Collection<StoredDelivery> {
    return this.#db.collection<StoredDelivery>('deliveries');
  }

  async #idOf(streamName: string): Promise<string> {
    const stream = (await this.#streams()).find(({ name }) => name === streamName);
    if (!stream) throw new Error(`there is no stream ${streamName}`);
    return stream.id;
  }

  async #streams(): Promise<readonly StreamEntry[]> {
    const orgs = this.#db.collection<{ _id: string; streams?: readonly StreamEntry[] }>(
      'organizations',
    );
    const found = await orgs.find({ _id: { $in: [...this.#orgIds] } }).toArray();
    return found.flatMap(({ streams = [] }) => streams);
  }
}
