/**
 * The networks' simulator, outside of the service. A network does not forget its messages or its
 * channels when one of its machines is killed, so both are recorded. Arguments: the file of its
 * messages, the file of its channels.
 */
import { existsSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import * as v from 'valibot';
import { systemClock } from '../../../../infra/adapters/clock/clock.ts';
import { createLog } from '../../../../infra/adapters/log/log.ts';
import { natsSettings } from '../../../../infra/adapters/nats/access.ts';
import { connectBus } from '../../../../infra/adapters/nats/bus.ts';
import { configOrExit } from '../../../../infra/config/process-config.ts';
import { bareId } from '../../../../infra/programs/simulator/bridge/ids.ts';
import { parseChannels } from '../../../../infra/programs/simulator/network/channels.ts';
import { startSimulator } from '../../../../infra/programs/simulator/simulator.ts';
import { tokenOf } from '../../../../infra/programs/simulator/token.ts';
import { recordsFrom } from '../records.ts';
import { remember } from './bridge-memory.ts';
import { now } from './recorder.ts';

const PULL_TIMEOUT_MS = 2_000;
/** A receipt of either network; other entries have neither a status of a message nor an ack. */
const Receipt = v.object({
  id: v.string(),
  status: v.optional(v.string()),
  ack: v.optional(v.number()),
});

const [, , journalFile = '', channelsFile = ''] = process.argv;
const config = configOrExit();
const log = createLog({ level: config.logLevel, role: 'sandbox' });
const processId = config.processId ?? 'network';
const nats = natsSettings({ ...config, natsUrl: config.natsUrl ?? '' });
const earlier = existsSync(journalFile) ? recordsFrom(readFileSync(journalFile, 'utf8')) : [];
const journal = openSync(journalFile, 'a');
const connecting = connectBus({ ...nats, role: 'sandbox', clock: systemClock, log, processId });

function note(op: string, body: unknown): void {
  const recorded = { process: 'network', op, type: 'ok', t: now(), body };
  writeSync(journal, `${JSON.stringify(recorded)}\n`);
}

/** The last channels that were pulled: the simulator has pulled them before it takes anything. */
function sessionWith(channelId: string): string {
  const known = parseChannels(readFileSync(channelsFile, 'utf8'));
  return known.find((channel) => channel.channelId === channelId)?.network.session ?? '';
}

let knowsNone = true;

async function pullChannels() {
  // A number's token is as good right after a machine has come back as before.
  if (knowsNone && existsSync(channelsFile)) {
    knowsNone = false;
    return parseChannels(readFileSync(channelsFile, 'utf8'));
  }
  try {
    const bus = await Promise.race([connecting, null]);
    if (bus === null) return parseChannels(readFileSync(channelsFile, 'utf8'));
    const deadline = systemClock.now() + PULL_TIMEOUT_MS;
    const { status, body } = await bus.query('sandbox-channels', {}, { deadline });
    if (status !== 200) throw new Error(`the channels were refused: ${status}`);
    writeFileSync(channelsFile, body);
    return parseChannels(body);
  } catch (error) {
    log.warn({ error }, 'the channels of before are served');
    return parseChannels(readFileSync(channelsFile, 'utf8'));
  }
}

const sandbox = await startSimulator({
  clock: systemClock,
  log,
  token: tokenOf(config.sandboxUrl) ?? '',
  channels: pullChannels,
  port: config.sandboxPort,
  observer: {
    accepted: (sent, messageId) => {
      const { to, text, externalId, fullId, failed = null } = sent;
      if (fullId === undefined) note('network-accepted', { to, text, externalId, messageId });
      else note('bridge-accepted', { ...sent, session: sessionWith(sent.channel), failed });
    },
    wrote: (session, chat) => note('bridge-met', { session, chat }),
    taken: (entries) => {
      for (const entry of entries) {
        const { success, output } = v.safeParse(Receipt, JSON.parse(entry));
        const tells = success && (output.status !== undefined || output.ack !== undefined);
        if (tells) note('network-told', { externalId: bareId(output.id) });
      }
    },
  },
});
remember(sandbox.bridge, earlier);
const end = async () => {
  await sandbox.close();
  process.exit(0);
};
process.on('SIGTERM', () => void end());
process.on('disconnect', () => void end());
