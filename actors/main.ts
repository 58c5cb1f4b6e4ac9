/** The actors process: wires `infra` into the actors and lives until it is told to stop. */
import { systemChance, systemClock } from '../infra/clock/clock.ts';
import type { RoleConfig } from '../infra/config/config.ts';
import { roleConfigOrExit } from '../infra/config/process-config.ts';
import { createIds, freshId } from '../infra/ids/ids.ts';
import { createLog } from '../infra/log/log.ts';
import { connectMongo, type MongoConnection } from '../infra/mongo/client.ts';
import { ensureIndexes } from '../infra/mongo/indexes.ts';
import { installationSalt } from '../infra/mongo/installation.ts';
import { createRegistry } from '../infra/mongo/registry.ts';
import { createStore } from '../infra/mongo/store.ts';
import { connectBus } from '../infra/nats/bus.ts';
import { baseUrlResolver, createNetworks } from '../infra/network/networks.ts';
import { createOutbound } from '../infra/outbound/safe-fetch.ts';
import { createVault } from '../infra/secrets/vault.ts';
import type { Log } from '../shared/ports.ts';
import { SnapshotBarrier } from './conversation/snapshot-barrier.ts';
import { createKinds } from './kinds.ts';
import { serveQueries } from './queries/serve.ts';
import { Host } from './runtime/host.ts';
import { Membership } from './runtime/membership.ts';
import type { World } from './world.ts';

/** Whatever still holds the process then is let go: its lease has been given up. */
const EXIT_MS = 8_000;
const PING_MS = 1_000;

async function run(config: RoleConfig): Promise<void> {
  const log = createLog({ level: config.logLevel, role: 'actors' });
  dieOfFaults(log);
  const processId = config.processId ?? freshId('actors');
  const clock = systemClock;
  const [mongo, bus] = await Promise.all([
    connectMongo(config.mongodbUrl, log),
    connectBus({ natsUrl: config.natsUrl, clock, log, processId }),
  ]);
  const [salt] = await Promise.all([installationSalt(mongo.db), ensureIndexes(mongo.db)]);
  const registry = createRegistry(mongo.db);
  const membership = new Membership({
    registry,
    bus,
    clock,
    log,
    processId,
    pid: process.pid,
    kinds: config.actorKinds,
    onTakeOver: (partitions) => log.info({ partitions }, 'took over from a member that had died'),
  });
  const networks = createNetworks({
    clock,
    resolveBaseUrl: baseUrlResolver(() => config.sandboxUrl),
  });
  const outbound = createOutbound({
    allow: config.privateNetworkAllow,
    loopback: config.eventsToLoopback,
    clock,
  });
  const world: World = {
    bus,
    store: createStore(mongo),
    clock,
    chance: systemChance,
    ids: createIds(Buffer.from(salt, 'base64')),
    log,
    networks,
    outbound,
    vault: createVault(Buffer.from(config.secretsKey).toString('base64')),
    settings: {
      publicUrl: config.publicUrl,
      callsPerKey: config.rateLimitKey,
      callsPerOrganization: config.rateLimitOrg,
      retrySchedule: config.eventRetrySchedule,
      eventHeaderPrefix: config.eventHeaderPrefix,
    },
    snapshotBarrier: new SnapshotBarrier({ bus, clock }),
    alive: () => membership.alive(),
  };
  const host = new Host({
    bus,
    clock,
    log,
    kinds: createKinds(world, config.actorKinds),
    alive: () => membership.alive(),
    onTurn: (ask, answer, ms) =>
      log.debug(
        {
          kind: ask.address.kind,
          command: ask.command.type,
          requestId: ask.requestId,
          status: answer.status,
          ms: Math.round(ms * 10) / 10,
        },
        'turn',
      ),
  });
  serveQueries(world, { salt, missing: () => missingParts(mongo, membership) });
  await membership.start(host);
  log.info({ processId, kinds: config.actorKinds }, 'the actors act');
  stopOnSignal(log, async () => {
    await membership.leave();
    host.close();
    await bus.close();
    await Promise.all([networks.close(), outbound.close()]);
    await mongo.client.close();
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
