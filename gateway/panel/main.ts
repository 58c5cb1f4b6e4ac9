/**
 * Panel process: the people's gateway. It connects the stages to `infra`, and runs until a stop
 * signal. It holds no state that matters, and any number of them may run.
 */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { systemClock } from '../../infra/adapters/clock/clock.ts';
import { collectWhenIdle } from '../../infra/adapters/heap/idle-collector.ts';
import { freshId, idsOf } from '../../infra/adapters/ids/ids.ts';
import { loggedWaitReporter } from '../../infra/adapters/log/connect-with-retry.ts';
import { createLog } from '../../infra/adapters/log/log.ts';
import { exposeMetrics } from '../../infra/adapters/metrics/expose.ts';
import { createMetrics } from '../../infra/adapters/metrics/metrics.ts';
import { natsHosts, natsSettings } from '../../infra/adapters/nats/access.ts';
import { connectBus } from '../../infra/adapters/nats/bus.ts';
import type { NetworkBus } from '../../infra/adapters/nats/network-bus.ts';
import type { FrontConfig } from '../../infra/config/config.ts';
import { frontConfigOrExit } from '../../infra/config/process-config.ts';
import { isInNetworks } from '../../infra/config/trusted-networks.ts';
import { runningProcesses } from '../../infra/programs/cli/installation/running-processes.ts';
import { exitOnFault, stopOnSignal } from '../../infra/programs/service/process-end.ts';
import { LOG_EVENT } from '../../shared/log-events.ts';
import {
  PANELS_TOPIC,
  type PanelReport,
  type RunningProcesses,
} from '../../shared/panel/operation.ts';
import type { LiveHints } from '../../shared/ports/live.ts';
import { VERSION } from '../../shared/version.ts';
import { LazyBus } from '../bus.ts';
import { createGateway } from '../create-gateway.ts';
import type { Gateway } from '../gateway.ts';
import { learnInstallation } from '../installation.ts';
import { startServer } from '../server.ts';
import { Throttle } from '../throttling/throttle.ts';
import { type Assets, buildAssets } from './assets.ts';
import { UntrustedProxy } from './client-address.ts';
import { LiveStreams } from './live/live-streams.ts';
import { Rates } from './operation/rates.ts';
import type { Panel } from './panel.ts';
import { PassphraseHasher } from './passphrase.ts';
import { servePanel } from './serve.ts';

/** After the requests in progress (5 s), the process exits even with open handles. */
const EXIT_MS = 5_000;
const SECRET_BYTES = 32;
/** Of one address. */
const SIGN_INS_PER_MINUTE = 30;

/** The stages' state, and the step that connects its live hints to the bus. */
function createPanel(config: FrontConfig, gateway: Gateway, assets: Assets) {
  const { host, panelPublicUrl, panelTrustedProxies } = config;
  let publisher: LiveHints | null = null;
  let running: RunningProcesses | null = null;
  const isTrustedProxy = (address: string) => isInNetworks(address, panelTrustedProxies);
  const panel: Panel = {
    gateway,
    assets,
    hash: new PassphraseHasher().hash,
    streams: new LiveStreams(gateway.clock),
    processes: () => running,
    rates: new Rates({
      clock: gateway.clock,
      read: async () => (await running?.metrics()) ?? [],
      onFailed: (cause) => gateway.log.warn({ cause }, 'no metrics were read'),
    }),
    flowText: async () =>
      (await import('../../infra/programs/cli/provisioning/flow-text.ts')).flowText,
    hints: { changed: (...hint) => publisher?.changed(...hint) },
    origins: { publicUrl: panelPublicUrl ?? null, host },
    secure: panelPublicUrl?.startsWith('https:') ?? false,
    attempts: new Throttle(gateway.clock, SIGN_INS_PER_MINUTE),
    makeSecret: () => randomBytes(SECRET_BYTES).toString('base64url'),
    isTrustedProxy,
    untrustedProxy: new UntrustedProxy(gateway.log, isTrustedProxy),
  };
  const listen = (bus: NetworkBus): void => {
    running = runningProcesses({ ...gateway, bus, config });
    publisher = bus.hintPublisher();
    panel.streams.connect(bus.hintListener());
  };
  return { panel, listen };
}

async function run(config: FrontConfig): Promise<void> {
  const log = createLog({ level: config.logLevel, role: 'panel' });
  exitOnFault(log);
  const bus = new LazyBus();
  const clock = systemClock;
  const { host, natsUrl, panelPort, eventHeaderPrefix } = config;
  const processId = config.processId ?? freshId('panel');
  const metrics = createMetrics(processId);
  exposeMetrics(config, metrics, log);
  const gateway = createGateway(bus, {
    ...{ clock, log, metrics, freshId, eventHeaderPrefix },
    ...{ document: '', publicOrigin: null },
  });
  const { panel, listen } = createPanel(config, gateway, await buildAssets());
  const server = startServer(
    { ...gateway, serve: (incoming, requestLog) => servePanel(panel, incoming, requestLog) },
    { host, port: panelPort, setting: 'PANEL_PORT' },
  );
  stopOnSignal({ log, exitMs: EXIT_MS, message: 'the panel stops' }, async () => {
    panel.streams.close();
    await server.stop();
    await bus.close();
  });
  collectWhenIdle({ onCollected: (collected) => log.debug({ ...collected }, 'collected at rest') });
  log.info({ host, port: server.port }, LOG_EVENT.gatewayListens);
  const real = await connectBus({
    ...natsSettings(config),
    ...{ role: 'panel', clock, log, processId, metrics },
  });
  bus.connect(real);
  listen(real);
  const report = {
    ...{ id: processId, host: hostname(), pid: process.pid },
    url: config.panelPublicUrl ?? `http://${host}:${server.port}`,
  };
  real.answerAll(PANELS_TOPIC, async (): Promise<PanelReport> => {
    return { ...report, untrustedProxy: panel.untrustedProxy.first };
  });
  await real.registerService({
    role: 'panel',
    version: VERSION,
    description: "The panel: people's gateway.",
    processId,
    metadata: { port: String(server.port), pid: String(process.pid) },
    statistics: () => ({ connected: real.connected() }),
    metrics: () => metrics.text(),
  });
  const actors = { name: 'an actors process on the bus', where: natsHosts(natsUrl) };
  const waitReporter = loggedWaitReporter(actors, log);
  await learnInstallation(gateway, { idsOf, onAnswered: () => waitReporter.answered() });
}

await run(frontConfigOrExit());
