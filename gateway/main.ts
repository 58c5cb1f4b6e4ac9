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
import { natsHosts } from '../infra/adapters/nats/access.ts';
import { connectBus, type NetworkBus } from '../infra/adapters/nats/bus.ts';
import type { RoleConfig } from '../infra/config/config.ts';
import { roleConfigOrExit } from '../infra/config/process-config.ts';
import { exitOnFault, stopOnSignal } from '../infra/programs/process-end.ts';
import { GenerationalCache } from '../shared/generational-cache.ts';
import { LOG_EVENT } from '../shared/log-events.ts';
import type { Bus } from '../shared/ports/bus.ts';
import { VERSION } from '../shared/version.ts';
import { bodyOf } from '../shared/wire/answer.ts';
import type { Gateway } from './gateway.ts';
import { Installation } from './installation.ts';
import { LoadShedder, trackedBus } from './load-shedder.ts';
import { buildDocument } from './openapi.ts';
import { bodyBudgets } from './read-body.ts';
import { ROUTES } from './routes.ts';
import { startServer } from './server.ts';
import { StreamLimiter } from './stream-limiter.ts';
import { Throttle } from './throttle.ts';

const KNOWN_KEYS_MAX = 20_000;
const SALT_ASK_MS = 2_000;
const SALT_PAUSE_MS = 250;
/** After the requests in progress (5 s), the process exits even with open handles. */
const EXIT_MS = 5_000;

/** Placeholder of the bus until the real one is connected. */
class LazyBus implements Bus {
  #real: NetworkBus | null = null;

  connect(real: NetworkBus): void {
    this.#real = real;
  }

  readonly ask: Bus['ask'] = (...call) => this.#requireConnected().ask(...call);
  readonly query: Bus['query'] = (...call) => this.#requireConnected().query(...call);
  readonly nudge: Bus['nudge'] = (...call) => this.#real?.nudge(...call);

  connected(): boolean {
    return this.#real?.connected() ?? false;
  }

  async close(): Promise<void> {
    await this.#real?.close();
  }

  #requireConnected(): NetworkBus {
    if (!this.#real) throw new Error('the bus is not connected yet');
    return this.#real;
  }
}

/** Asks for the installation until an actors process answers. */
async function learnInstallation(gateway: Gateway, natsUrl: string): Promise<void> {
  const { bus, clock, log, installation } = gateway;
  const actors = { name: 'an actors process on the bus', where: natsHosts(natsUrl) };
  const waitReporter = loggedWaitReporter(actors, log);
  for (;;) {
    try {
      const answer = await bus.query('installation', {}, { deadline: clock.now() + SALT_ASK_MS });
      if (answer.status === 200) {
        installation.learn(idsOf(bodyOf(answer)));
        waitReporter.answered();
        log.info({}, 'the gateway knows the installation');
        return;
      }
    } catch (cause) {
      log.debug({ cause }, 'nobody answers for the installation yet');
    }
    await new Promise<void>((resume) => clock.after(SALT_PAUSE_MS, resume));
  }
}

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
    name: 'recado-gateway',
    version: VERSION,
    description: 'The public HTTP API.',
    processId,
    metadata: { port: String(port), pid: String(process.pid) },
    statistics: () => ({ connected: bus.connected() }),
    metrics: () => metrics.text(),
  });
}

async function run(config: RoleConfig): Promise<void> {
  const log = createLog({ level: config.logLevel, role: 'gateway' });
  exitOnFault(log);
  const bus = new LazyBus();
  const clock = systemClock;
  const processId = config.processId ?? freshId('gateway');
  const metrics = createMetrics(processId);
  exposeMetrics(config, metrics, log);
  const loadShedder = new LoadShedder(clock);
  const gateway: Gateway = {
    bus: trackedBus(bus, loadShedder),
    clock,
    log,
    metrics,
    installation: new Installation(clock),
    keys: new GenerationalCache(KNOWN_KEYS_MAX),
    lookUps: new Map(),
    throttle: new Throttle(clock),
    bodies: bodyBudgets(),
    loadShedder,
    streamLimiter: new StreamLimiter(clock),
    freshId,
    document: buildDocument(ROUTES, config.publicUrl, config.eventHeaderPrefix),
  };
  const server = startServer(gateway, { host: config.host, port: config.port });
  stopOnSignal({ log, exitMs: EXIT_MS, message: 'the gateway stops' }, async () => {
    await server.stop();
    await bus.close();
  });
  collectWhenIdle({ onCollected: (collected) => log.debug({ ...collected }, 'collected at rest') });
  log.info({ host: config.host, port: server.port }, LOG_EVENT.gatewayListens);
  const { natsUrl } = config;
  const real = await connectBus({ natsUrl, clock, log, processId, metrics });
  bus.connect(real);
  await registerGateway(real, { processId, port: server.port, metrics });
  await learnInstallation(gateway, natsUrl);
}

await run(roleConfigOrExit());
