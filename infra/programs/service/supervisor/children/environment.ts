/**
 * Environment of the roles: the operator's settings, completed by the supervisor's resolved ones.
 */
import { type Environment, withoutSettings } from '../../../../config/config.ts';
import { SECRET_SETTINGS, type SettingName, STORE_SETTINGS } from '../../../../config/settings.ts';

export interface Resolved {
  readonly port: number;
  /** 0 where no panel runs. */
  readonly panelPort: number;
  readonly natsPort: number;
  readonly sandboxPort: number;
  readonly metricsPort: number;
  readonly natsUrl: string;
  readonly mongodbUrl: string;
  readonly sandboxUrl: string;
  /** Absolute. */
  readonly dataDir: string;
  /** Absolute: its key, unless SECRETS_KEY is given; the actors make it at the first start. */
  readonly secretsKeyFile: string;
}

/** Secrets that a role works with, and their places. A role that is not ours gets all. */
const SECRETS_OF: Readonly<Record<string, readonly SettingName[]>> = {
  gateway: ['NATS_URL', 'NATS_CREDS_FILE'],
  panel: ['NATS_URL', 'NATS_CREDS_FILE', 'SMTP_URL'],
  nats: ['NATS_URL'],
  mongo: [],
  sandbox: ['NATS_URL', 'NATS_CREDS_FILE', 'RECADO_SANDBOX_URL'],
};

/** What a role gets of the environment: a stolen process gives away no more than it needs. */
export function environmentOf(role: string, env: Environment): Environment {
  const needed = SECRETS_OF[role];
  if (needed === undefined) return env;
  const secrets: SettingName[] = [...SECRET_SETTINGS, ...STORE_SETTINGS, 'NATS_CREDS_FILE'];
  return withoutSettings(
    env,
    secrets.filter((name) => !needed.includes(name)),
  );
}

/** The environment of the children, `environmentOf` each; `RECADO_PROCESS_ID` is added at each start. */
export function childEnvironment(given: Environment, resolved: Resolved): Environment {
  const loopback = given.EVENTS_TO_LOOPBACK;
  return {
    ...given,
    PORT: String(resolved.port),
    PANEL_PORT: String(resolved.panelPort),
    DATA_DIR: resolved.dataDir,
    NATS_PORT: String(resolved.natsPort),
    SANDBOX_PORT: String(resolved.sandboxPort),
    METRICS_PORT: String(resolved.metricsPort),
    NATS_URL: resolved.natsUrl,
    MONGODB_URL: resolved.mongodbUrl,
    RECADO_SANDBOX_URL: resolved.sandboxUrl,
    RECADO_SECRETS_KEY_FILE: resolved.secretsKeyFile,
    // Names are resolved on these threads; with Node.js's four, four slow ones delay all others.
    UV_THREADPOOL_SIZE: given.UV_THREADPOOL_SIZE ?? '24',
    // uWebSockets.js refuses longer heads with a page of its own; its default is 4 KiB.
    UWS_HTTP_MAX_HEADERS_SIZE: given.UWS_HTTP_MAX_HEADERS_SIZE ?? '16384',
    // One machine, one developer: their subscriber is on the loopback too.
    EVENTS_TO_LOOPBACK: loopback === undefined || loopback.trim() === '' ? 'true' : loopback,
  };
}
