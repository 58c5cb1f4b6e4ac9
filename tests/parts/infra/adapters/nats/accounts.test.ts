/**
 * A NATS server with TLS and an account whose users may what their role needs: two installations in
 * one account, and what a gateway's stolen credentials can do and cannot.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { connect, credsAuthenticator, type NatsConnection } from 'nats';
import { systemClock } from '../../../../../infra/adapters/clock/clock.ts';
import { connectBus } from '../../../../../infra/adapters/nats/bus.ts';
import type { NetworkBus } from '../../../../../infra/adapters/nats/network-bus.ts';
import type { BusRole } from '../../../../../infra/adapters/nats/permissions.ts';
import { tellRow } from '../../../../../infra/programs/cli/checks/finding-sentences.ts';
import { checkNats } from '../../../../../infra/programs/cli/checks/nats.ts';
import { freePort } from '../../../../../infra/programs/service/supervisor/ports.ts';
import { AskFailed } from '../../../../../shared/ports/bus.ts';
import { partitionOf } from '../../../../../shared/wire/subjects.ts';
import { NatsOperator, type RoleCredentials } from '../../../../support/nats/accounts.ts';
import { type Certificates, issueCertificates } from '../../../../support/nats/certificates.ts';
import { serverConfiguration } from '../../../../support/nats/cluster.ts';
import { type RunningServer, startNatsServer } from '../../../../support/nats/server.ts';
import { waitFor } from '../../../../support/wait-for.ts';

const PREFIXES = ['recado', 'loja-2'] as const;
type Prefix = (typeof PREFIXES)[number];

const CONTACT = { kind: 'contact', key: 'somebody' } as const;
const OWNED = { kind: 'contact', number: partitionOf('contact', CONTACT.key) } as const;
const COMMAND = { id: 'cmd_1', type: 'locate', orgId: 'org_1', phone: '' } as const;
const SOON_MS = 20_000;
/** For what must not come. */
const NEVER_MS = 400;

const folder = mkdtempSync(join(tmpdir(), 'recado-accounts-'));
const operator = new NatsOperator();
const credentials: Record<Prefix, RoleCredentials> = {
  recado: operator.issue(folder, 'recado'),
  'loja-2': operator.issue(folder, 'loja-2'),
};
const certificates: Certificates = issueCertificates(folder);
const open: Pick<NetworkBus, 'close'>[] = [];
/** Subjects that the server did not permit. */
const refused: string[] = [];
let natsUrl: string;
let server: RunningServer;

const ignore = (): void => undefined;
const log = {
  ...{ debug: ignore, info: ignore, warn: ignore },
  error: (fields: object) => void refused.push(String(Reflect.get(fields, 'subject'))),
};

before(async () => {
  const [port, clusterPort] = [await freePort('127.0.0.1'), await freePort('127.0.0.1')];
  natsUrl = `tls://127.0.0.1:${port}`;
  const file = join(folder, 'server.conf');
  const alone = { name: 'alone', port, clusterPort, routes: [] };
  writeFileSync(file, serverConfiguration(alone, certificates, operator.trusted));
  server = startNatsServer(file);
});

after(async () => {
  for (const bus of open) await bus.close();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function busOf(role: BusRole, prefix: Prefix, name: string = role): Promise<NetworkBus> {
  const bus = await connectBus({
    ...{ natsUrl, natsCaFile: certificates.ca, natsPrefix: prefix },
    ...{ natsCredsFile: credentials[prefix][role], role, processId: `${prefix}-${name}` },
    ...{ clock: systemClock, log },
  });
  open.push(bus);
  return bus;
}

const soon = () => ({ deadline: systemClock.now() + SOON_MS });
const never = () => ({ deadline: systemClock.now() + NEVER_MS });
const answering = (body: string) => ({ status: 200, body });

/** An actors process that owns the contact and answers a query; each answer names it. */
async function actorsOf(prefix: Prefix): Promise<NetworkBus> {
  const bus = await busOf('actors', prefix);
  bus.own(OWNED, { ask: ({ answer }) => answer(answering(prefix)), nudge: ignore });
  bus.answerQueries('installation', () => Promise.resolve(answering(prefix)));
  bus.answerAll('actors', () => Promise.resolve({ prefix }));
  const role = 'actors';
  const service = { role, version: '1.0.0', description: 'actors', processId: prefix } as const;
  const metrics = () => Promise.resolve(`of ${prefix}`);
  await bus.registerService({ ...service, metadata: {}, statistics: () => ({}), metrics });
  return bus;
}

test('two installations in one account hear nothing of each other', async () => {
  for (const prefix of PREFIXES) await actorsOf(prefix);
  for (const prefix of PREFIXES) {
    const gateway = await busOf('gateway', prefix);
    assert.equal((await gateway.ask(CONTACT, COMMAND, soon())).body, prefix);
    assert.equal((await gateway.query('installation', {}, soon())).body, prefix);
    const panel = await busOf('panel', prefix);
    const metrics = await waitFor(
      async () => {
        const read = await panel.readMetrics();
        return read.length > 0 && read;
      },
      { what: 'its metrics are read' },
    );
    assert.deepEqual(
      metrics.map(({ text }) => text),
      [`of ${prefix}`],
    );
    const line = await busOf('operator', prefix);
    const told: unknown[] = [];
    const stop = line.askAll('actors', (answer) => told.push(answer));
    await waitFor(() => told.length > 0, { what: 'the actors answer' });
    stop();
    assert.deepEqual(told, [{ prefix }]);
  }
  const sessions = await busOf('panel', 'recado', 'listening');
  const hints = sessions.hintListener();
  const heard: unknown[] = [];
  hints.listen('org_1', (kind) => heard.push(kind));
  const [mine, foreign] = [
    await busOf('actors', 'recado', 'm'),
    await busOf('actors', 'loja-2', 'f'),
  ];
  const publishers = [mine.hintPublisher(), foreign.hintPublisher()];
  await waitFor(() => publishers[0]?.hasListeners('org_1') === true, { what: 'it is announced' });
  assert.equal(publishers[1]?.hasListeners('org_1'), false);
  publishers[0]?.changed('org_1', 'contact', { id: 'ctc_1', seq: 1 });
  await waitFor(() => heard.length > 0, { what: 'the change is told' });
  assert.deepEqual(refused, [], 'each role may what it does');
});

async function stolen(): Promise<NatsConnection> {
  const connection = await connect({
    servers: natsUrl,
    tls: { caFile: certificates.ca },
    authenticator: credsAuthenticator(readFileSync(credentials.recado.gateway)),
    reconnect: false,
  });
  open.push(connection);
  return connection;
}

/** What the server says to a subscription, or to a message. */
async function verdict(connection: NatsConnection, act: () => void): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  void (async () => {
    for await (const { permissionContext } of connection.status()) {
      if (permissionContext) resolve('refused');
    }
  })();
  act();
  await connection.flush();
  await connection.flush();
  return await Promise.race([promise, Promise.resolve('permitted')]);
}

const HEARD_BY_OTHERS = [
  ...['recado.>', '>', '*.ask.>', 'recado.ask.contact.>', 'recado.nudge.>', 'recado.query.*'],
  ...['recado.process.*', 'recado.inbox.>', 'recado.inbox.panel.>', 'recado.inbox.actors.>'],
  ...['recado.inbox.operator.>', 'recado.topic.*', 'recado.live.*.*', 'recado.live-listeners'],
  ...['recado.members.changed', 'recado.metrics.actors.*', 'recado.responders-wanted'],
  ...['loja-2.>', 'loja-2.inbox.gateway.>', 'loja-2.stream.*', '_INBOX.>'],
];

for (const subject of HEARD_BY_OTHERS) {
  test(`a stolen gateway does not hear ${subject}`, async () => {
    const connection = await stolen();
    const listen = () => void connection.subscribe(subject, { callback: ignore });
    assert.equal(await verdict(connection, listen), 'refused');
  });
}

const SAID_BY_OTHERS = [
  ...['recado.inbox.gateway.other.1', 'recado.inbox.panel.other.1', 'recado.inbox.operator.x.1'],
  ...['recado.members.changed', 'recado.owners.changed', 'recado.live.org_1.session'],
  ...['recado.live-listeners', 'recado.stream.str_1', 'recado.topic.view', 'recado.topic.actors'],
  ...['recado.metrics.actors.x', '$SRV.PING', 'recado.nudge.conversation.1.1'],
  ...['loja-2.ask.contact.1.1', 'loja-2.query.installation', 'loja-2.process.x'],
];

for (const subject of SAID_BY_OTHERS) {
  test(`a stolen gateway does not say ${subject}`, async () => {
    const connection = await stolen();
    const say = () => connection.publish(subject, '{}');
    assert.equal(await verdict(connection, say), 'refused');
  });
}

test('a stolen gateway asks whatever a gateway asks, and hears streams and other gateways', async () => {
  const connection = await stolen();
  for (const subject of ['recado.stream.*', 'recado.inbox.gateway.>']) {
    const listen = () => void connection.subscribe(subject, { callback: ignore });
    assert.equal(await verdict(connection, listen), 'permitted', subject);
  }
  const thief = await busOf('gateway', 'recado', 'thief');
  assert.equal((await thief.ask(CONTACT, COMMAND, soon())).body, 'recado');
});

test('a role that may not answer is not asked, and asks of it fail', async () => {
  const impostor = await busOf('gateway', 'recado', 'impostor');
  const OTHERS = { kind: 'contact', key: 'nobody' } as const;
  const number = partitionOf(OTHERS.kind, OTHERS.key);
  const before = refused.length;
  impostor.own(
    { kind: 'contact', number },
    { ask: ({ answer }) => answer(answering('forged')), nudge: ignore },
  );
  const asker = await busOf('gateway', 'recado', 'asker');
  await assert.rejects(asker.ask(OTHERS, COMMAND, never()), AskFailed);
  assert.ok(refused.length > before, 'and its log tells what the server does not permit');
});

test('nothing is said to a server without TLS, or with another certificate', async () => {
  const given = { natsCredsFile: credentials.recado.operator };
  const other = issueCertificates(folder, 'other');
  const strange = await checkNats({ natsUrl, natsCaFile: other.ca, ...given });
  assert.equal(strange.ok, false);
  assert.match(tellRow(strange).detail, /certificate/);
  assert.equal((await checkNats({ natsUrl, natsCaFile: certificates.ca, ...given })).ok, true);
  const port = await freePort('127.0.0.1');
  const file = join(folder, 'plain.conf');
  writeFileSync(file, `listen: 127.0.0.1:${port}\nlog_file: "${file}.log"\ntrace: true\n`);
  const plain = startNatsServer(file);
  try {
    const reached = () => checkNats({ natsUrl: `nats://127.0.0.1:${port}` });
    await waitFor(async () => (await reached()).ok, { what: 'the plain server answers' });
    for (const address of [`tls://127.0.0.1:${port}`, `tls://user:secret@127.0.0.1:${port}`]) {
      assert.equal((await checkNats({ natsUrl: address })).ok, false);
    }
    const files = { natsCaFile: certificates.ca, ...given };
    assert.equal((await checkNats({ natsUrl: `nats://127.0.0.1:${port}`, ...files })).ok, false);
    assert.doesNotMatch(readFileSync(`${file}.log`, 'utf8'), /secret|eyJ/);
  } finally {
    await plain.stop();
  }
});
