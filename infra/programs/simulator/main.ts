/** The simulator's process: settings, log, bus, server, and a clean end. */
import { randomUUID } from 'node:crypto';
import { systemClock } from '../../adapters/clock/clock.ts';
import { createLog } from '../../adapters/log/log.ts';
import { natsSettings } from '../../adapters/nats/access.ts';
import { connectBus } from '../../adapters/nats/bus.ts';
import { configOrExit } from '../../config/process-config.ts';
import { parseChannels, type SimulatedChannel } from './network/channels.ts';
import { startSimulator } from './simulator.ts';
import { tokenOf } from './token.ts';

const PULL_TIMEOUT_MS = 2_000;
const CHANNELS = 'sandbox-channels';

const config = configOrExit();
const token = tokenOf(config.sandboxUrl);
if (token === null) {
  process.stderr.write('The simulator takes its token from RECADO_SANDBOX_URL=http://…/TOKEN\n');
  process.exit(1);
}
const log = createLog({ level: config.logLevel, role: 'sandbox' });
const processId = config.processId ?? `sandbox-${randomUUID()}`;
const connecting =
  config.natsUrl === undefined
    ? null
    : connectBus({
        ...natsSettings({ ...config, natsUrl: config.natsUrl }),
        ...{ role: 'sandbox', clock: systemClock, log, processId },
      });

/** Asks any process of the service; without a bus there are no channels. */
async function pullChannels(): Promise<readonly SimulatedChannel[]> {
  if (connecting === null) return [];
  const bus = await connecting;
  const deadline = systemClock.now() + PULL_TIMEOUT_MS;
  const answer = await bus.query(CHANNELS, {}, { deadline });
  if (answer.status !== 200) throw new Error(`the channels were refused: ${answer.status}`);
  return parseChannels(answer.body);
}

const simulator = await startSimulator({
  clock: systemClock,
  log,
  token,
  channels: pullChannels,
  port: config.sandboxPort,
});
log.info({ port: simulator.port }, 'the networks simulator listens');

let ending = false;
async function end(): Promise<void> {
  if (ending) return;
  ending = true;
  await simulator.close();
  process.exit(0);
}
process.on('SIGTERM', () => void end());
process.on('SIGINT', () => void end());
