/**
 * The resolved settings of a process. `loadConfig` is pure: it reads the environment it is given.
 * Every problem is reported at once, by setting name; a secret's value never appears.
 */
import { resolve } from 'node:path';
import * as v from 'valibot';
import type { ActorKind } from '../../shared/vocabulary.ts';
import {
  SECRET_SETTINGS,
  SETTING_DESCRIPTIONS,
  type SettingName,
  type Settings,
  SettingsSchema,
  STORE_SETTINGS,
} from './settings.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export const PORT_DEFAULT = 8_080;
/** Where the panel listens beside a gateway on the default port. */
export const PANEL_PORT_DEFAULT = 8_081;

export interface Config {
  /** The gateway's public port; 0 under the supervisor: a free one. */
  readonly port: number;
  readonly host: string;
  /** 0: a free one. */
  readonly panelPort: number;
  readonly panelPublicUrl: string | undefined;
  /** Where people reach the panel, without a trailing slash. */
  readonly panelUrl: string;
  /** Networks whose `X-Forwarded-For` the panel believes. */
  readonly panelTrustedProxies: readonly string[];
  /** Absolute. */
  readonly dataDir: string;
  readonly mongodbUrl: string | undefined;
  readonly natsUrl: string | undefined;
  /** Absolute, both. */
  readonly natsCaFile: string | undefined;
  readonly natsCredsFile: string | undefined;
  readonly natsPrefix: string;
  /** Without a trailing slash. */
  readonly publicUrl: string;
  readonly smtpUrl: string | undefined;
  readonly mailFrom: string;
  /** 32 bytes. */
  readonly secretsKey: Uint8Array | undefined;
  /** Names the lost key that this installation abandons. */
  readonly secretsKeyLost: string | undefined;
  readonly eventHeaderPrefix: string;
  /** The waits before the six retries, milliseconds. */
  readonly eventRetrySchedule: readonly number[];
  /** Lower-cased `host:port`. */
  readonly privateNetworkAllow: readonly string[];
  readonly eventsToLoopback: boolean;
  /** Events that may wait for one stream. */
  readonly streamWaitingMax: number;
  /** Calls per 60 s window. */
  readonly rateLimitKey: number;
  readonly rateLimitOrg: number;
  readonly logLevel: Settings['LOG_LEVEL'];
  readonly formation: {
    readonly gateway: number;
    readonly actors: number;
    readonly panel: number;
  };
  readonly sandboxPort: number | undefined;
  readonly natsPort: number | undefined;
  readonly metricsPort: number | undefined;
  /** Of a role started by itself; the supervisor's metrics are on the loopback. */
  readonly metricsHost: string;
  readonly actorKinds: readonly ActorKind[];
  readonly actorsWeight: number;
  /** The simulator's address, its token included; the supervisor sets it for the roles. */
  readonly sandboxUrl: string | undefined;
  /** File of the secrets' key of a supervised role without SECRETS_KEY. */
  readonly secretsKeyFile: string | undefined;
  /** Unique per child process: set by the supervisor. */
  readonly processId: string | undefined;
}

/** A role cannot run without these; the supervisor sets them for its children. */
export interface RoleConfig extends Config {
  readonly mongodbUrl: string;
  readonly natsUrl: string;
}

/** Of a gateway or a panel, whose machine callers reach: with it nobody reaches the store. */
export type FrontConfig = Omit<
  RoleConfig,
  'mongodbUrl' | 'secretsKey' | 'secretsKeyLost' | 'secretsKeyFile'
>;

/** One sentence per problem, each with its setting and the accepted values. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(problems.join('\n'), options);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** @throws {ConfigError} listing every setting that is wrong */
export function loadConfig(env: Environment): Config {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ''),
  );
  const parsed = v.safeParse(SettingsSchema, given);
  if (!parsed.success) throw new ConfigError(problemsOf(parsed.issues, given));
  return configOf(parsed.output);
}

/**
 * Like `loadConfig`, for a process that cannot run without NATS, MongoDB and the secrets' key.
 * @throws {ConfigError}
 */
export function loadRoleConfig(env: Environment): RoleConfig {
  const config = loadConfig(env);
  const { mongodbUrl, natsUrl } = config;
  const key = config.secretsKey ?? config.secretsKeyFile;
  if (mongodbUrl === undefined || natsUrl === undefined || key === undefined) {
    throw missing({ MONGODB_URL: mongodbUrl, NATS_URL: natsUrl, SECRETS_KEY: key });
  }
  return { ...config, mongodbUrl, natsUrl };
}

/**
 * Like `loadConfig`, for a role that needs NATS alone. Settings of the store are not looked at.
 * @throws {ConfigError}
 */
export function loadFrontConfig(env: Environment): FrontConfig {
  const { natsUrl, ...config } = loadConfig(withoutSettings(env, STORE_SETTINGS));
  if (natsUrl === undefined) throw missing({ NATS_URL: natsUrl });
  return { ...config, natsUrl };
}

export function withoutSettings(env: Environment, names: Iterable<SettingName>): Environment {
  const left: ReadonlySet<string> = new Set(names);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !left.has(name)));
}

/** @param needed the value of each setting that the role needs */
function missing(needed: Partial<Record<SettingName, unknown>>): ConfigError {
  const names = SETTING_NAMES.filter((name) => name in needed && !needed[name]);
  return new ConfigError(
    names.map(
      (name) => `${name} is missing; a role started by itself needs ${SETTING_DESCRIPTIONS[name]}.`,
    ),
  );
}

/** The settings as they may be logged: secrets are replaced, the rest as resolved. */
export function describeConfig(config: Config): Record<string, unknown> {
  const hidden = ['mongodbUrl', 'natsUrl', 'sandboxUrl', 'smtpUrl', 'secretsKey'];
  return Object.fromEntries(
    Object.entries(config)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, hidden.includes(name) ? '[hidden]' : value]),
  );
}

const SETTING_NAMES = Object.keys(SettingsSchema.entries).filter(isSettingName);

function isSettingName(name: string): name is SettingName {
  return name in SettingsSchema.entries;
}

function problemsOf(
  issues: readonly v.BaseIssue<unknown>[],
  given: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const wrong = new Set(issues.map((issue) => String(issue.path?.[0]?.key)));
  return SETTING_NAMES.filter((name) => wrong.has(name)).map((name) => {
    const value = SECRET_SETTINGS.has(name) ? 'its present value' : JSON.stringify(given[name]);
    return `${name} takes ${SETTING_DESCRIPTIONS[name]}, not ${value}.`;
  });
}

function configOf(settings: Settings): Config {
  const host = settings.HOST.includes(':') ? `[${settings.HOST}]` : settings.HOST;
  const panelPort = settings.PANEL_PORT ?? 0;
  return {
    port: settings.PORT,
    host: settings.HOST,
    panelPort,
    panelUrl: settings.PANEL_PUBLIC_URL ?? `http://${host}:${panelPort || PANEL_PORT_DEFAULT}`,
    panelPublicUrl: settings.PANEL_PUBLIC_URL,
    panelTrustedProxies: settings.PANEL_TRUSTED_PROXIES,
    dataDir: resolve(settings.DATA_DIR),
    mongodbUrl: settings.MONGODB_URL,
    natsUrl: settings.NATS_URL,
    natsCaFile: settings.NATS_CA_FILE && resolve(settings.NATS_CA_FILE),
    natsCredsFile: settings.NATS_CREDS_FILE && resolve(settings.NATS_CREDS_FILE),
    natsPrefix: settings.NATS_PREFIX,
    publicUrl: settings.PUBLIC_URL ?? `http://${host}:${settings.PORT}`,
    smtpUrl: settings.SMTP_URL,
    mailFrom: settings.MAIL_FROM,
    secretsKey: settings.SECRETS_KEY,
    secretsKeyLost: settings.SECRETS_KEY_LOST,
    eventHeaderPrefix: settings.EVENT_HEADER_PREFIX,
    eventRetrySchedule: settings.EVENT_RETRY_SCHEDULE,
    privateNetworkAllow: settings.PRIVATE_NETWORK_ALLOW,
    eventsToLoopback: settings.EVENTS_TO_LOOPBACK,
    streamWaitingMax: settings.STREAM_WAITING_MAX,
    rateLimitKey: settings.RATE_LIMIT_KEY,
    rateLimitOrg: settings.RATE_LIMIT_ORG,
    logLevel: settings.LOG_LEVEL,
    formation: settings.FORMATION,
    sandboxPort: settings.SANDBOX_PORT,
    natsPort: settings.NATS_PORT,
    metricsPort: settings.METRICS_PORT,
    metricsHost: settings.METRICS_HOST,
    actorKinds: settings.ACTORS,
    actorsWeight: settings.ACTORS_WEIGHT,
    sandboxUrl: settings.RECADO_SANDBOX_URL,
    secretsKeyFile: settings.RECADO_SECRETS_KEY_FILE,
    processId: settings.RECADO_PROCESS_ID,
  };
}
