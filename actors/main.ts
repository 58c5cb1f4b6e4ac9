/** Entry point of the actors process: connects `infra` to the actors, and stops on a signal. */

import { systemClock, systemRandom } from '../infra/adapters/clock/clock.ts';
import { collectWhenIdle } from '../infra/adapters/heap/idle-collector.ts';
import { freshId, idsOf } from '../infra/adapters/ids/ids.ts';
import { createLog } from '../infra/adapters/log/log.ts';
import { createMailer } from '../infra/adapters/mail/mailer.ts';
import {
  type ClosableMedia,
  createMedia,
  type MediaOptions,
} from '../infra/adapters/media/media.ts';
import { exposeMetrics } from '../infra/adapters/metrics/expose.ts';
import {
  meteredNetworks,
  meteredOutbound,
  meteredRegistry,
} from '../infra/adapters/metrics/metered.ts';
import { createMetrics, type ProcessMetrics } from '../infra/adapters/metrics/metrics.ts';
import { connectMongo, type MongoConnection } from '../infra/adapters/mongo/client.ts';
import { clockSkewMs } from '../infra/adapters/mongo/clock-skew.ts';
import { ensureIndexes } from '../infra/adapters/mongo/indexes.ts';
import { openInstallation } from '../infra/adapters/mongo/installation.ts';
import { createRegistry } from '../infra/adapters/mongo/registry.ts';
import { createStore } from '../infra/adapters/mongo/store.ts';
import { natsSettings } from '../infra/adapters/nats/access.ts';
import { connectBus } from '../infra/adapters/nats/bus.ts';
import type { NetworkBus } from '../infra/adapters/nats/network-bus.ts';
import {
  anotherInstallation,
  requireSoleInstallation,
} from '../infra/adapters/nats/sole-installation.ts';
import { baseUrlResolver, createNetworks } from '../infra/adapters/network/networks.ts';
import { createOutbound } from '../infra/adapters/outbound/safe-fetch.ts';
import { openVault } from '../infra/adapters/secrets/installation-key.ts';
import type { RoleConfig } from '../infra/config/config.ts';
import { roleConfigOrExit } from '../infra/config/process-config.ts';
import { checkRecord } from '../infra/programs/cli/checks/mongo.ts';
import { describeDatabase } from '../infra/programs/service/mongo-engine/database-place.ts';
import { exitOnFault, stopOnSignal } from '../infra/programs/service/process-end.ts';
import { onDeathNotice } from '../infra/programs/service/supervisor/children/death-notice.ts';
import { refuseStart } from '../infra/programs/service/supervisor/children/refuse-start.ts';
import { LOG_EVENT } from '../shared/log-events.ts';
import type { Clock } from '../shared/ports/clock.ts';
import type { Log } from '../shared/ports/log.ts';
import type { Registry } from '../shared/ports/registry.ts';
import { VERSION } from '../shared/version.ts';
import { answerOf } from '../shared/wire/answer.ts';
import { conversationPartitions, ReadBarrier } from './conversation/log/read-barrier.ts';
import type { Environment } from './environment.ts';
import { createKinds } from './kinds.ts';
import { agendaAges } from './operations/agendas.ts';
import { numbersOwned, partitionCounts, reportOf, TurnRate } from './operations/report.ts';
import { organizationOf, TurnLoad } from './operations/turn-load.ts';
import { LocalAdmission } from './organization/local-admission.ts';
import { OrganizationViews } from './organization/views.ts';
import { serveQueries } from './queries/serve.ts';
import { Host } from './runtime/host.ts';
import { journalBarrier } from './runtime/journal-barrier.ts';
import type { Kind } from './runtime/kind.ts';
import { Membership } from './runtime/membership.ts';
import { ForegroundActivity } from './runtime/organization-scheduler.ts';

/** Deadline of a stop: the process then exits with work still open. Its lease has been released. */
const EXIT_MS = 8_000;
const PING_MS = 1_000;
const CLOCK_SKEW_MAX_MS = 5_000;

async function run(config: RoleConfig): Promise<void> {
  const log = createLog({ level: config.logLevel, role: 'actors' });
  exitOnFault(log);
  const clock = systemClock;
  const processId = config.processId ?? freshId('actors');
  const metrics = createMetrics(processId);
  const [{ mongo, leases, vault, installation }, bus] = await Promise.all([
    openDatabase(config, log),
    connectBus({ ...natsSettings(config), role: 'actors', clock, log, processId, metrics }),
  ]);
  const refuse = () => refuseStart(anotherInstallation(config.natsUrl));
  const soleOnBus = requireSoleInstallation({ bus, clock, installation, refuse });
  await Promise.all([soleOnBus, ensureIndexes(mongo.db)]);
  const registry = meteredRegistry(createRegistry(leases), { clock, metrics });
  const membership = new Membership({
    ...{ registry, bus, clock, log, processId, pid: process.pid },
    ...{ kinds: config.actorKinds, weight: config.actorsWeight },
    onReleased: (ms) => metrics.released(ms),
    onTakeOver: (partitions) => {
      metrics.takeOver(partitions);
      log.info({ partitions }, LOG_EVENT.partitionsTakenOver);
    },
  });
  const store = createStore(mongo, { onGroup: metrics.commit });
  const { networks, outbound, media } = createEgress(config, { clock, log, db: mongo.db });
  const environment = createEnvironment(config, {
    ...{ bus, clock, log, media, vault, random: systemRandom, ids: idsOf(installation) },
    store,
    networks: meteredNetworks(networks, { clock, metrics }),
    outbound: meteredOutbound(outbound, { clock, metrics }),
    readBarrier: new ReadBarrier({ bus, clock }, (orgId) => conversationPartitions(store, orgId)),
    live: bus.hintPublisher(),
    streams: bus.streamPushes(),
    leaseHeld: () => membership.leaseHeld(),
    members: {
      own: () => membership.memberId,
      live: async () => (await registry.liveMembers()).map(({ id }) => id),
    },
  });
  const foregroundActivity = new ForegroundActivity(clock);
  const views = new OrganizationViews(environment);
  const onChangeKnown = (ms: number) => metrics.organizationChange(ms);
  const onEvents = (count: number) => metrics.events(count);
  const onDealsFollowed = (count: number) => metrics.dealsFollowed(count);
  const shared = { foregroundActivity, views, onChangeKnown, onEvents, onDealsFollowed };
  const kinds = createKinds(environment, config.actorKinds, shared);
  const onAdmitted = (orgId: string) => foregroundActivity.recordCall(orgId);
  const admission = new LocalAdmission({ environment, views, onAdmitted });
  const load = new TurnLoad(clock);
  const host = createHost(kinds, { environment, bus, metrics, admission, load });
  const missing = () => missingParts(mongo, membership);
  serveQueries(environment, { installation, missing, foregroundActivity });
  await exposeOperations({
    ...{ config, metrics, bus, environment, host, membership, registry, media, admission, load },
    kinds,
  });
  await membership.start(host);
  void warnOfClockSkew(mongo, clock, log);
  collectWhenIdle({ onCollected: (collected) => log.debug({ ...collected }, 'collected at rest') });
  log.info({ processId, kinds: config.actorKinds }, 'actors started');
  stopOnSignal({ log, exitMs: EXIT_MS, message: 'actors stopping' }, async () => {
    await membership.leave();
    host.close();
    await bus.close();
    await Promise.all([networks, outbound, media, environment.mailer].map((part) => part.close()));
    await Promise.all([mongo, leases].map(({ client }) => client.close()));
  });
}

/**
 * Opens the database and the vault whose key opens its sealed values. A database with another
 * schema, or another key, ends this process.
 */
async function openDatabase(config: RoleConfig, log: Log) {
  const mongo = await connectMongo(config.mongodbUrl, log);
  const database = describeDatabase(mongo.db, config.mongodbUrl, config);
  const installation = await openInstallation(mongo, database);
  if ('refused' in installation) return await refuseStart(installation.refused);
  const opened = await openVault(mongo.db, config);
  if ('refused' in opened) return await refuseStart(opened.refused);
  // A renewal waits behind no reads: in a burst it did for longer than the lease lasts (D366).
  const leases = await connectMongo(config.mongodbUrl, log);
  return { mongo, leases, vault: opened.vault, installation };
}

/** Many machines write times, and receivers check signatures by their own clocks. */
async function warnOfClockSkew({ db }: MongoConnection, clock: Clock, log: Log): Promise<void> {
  try {
    const skewMs = await clockSkewMs(db, () => clock.now());
    if (Math.abs(skewMs) < CLOCK_SKEW_MAX_MS) return;
    log.warn({ skewMs }, `${LOG_EVENT.clockApart}: ${-skewMs} ms ahead`);
  } catch (cause) {
    log.warn({ cause }, 'the clocks could not be compared');
  }
}

/** Outbound clients: of networks, of callers' URLs, and of files. */
function createEgress(
  config: RoleConfig,
  { clock, log, db }: Pick<MediaOptions, 'clock' | 'log' | 'db'>,
) {
  const resolveBaseUrl = baseUrlResolver(() => config.sandboxUrl);
  const { privateNetworkAllow: allow, eventsToLoopback: loopback } = config;
  return {
    networks: createNetworks({ clock, resolveBaseUrl }),
    outbound: createOutbound({ allow, loopback, clock }),
    media: createMedia({ db, clock, log, allow }),
  };
}

/** Adds the mailer and the settings to the given parts. */
function createEnvironment(
  config: RoleConfig,
  parts: Omit<Environment, 'mailer' | 'settings'>,
): Environment {
  const { smtpUrl, dataDir, mailFrom, publicUrl } = config;
  return {
    ...parts,
    mailer: createMailer({ smtpUrl, dataDir, from: mailFrom }),
    settings: {
      publicUrl,
      panelUrl: config.panelUrl,
      callsPerKey: config.rateLimitKey,
      callsPerOrganization: config.rateLimitOrg,
      retrySchedule: config.eventRetrySchedule,
      eventHeaderPrefix: config.eventHeaderPrefix,
      streamWaitingMax: config.streamWaitingMax,
    },
  };
}

function createHost(
  kinds: readonly Kind[],
  parts: Pick<OperationsParts, 'environment' | 'bus' | 'metrics' | 'admission' | 'load'>,
): Host {
  const { environment, bus, metrics, admission, load } = parts;
  const { clock, log, leaseHeld, store } = environment;
  return new Host({
    ...{ bus, clock, log, kinds, leaseHeld },
    journalBarrier: () => journalBarrier(store),
    admit: (attached, ask) => admission.admit(attached, ask),
    onTurn({ address, command, requestId }, { status }, ms, { partition, orgId }) {
      const { kind } = address;
      metrics.turn(kind, status, ms);
      load.record(partition, organizationOf(address, command, orgId), ms);
      const fields = { kind, command: command.type, requestId, status };
      log.debug({ ...fields, ms: Math.round(ms * 10) / 10 }, LOG_EVENT.turn);
    },
  });
}

interface OperationsParts {
  readonly config: RoleConfig;
  readonly metrics: ProcessMetrics;
  readonly bus: NetworkBus;
  readonly environment: Environment;
  readonly host: Host;
  readonly kinds: readonly Kind[];
  readonly membership: Membership;
  readonly registry: Registry;
  readonly media: ClosableMedia;
  readonly admission: LocalAdmission;
  readonly load: TurnLoad;
}

/** Exposes this process to operators: metrics, `recado actors`, NATS service discovery. */
async function exposeOperations(parts: OperationsParts): Promise<void> {
  const { config, metrics, bus, environment, host, kinds, membership, registry, media } = parts;
  const { admission, load } = parts;
  const { clock, store, log } = environment;
  const rate = new TurnRate(clock, () => host.turns);
  const report = () => ({
    ...reportOf({
      ...{ membership, host, rate, load, clock, actors: kinds },
      ...{ kinds: config.actorKinds, pid: process.pid },
    }),
    publicUrl: config.publicUrl,
  });
  onDeathNotice(() => bus.announceMembers());
  bus.answerAll('actors', () => Promise.resolve(report()));
  bus.answerQueries('members', async () => {
    const members = await registry.liveMembers();
    return answerOf({ ids: members.map(({ id }) => id) });
  });
  bus.answerQueries('record-checks', async () => {
    const { mongodbUrl, publicUrl } = config;
    const now = () => clock.now();
    return answerOf({ rows: await checkRecord(mongodbUrl, { config, publicUrl, now }) });
  });
  metrics.watch({
    mailboxes: () => host.mailboxes(),
    partitions: () => partitionCounts(host),
    agendas: () =>
      agendaAges({ store, numbersOf: (kind) => numbersOwned(host, kind), now: clock.now() }),
    media: () => media.usage(),
    restricted: () => kinds.reduce((sum, kind) => sum + (kind.restricted?.() ?? 0), 0),
    slices: () => admission.slicedCalls(),
  });
  exposeMetrics(config, metrics, log);
  await bus.registerService({
    role: 'actors',
    version: VERSION,
    description: 'Actors: the single writers of every entity.',
    processId: membership.memberId,
    metadata: { kinds: config.actorKinds.join(','), pid: String(process.pid) },
    statistics: () => ({ ...report() }),
    metrics: () => metrics.text(),
  });
}

async function missingParts(mongo: MongoConnection, membership: Membership): Promise<string[]> {
  const missing: string[] = [];
  try {
    await mongo.db.command({ ping: 1 }, { timeoutMS: PING_MS });
  } catch {
    missing.push('mongodb');
  }
  if (!membership.complete) missing.push('partitions');
  return missing;
}

await run(roleConfigOrExit());
