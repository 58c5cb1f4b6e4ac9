/** The actors process: wires `infra` into the actors and lives until it is told to stop. */
import { systemChance, systemClock } from '../infra/clock/clock.ts';
import type { RoleConfig } from '../infra/config/config.ts';
import { roleConfigOrExit } from '../infra/config/process-config.ts';
import { collectAtRest } from '../infra/heap/idle-collector.ts';
import { freshId, idsOf } from '../infra/ids/ids.ts';
import { createLog } from '../infra/log/log.ts';
import { createMailer } from '../infra/mail/mailer.ts';
import { type ClosableMedia, createMedia, type MediaOptions } from '../infra/media/media.ts';
import { exposeMetrics } from '../infra/metrics/expose.ts';
import { meteredNetworks, meteredOutbound, meteredRegistry } from '../infra/metrics/metered.ts';
import { createMetrics, type ProcessMetrics } from '../infra/metrics/metrics.ts';
import { connectMongo, type MongoConnection } from '../infra/mongo/client.ts';
import { clockSkewMs } from '../infra/mongo/clock-skew.ts';
import { ensureIndexes } from '../infra/mongo/indexes.ts';
import { readInstallation } from '../infra/mongo/installation.ts';
import { claimLayout } from '../infra/mongo/layout.ts';
import { createRegistry } from '../infra/mongo/registry.ts';
import { createStore } from '../infra/mongo/store.ts';
import { connectBus, type NetworkBus } from '../infra/nats/bus.ts';
import { anotherInstallation, requireSoleInstallation } from '../infra/nats/sole-installation.ts';
import { baseUrlResolver, createNetworks } from '../infra/network/networks.ts';
import { createOutbound } from '../infra/outbound/safe-fetch.ts';
import { openVault } from '../infra/secrets/installation-key.ts';
import { refuseStart } from '../infra/supervisor/refuse-start.ts';
import { LOG_EVENT } from '../shared/log-events.ts';
import type { Metrics } from '../shared/metrics.ts';
import type { Answer, Clock, IncomingAsk, Log } from '../shared/ports.ts';
import type { Registry } from '../shared/registry.ts';
import { VERSION } from '../shared/version.ts';
import type { ActorKind } from '../shared/vocabulary.ts';
import { SnapshotBarrier } from './conversation/snapshot-barrier.ts';
import { createKinds } from './kinds.ts';
import { agendaAges } from './operations/agendas.ts';
import { partitionCounts, reportOf } from './operations/report.ts';
import { TurnRate } from './operations/turn-rate.ts';
import { serveQueries } from './queries/serve.ts';
import type { Kind } from './runtime/actor.ts';
import { Foreground } from './runtime/foreground.ts';
import { Host } from './runtime/host.ts';
import { journalBarrier } from './runtime/journal-barrier.ts';
import { Membership, type MembershipSettings } from './runtime/membership.ts';
import type { World } from './world.ts';

/** Whatever still holds the process then is let go: its lease has been given up. */
const EXIT_MS = 8_000;
const PING_MS = 1_000;
const CLOCK_APART_MS = 5_000;

async function run(config: RoleConfig): Promise<void> {
  const log = createLog({ level: config.logLevel, role: 'actors' });
  dieOfFaults(log);
  const clock = systemClock;
  const processId = config.processId ?? freshId('actors');
  const metrics = createMetrics(processId);
  const [{ mongo, vault }, bus] = await Promise.all([
    openRecord(config, log),
    connectBus({ natsUrl: config.natsUrl, clock, log, processId, metrics }),
  ]);
  const [installation] = await Promise.all([
    ownInstallation(config, mongo, bus),
    ensureIndexes(mongo.db),
  ]);
  const registry = meteredRegistry(createRegistry(mongo), { clock, metrics });
  const common = { registry, bus, clock, log, processId };
  const membership = membershipOf(config.actorKinds, common, metrics);
  const { networks, outbound, media } = outwards(config, { clock, log, db: mongo.db });
  const world = worldOf(config, {
    bus,
    store: createStore(mongo, metrics.commit),
    clock,
    chance: systemChance,
    ids: idsOf(installation),
    log,
    media,
    networks: meteredNetworks(networks, { clock, metrics }),
    outbound: meteredOutbound(outbound, { clock, metrics }),
    vault,
    snapshotBarrier: new SnapshotBarrier({ bus, clock }),
    leaseHeld: () => membership.leaseHeld(),
  });
  const foreground = new Foreground(clock);
  const kinds = createKinds(world, config.actorKinds, foreground);
  const host = hostOf(kinds, { world, bus, metrics });
  const missing = () => missingParts(mongo, membership);
  serveQueries(world, { installation, missing, foreground });
  await showOperators({ config, metrics, bus, world, host, membership, registry, media });
  await membership.start(host);
  void tellClock(mongo, clock, log);
  collectAtRest({ onCollected: (collected) => log.debug({ ...collected }, 'collected at rest') });
  log.info({ processId, kinds: config.actorKinds }, 'the actors act');
  stopOnSignal(log, async () => {
    await membership.leave();
    host.close();
    await bus.close();
    await Promise.all([networks, outbound, media, world.mailer].map((part) => part.close()));
    await mongo.client.close();
  });
}

/**
 * The record, and the vault whose key opens what is sealed in it. A record of a newer release, or
 * another key, ends this process.
 */
async function openRecord(config: RoleConfig, log: Log) {
  const mongo = await connectMongo(config.mongodbUrl, log);
  const newer = await claimLayout(mongo.db, VERSION);
  if (newer !== null) return await refuseStart(newer);
  const opened = await openVault(mongo.db, config);
  if ('refused' in opened) return await refuseStart(opened.refused);
  return { mongo, vault: opened.vault };
}

/** This installation, alone on its bus: else this process ends here. */
async function ownInstallation(config: RoleConfig, { db }: MongoConnection, bus: NetworkBus) {
  const installation = await readInstallation(db);
  const refuse = () => refuseStart(anotherInstallation(config.natsUrl));
  await requireSoleInstallation({ bus, clock: systemClock, installation, refuse });
  return installation;
}

/** Times in the record come from many machines, and receivers judge signatures by theirs. */
async function tellClock({ db }: MongoConnection, clock: Clock, log: Log): Promise<void> {
  try {
    const skewMs = await clockSkewMs(db, () => clock.now());
    if (Math.abs(skewMs) < CLOCK_APART_MS) return;
    log.warn({ skewMs }, `${LOG_EVENT.clockApart}: ${-skewMs} ms ahead`);
  } catch (cause) {
    log.warn({ cause }, 'the clocks could not be compared');
  }
}

function membershipOf(
  kinds: readonly ActorKind[],
  common: Omit<MembershipSettings, 'kinds' | 'pid' | 'onTakeOver'>,
  metrics: Metrics,
): Membership {
  return new Membership({
    ...common,
    kinds,
    pid: process.pid,
    onTakeOver: (partitions) => {
      metrics.takeOver(partitions);
      common.log.info({ partitions }, LOG_EVENT.partitionsTakenOver);
    },
  });
}

/** The ways out: to the networks, and to callers' URLs, for events and for files. */
function outwards(
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

/** The parts, and what the settings make of the rest. */
function worldOf(config: RoleConfig, parts: Omit<World, 'mailer' | 'settings'>): World {
  const { smtpUrl, dataDir } = config;
  return {
    ...parts,
    mailer: createMailer({ smtpUrl, dataDir, from: config.mailFrom }),
    settings: {
      publicUrl: config.publicUrl,
      callsPerKey: config.rateLimitKey,
      callsPerOrganization: config.rateLimitOrg,
      retrySchedule: config.eventRetrySchedule,
      eventHeaderPrefix: config.eventHeaderPrefix,
    },
  };
}

function hostOf(
  kinds: readonly Kind[],
  parts: { readonly world: World; readonly bus: NetworkBus; readonly metrics: Metrics },
): Host {
  const { world, bus, metrics } = parts;
  const { clock, log, leaseHeld, store } = world;
  return new Host({
    ...{ bus, clock, log, kinds, leaseHeld },
    journalBarrier: () => journalBarrier(store),
    onTurn: (ask, answer, ms) => tellTurn({ log, metrics }, { ask, answer, ms }),
  });
}

interface Shown {
  readonly config: RoleConfig;
  readonly metrics: ProcessMetrics;
  readonly bus: NetworkBus;
  readonly world: World;
  readonly host: Host;
  readonly membership: Membership;
  readonly registry: Registry;
  readonly media: ClosableMedia;
}

/** What operators see of this process: metrics, `recado actors`, NATS's service discovery. */
async function showOperators(shown: Shown): Promise<void> {
  const { config, metrics, bus, world, host, membership, registry, media } = shown;
  const { clock, store, log } = world;
  const rate = new TurnRate(clock, () => host.turns);
  const kinds = config.actorKinds;
  const report = () => ({
    ...reportOf({ membership, host, rate, kinds, pid: process.pid, clock }),
    publicUrl: config.publicUrl,
  });
  bus.answerAll('actors', () => Promise.resolve(report()));
  bus.answerQueries('members', async () => {
    const members = await registry.liveMembers();
    return { status: 200, body: JSON.stringify({ ids: members.map(({ id }) => id) }) };
  });
  metrics.watch({
    mailboxes: () => host.mailboxes(),
    partitions: () => partitionCounts(host),
    agendas: () => agendaAges({ store, names: host.names(), now: clock.now() }),
    media: () => media.usage(),
    restricted: () => host.restricted(),
  });
  exposeMetrics(config, metrics, log);
  await bus.offer({
    name: 'recado-actors',
    version: VERSION,
    description: 'Actors: the single writers of every entity.',
    processId: membership.memberId,
    metadata: { kinds: kinds.join(','), pid: String(process.pid) },
    statistics: () => ({ ...report() }),
    metrics: () => metrics.text(),
  });
}

interface Turn {
  readonly ask: IncomingAsk;
  readonly answer: Answer;
  readonly ms: number;
}

function tellTurn(
  { log, metrics }: { readonly log: Log; readonly metrics: Metrics },
  { ask, answer, ms }: Turn,
): void {
  const { kind } = ask.address;
  metrics.turn(kind, answer.status, ms);
  const fields = { kind, command: ask.command.type, requestId: ask.requestId };
  log.debug({ ...fields, status: answer.status, ms: Math.round(ms * 10) / 10 }, LOG_EVENT.turn);
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

function dieOfFaults(log: Log): void {
  const die = (cause: unknown): void => {
    log.error({ error: String(cause instanceof Error ? cause.stack : cause) }, 'dies of a fault');
    process.exit(1);
  };
  process.on('uncaughtException', die);
  process.on('unhandledRejection', die);
}

function stopOnSignal(log: Log, stop: () => Promise<void>): void {
  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => {
      if (stopping) return;
      stopping = true;
      log.info({ signal }, 'the actors stop');
      setTimeout(() => process.exit(0), EXIT_MS).unref();
      stop().then(
        () => process.exit(0),
        (cause: unknown) => {
          log.error({ error: String(cause) }, 'could not stop cleanly');
          process.exit(1);
        },
      );
    });
  }
}

await run(roleConfigOrExit());
