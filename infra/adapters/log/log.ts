/** The log of a process: JSON lines on standard output, one wide line per event. */
import { pino } from 'pino';
import type { Log } from '../../../shared/ports/log.ts';

/** Bodies, phones and keys are not logged at all; this is the net under that rule. */
const REDACTED: ReadonlySet<string> = new Set([
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
  'sandboxUrl',
  'smtpUrl',
  'x-api-key',
]);

/** The library writes at most 16 KiB at once. */
const BUFFER_BYTES = 12_288;
const FLUSH_AFTER_MS = 200;
/** Lines that wait for room; beyond it they are dropped. */
const RETAINED_MAX_BYTES = 1024 * 1024;

/**
 * A log at a pino level; every line has the role.
 * @param options `level` a pino level, `role` the process's role in the Procfile
 */
export function createLog(options: { readonly level: string; readonly role: string }): Log {
  // Lines of one moment are written at once, so that a line per request is affordable.
  const destination = pino.destination({
    dest: 1,
    sync: false,
    minLength: BUFFER_BYTES,
    maxLength: RETAINED_MAX_BYTES,
  });
  // A full disk accepts no lines, and must not end the process: the supervisor's terminal reports
  // it.
  destination.on('error', () => undefined);
  let flushing = false;
  const flushSoon = (): void => {
    if (flushing) return;
    flushing = true;
    // A process without lines is not woken.
    setTimeout(() => {
      flushing = false;
      destination.flush();
    }, FLUSH_AFTER_MS).unref();
  };
  const logger = pino(
    {
      level: options.level,
      base: { role: options.role, pid: process.pid },
      timestamp: pino.stdTimeFunctions.epochTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: pino.stdSerializers.err, cause: pino.stdSerializers.err },
    },
    destination,
  );
  process.on('exit', () => void flushAtLast(destination));
  const write = (level: 'debug' | 'info' | 'warn' | 'error') => {
    return (fields: Record<string, unknown>, message: string): void => {
      if (!logger.isLevelEnabled(level)) return;
      logger[level](withoutSecrets(fields), message);
      if (level === 'error') destination.flush();
      else flushSoon();
    };
  };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

/** False where there is no room for the last lines. */
function flushAtLast(destination: ReturnType<typeof pino.destination>): boolean {
  try {
    destination.flushSync();
    return true;
  } catch {
    return false;
  }
}

/** Copies only when there is a secret to hide: a line costs one check per name. */
function withoutSecrets(fields: Record<string, unknown>): Record<string, unknown> {
  for (const name in fields) {
    const value = fields[name];
    if (
      REDACTED.has(name) ||
      (isRecord(value) && Object.keys(value).some((k) => REDACTED.has(k)))
    ) {
      return hide(fields);
    }
  }
  return fields;
}

function hide(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      if (REDACTED.has(name)) return [name, '[hidden]'];
      return [name, isRecord(value) ? hide(value) : value];
    }),
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !(value instanceof Error);
}
