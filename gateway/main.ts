/**
 * Gateway process: connects the stages to `infra`, and runs until a stop signal. It listens before
 * NATS is connected, so that health answers; every other call is a 500 until then.
 */

import { systemClock } from '../infra/adapters/clock/clock.ts';
import { collectWhenIdle } from '../infra/adapters/heap/idle-collector.ts';
import { freshId, idsOf } from '../infra/adapters/ids/ids.ts';
import { loggedWaitReporter } from '../infra/adapters/log/connect-with-retry.ts';
import { createLog } from '../infra/adapters/log/log.ts';
import { exposeMetrics } from '../infra/adapters/metrics/expose.ts';
import { createMetrics, type ProcessMetrics } from '../infra/adapters/metrics/metrics.ts';
import { natsHosts, natsSettings } from '../infra/adapters/nats/access.ts';
import { connectBus } from '../infra/adapters/nats/bus.ts';
import type { NetworkBus } from '../infra/adapters/nats/network-bus.ts';
import type { FrontConfig } from '../infra/config/config.ts';
import { frontConfigOrExit } from '../infra/config/process-config.ts';
import { exitOnFault, stopOnSignal } from '../infra/programs/service/process-end.ts';
import { LOG_EVENT } from '../shared/log-events.ts';
import { VERSION } from '../shared/version.ts';
import { LazyBus } from './bus.ts';
import { createGateway } from './create-gateway.ts';
import { learnInstallation } from './installation.ts';
import { buildDocument } from './openapi/document.ts';
import { ROUTES } from './routes.ts';
import { serve } from './serve.ts';
import { startServer } from './server.ts';

/** After the requests in progress (5 s), the process exits even with open handles. */
const EXIT_MS = 5_000;

interface RegisteredProcess {
  readonly processId: string;
  readonly port: number;
  readonly metrics: ProcessMetrics;
}

/** NATS's service discovery. */
function registerGateway(
  bus: NetworkBus,
  { processId, port, metrics }: RegisteredProcess,
): Promise<void> {
  return bus.registerService({
    role: 'gateway',
    version: VERSION,
    description: 'The public HTTP API.',
    processId,
    metadata: { port: String(port), pid: String(process.pid) },
    statistics: () => ({ connected: bus.connected() }),
    metrics: () => metrics.text(),
  });
}

/** Its bundler is loaded by the first call. */
async function packClient(document: string): Promise<Uint8Array> {
  const kit = await import('../infra/kit/pack.ts');
  return await kit.packClient(document);
}

async function run(config: FrontConfig): Promise<void> {
  const log = createLog({ level: config.logLevel, role: 'gateway' });
  exitOnFault(log);
  const bus = new LazyBus();
  const clock = systemClock;
  const processId = config.processId ?? freshId('gateway');
  const metrics = createMetrics(processId);
  exposeMetrics(config, metrics, log);
  const { publicUrl, eventHeaderPrefix } = config;
  const document = buildDocument(ROUTES, publicUrl, eventHeaderPrefix);
  const publicOrigin = URL.parse(publicUrl)?.origin ?? null;
  const served = { document, eventHeaderPrefix, publicOrigin, packClient };
  const given = { clock, log, metrics, freshId, ...served };
  const gateway = createGateway(bus, given);
  metrics.watchEventStreams(() => gateway.eventStreams.count);
  const server = startServer(
    { ...gateway, serve: (incoming, requestLog) => serve(gateway, incoming, requestLog) },
    { host: config.host, port: config.port, setting: 'PORT' },
  );
  stopOnSignal({ log, exitMs: EXIT_MS, message: 'the gateway stops' }, async () => {
    gateway.eventStreams.close();
    await server.stop();
    await bus.close();
  });
  collectWhenIdle({ onCollected: (collected) => log.debug({ ...collected }, 'collected at rest') });
  log.info({ host: config.host, port: server.port }, LOG_EVENT.gatewayListens);
  const { natsUrl } = config;
  const real = await connectBus({
    ...natsSettings(config),
    ...{ role: 'gateway', clock, log, processId, metrics },
  });
  gateway.eventStreams.connect(real.streamPushes());
  bus.connect(real);
  await registerGateway(real, { processId, port: server.port, metrics });
  const actors = { name: 'an actors process on the bus', where: natsHosts(natsUrl) };
  const waitReporter = loggedWaitReporter(actors, log);
  await learnInstallation(gateway, { idsOf, onAnswered: () => waitReporter.answered() });
}

await run(frontConfigOrExit());
