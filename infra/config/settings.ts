/**
 * Table of every setting of Recado: its schema, its description for error messages, and whether it
 * is a secret. Each process validates its environment against this table at its start.
 */
import * as v from 'valibot';
import { ACTOR_KINDS } from '../../shared/vocabulary.ts';
import {
  booleanSetting,
  formation,
  headerPrefix,
  hostsWithPorts,
  httpOrigin,
  httpUrl,
  integerBetween,
  listOf,
  natsUrls,
  networks,
  retrySchedule,
  secretsKey,
  urlOf,
} from './value-schemas.ts';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const CALLS_MAX = 1_000_000_000;
const PORT_MAX = 65_535;

const port = integerBetween(1, PORT_MAX);
const calls = integerBetween(1, CALLS_MAX);
const text = v.pipe(v.string(), v.minLength(1));

const WEIGHT_MAX = 100;
const STREAM_WAITING_LIMIT = 10_000_000;

/** One schema for the whole environment; empty variables are removed before. */
export const SettingsSchema = v.object({
  PORT: v.optional(integerBetween(0, PORT_MAX), '8080'),
  HOST: v.optional(text, '127.0.0.1'),
  DATA_DIR: v.optional(text, './data'),
  MONGODB_URL: v.optional(urlOf('mongodb:', 'mongodb+srv:')),
  NATS_URL: v.optional(natsUrls),
  NATS_CA_FILE: v.optional(text),
  NATS_CREDS_FILE: v.optional(text),
  NATS_PREFIX: v.optional(v.pipe(text, v.regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/)), 'recado'),
  PUBLIC_URL: v.optional(httpUrl),
  PANEL_PORT: v.optional(integerBetween(0, PORT_MAX)),
  PANEL_PUBLIC_URL: v.optional(httpOrigin),
  PANEL_TRUSTED_PROXIES: v.optional(networks, ''),
  SMTP_URL: v.optional(urlOf('smtp:', 'smtps:')),
  MAIL_FROM: v.optional(v.pipe(text, v.regex(/^[^\r\n]*\S+@\S+[^\r\n]*$/)), 'recado@localhost'),
  SECRETS_KEY: v.optional(secretsKey),
  SECRETS_KEY_LOST: v.optional(v.pipe(text, v.regex(/^[0-9a-f]{8}$/))),
  EVENT_HEADER_PREFIX: v.optional(headerPrefix, 'X-Service'),
  EVENT_RETRY_SCHEDULE: v.optional(retrySchedule, '10s,1m,5m,30m,2h,8h'),
  PRIVATE_NETWORK_ALLOW: v.optional(hostsWithPorts, ''),
  EVENTS_TO_LOOPBACK: v.optional(booleanSetting, 'false'),
  STREAM_WAITING_MAX: v.optional(integerBetween(1, STREAM_WAITING_LIMIT), '100000'),
  RATE_LIMIT_KEY: v.optional(calls, '120'),
  RATE_LIMIT_ORG: v.optional(calls, '600'),
  LOG_LEVEL: v.optional(v.picklist(LOG_LEVELS), 'info'),
  FORMATION: v.optional(formation, 'gateway=1,actors=1,panel=1'),
  SANDBOX_PORT: v.optional(port),
  NATS_PORT: v.optional(port),
  METRICS_PORT: v.optional(port),
  METRICS_HOST: v.optional(text, '127.0.0.1'),
  ACTORS: v.optional(listOf(ACTOR_KINDS), ACTOR_KINDS.join(',')),
  ACTORS_WEIGHT: v.optional(integerBetween(1, WEIGHT_MAX), '1'),
  RECADO_SANDBOX_URL: v.optional(httpUrl),
  RECADO_SECRETS_KEY_FILE: v.optional(text),
  RECADO_PROCESS_ID: v.optional(v.pipe(text, v.regex(/^[A-Za-z0-9_-]{1,64}$/))),
});

export type Settings = v.InferOutput<typeof SettingsSchema>;
export type SettingName = keyof Settings;

const PORT_DESCRIPTION = `a port, a whole number from 1 to ${PORT_MAX}`;
const CALLS_DESCRIPTION = `calls per 60 s, a whole number from 1 to ${CALLS_MAX}`;

/** The accepted values of a setting, to be read after "NAME takes". */
export const SETTING_DESCRIPTIONS: Readonly<Record<SettingName, string>> = {
  PORT: `a whole number from 0 to ${PORT_MAX} (0: a free port)`,
  HOST: 'the address to listen on, such as 127.0.0.1',
  DATA_DIR: 'a folder',
  MONGODB_URL: 'a mongodb:// or mongodb+srv:// address',
  NATS_URL:
    'one or more nats:// or tls:// addresses with the same TOKEN@ or user:password@, comma-separated',
  NATS_CA_FILE: 'a file of PEM certificates',
  NATS_CREDS_FILE: "a file of a NATS user's token and seed (.creds)",
  NATS_PREFIX: 'at most 32 letters, digits, hyphens and underscores, a letter or digit first',
  PUBLIC_URL: 'an http:// or https:// address',
  PANEL_PORT: `a whole number from 0 to ${PORT_MAX} (0: a free port)`,
  PANEL_PUBLIC_URL: 'an http:// or https:// address without a path',
  PANEL_TRUSTED_PROXIES: 'networks such as 10.0.0.0/8, comma-separated',
  SMTP_URL: 'an smtp:// or smtps:// address',
  MAIL_FROM: 'an e-mail address',
  SECRETS_KEY: '32 bytes in base64',
  SECRETS_KEY_LOST: 'the 8 hexadecimal digits that the refusal of the key names',
  EVENT_HEADER_PREFIX: 'a header name of at most 40 letters, digits and hyphens',
  EVENT_RETRY_SCHEDULE:
    'six waits that never shrink, comma-separated, in ms, s, m or h, such as 10s,1m,5m,30m,2h,8h',
  PRIVATE_NETWORK_ALLOW: 'host:port pairs, comma-separated',
  EVENTS_TO_LOOPBACK: 'true or false',
  STREAM_WAITING_MAX: `a whole number from 1 to ${STREAM_WAITING_LIMIT}`,
  RATE_LIMIT_KEY: CALLS_DESCRIPTION,
  RATE_LIMIT_ORG: CALLS_DESCRIPTION,
  LOG_LEVEL: `one of ${LOG_LEVELS.join(', ')}`,
  FORMATION: 'how many processes per role (0 to 64), such as gateway=2,actors=2',
  SANDBOX_PORT: PORT_DESCRIPTION,
  NATS_PORT: PORT_DESCRIPTION,
  METRICS_PORT: PORT_DESCRIPTION,
  METRICS_HOST: 'the address to serve metrics on, such as 127.0.0.1',
  ACTORS: `one or more of ${ACTOR_KINDS.join(', ')}, comma-separated`,
  ACTORS_WEIGHT: `a whole number from 1 to ${WEIGHT_MAX}`,
  RECADO_SANDBOX_URL: 'an http:// or https:// address',
  RECADO_SECRETS_KEY_FILE: 'a file',
  RECADO_PROCESS_ID: 'at most 64 letters, digits, hyphens and underscores',
};

/** Of the store and its secrets: a role in front of the actors neither gets nor takes them. */
export const STORE_SETTINGS = [
  'MONGODB_URL',
  'SECRETS_KEY',
  'SECRETS_KEY_LOST',
  'RECADO_SECRETS_KEY_FILE',
] as const satisfies readonly SettingName[];

/** Settings whose value, or part of it, is a secret: never written to a log or an error. */
export const SECRET_SETTINGS: ReadonlySet<SettingName> = new Set([
  'MONGODB_URL',
  'NATS_URL',
  'SMTP_URL',
  'SECRETS_KEY',
  'RECADO_SANDBOX_URL',
]);
