/** Asks and nudges reach the owner of their partition, whichever parts of its shelf it has. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { connect, type NatsConnection } from 'nats';
import { InstallationWire } from '../../../../../infra/adapters/nats/connection.ts';
import { OwnedSubjects } from '../../../../../infra/adapters/nats/owned-subjects.ts';
import { freePort } from '../../../../../infra/programs/service/supervisor/ports.ts';
import { ownerSubject, PARTITIONS_PER_SHELF } from '../../../../../shared/wire/subjects.ts';
import { type Launched, launch } from '../../../../support/launch.ts';
import { waitUntil } from '../../../../support/wait-for.ts';

const TOKEN = 't0ken';
const FIRST = 3 * PARTITIONS_PER_SHELF;
const SHELF = Array.from({ length: PARTITIONS_PER_SHELF }, (_, slot) => FIRST + slot);

let nats: Launched;
let connections: readonly NatsConnection[];

before(async () => {
  const port = await freePort('127.0.0.1');
  const url = `nats://${TOKEN}@127.0.0.1:${port}`;
  nats = launch(['infra/programs/service/nats-server/main.ts'], {
    NATS_URL: url,
    NATS_PORT: `${port}`,
  });
  const reach = async () => {
    const given = { servers: `127.0.0.1:${port}`, token: TOKEN, noAsyncTraces: true };
    return await connect(given).catch(() => null);
  };
  connections = await Promise.all([1, 2, 3].map(() => waitUntil('a connection', reach)));
});

after(async () => {
  for (const connection of connections ?? []) await connection.close();
  await nats?.stop();
});

/** What each of two processes has heard of the whole shelf, once each has heard the end. */
async function heard(owned: readonly (readonly number[])[], change?: readonly number[]) {
  const [sender, ...owners] = connections;
  assert.ok(sender);
  const said = owned.map((): string[] => []);
  const subjects = owners.map((connection, at) => {
    const named = { prefix: 'recado', role: 'actors', processId: `actors-${at}` } as const;
    return new OwnedSubjects(new InstallationWire(connection, named), {
      onAsks: (message) => said[at]?.push(`ask ${message.string()}`),
      onNudge: ({ number }, message) => {
        said[at]?.push(`nudge ${message.string()}`);
        assert.equal(number, Number(message.string()));
      },
    });
  });
  subjects.forEach((each, at) => {
    for (const number of owned[at] ?? []) each.add({ kind: 'deal', number });
  });
  if (change) {
    await Promise.all(owners.map((connection) => connection.flush()));
    for (const number of change) {
      subjects[0]?.remove({ kind: 'deal', number });
      subjects[1]?.add({ kind: 'deal', number });
    }
  }
  // Subscriptions are made at the end of the tick.
  await Promise.resolve();
  await Promise.all(owners.map((connection) => connection.flush()));
  for (const number of SHELF) {
    for (const to of ['ask', 'nudge'] as const) {
      sender.publish(ownerSubject(to, { kind: 'deal', number }), `${number}`);
    }
  }
  await sender.flush();
  await Promise.all(owners.map((connection) => connection.flush()));
  const counts = owners.map((connection) => connection.stats().inMsgs);
  assert.equal(counts.length, owned.length);
  for (const each of subjects) for (const number of SHELF) each.remove({ kind: 'deal', number });
  await Promise.resolve();
  return said;
}

const of = (numbers: readonly number[]) => numbers.flatMap((n) => [`ask ${n}`, `nudge ${n}`]);

test('a whole shelf and parts of one get what is theirs, once', async () => {
  assert.deepEqual(await heard([SHELF, []]), [of(SHELF), []]);
  const [some, rest] = [SHELF.slice(0, 5), SHELF.slice(5)];
  assert.deepEqual(await heard([some, rest]), [of(some), of(rest)]);
});

test('what is given away in a part, or in whole, is heard by the next owner alone', async () => {
  const given = SHELF.slice(3, 9);
  const left = SHELF.filter((number) => !given.includes(number));
  assert.deepEqual(await heard([SHELF, []], given), [of(left), of(given)]);
  assert.deepEqual(await heard([left, given], left), [[], of(SHELF)]);
});
