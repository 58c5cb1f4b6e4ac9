/** The two organizations that are compared, and how a call is put to one of them. */
import { MongoClient } from 'mongodb';
import { idsOf } from '../../adapters/ids/ids.ts';
import { databaseOf } from '../../adapters/mongo/client.ts';
import { openInstallation } from '../../adapters/mongo/installation.ts';
import { organizationsFile, tokenOf } from '../organization.ts';
import type { BenchService } from '../service.ts';
import { seed } from './seed.ts';

const CHANNELS = 2;

export interface Side {
  /** The organization's ref. */
  readonly name: string;
  readonly people: number;
  readonly channels: readonly string[];
}

interface Request {
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

export interface Asked {
  readonly status: number;
  readonly json: unknown;
}

export async function provision(
  service: BenchService,
  people: Readonly<Record<string, number>>,
): Promise<readonly Side[]> {
  const requests = Object.keys(people).map((ref) => {
    return { ref, channels: CHANNELS, subscribers: [], events: [] };
  });
  const { orgs } = await service.apply(organizationsFile(requests));
  return Object.entries(people).map(([name, many]) => {
    const channels = Object.values(orgs[name]?.channels ?? {}).map(({ id }) => id);
    return { name, people: many, channels };
  });
}

/** One contact through the API, then copies of it. */
export async function fill(
  service: BenchService,
  side: Side,
  logProgress: (sentence: string) => void,
): Promise<void> {
  const { mongodbUrl } = service.run();
  const client = new MongoClient(mongodbUrl, { retryWrites: false });
  try {
    const db = databaseOf(client, mongodbUrl);
    const installation = await openInstallation({ db }, side.name);
    if ('refused' in installation) throw new Error(installation.refused);
    const ids = idsOf(installation);
    const body = { channelId: side.channels[0], phone: '5511988887777', text: 'Olá!' };
    await ask(service, side, { path: '/api/v1/messages', body });
    await ask(service, side, { path: '/api/v1/conversations' });
    const onBatch = (done: number): void => {
      if (done % 100_000 === 0) logProgress(`${done} of ${side.people} are there`);
    };
    const orgId = ids.derive('org', side.name);
    await seed({ db, ids, orgId, channelIds: side.channels, people: side.people, onBatch });
  } finally {
    await client.close();
  }
}

export async function ask(
  service: BenchService,
  { name }: Side,
  { path, body }: Request,
): Promise<Asked> {
  const answer = await fetch(`${service.run().baseUrl}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${tokenOf(name)}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, json: await answer.json() };
}
