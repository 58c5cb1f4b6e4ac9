/** The log of a process: JSON lines on standard output, one wide line per thing that happened. */
import { pino } from 'pino';
import type { Log } from '../../shared/ports.ts';

/** Bodies, phones and keys are not logged at all; this is the net under that rule. */
const REDACTED = [
  'authorization',
  'apiKey',
  'accessToken',
  'appSecret',
  'verifyToken',
  'webhookSecret',
  'secret',
  'secrets',
  'secretsKey',
  'token',
  'password',
  'mongodbUrl',
  'natsUrl',
  'smtpUrl',
];

/**
 * A log at a pino level whose lines all carry the role.
 * @param options `level` a pino level, `role` the process's role in the Procfile
 */
export function createLog(options: { readonly level: string; readonly role: string }): Log {
  const paths = REDACTED.flatMap((name) => [name, `*.${name}`]);
  const logger = pino({
    level: options.level,
    base: { role: options.role, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      paths: [...paths, '["x-api-key"]', '*["x-api-key"]', 'headers.authorization'],
      censor: '[hidden]',
    },
    serializers: { error: pino.stdSerializers.err, cause: pino.stdSerializers.err },
  });
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
  };
}
