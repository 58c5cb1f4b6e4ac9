/**
 * Check of the NATS server: whether it is reachable, new enough, and accepts messages of our size.
 */
import { connect, type NatsConnection } from 'nats';
import type { NatsSettings } from '../../../adapters/nats/access.ts';
import { connectionOptions } from '../../../adapters/nats/connection-options.ts';
import { type Check, fail, msSince, pass, sentenceOf, TIMEOUT_MS } from './check.ts';

const NAME = 'nats';
const OLDEST = [2, 9] as const;
/** The largest published message, with room for its headers. */
const PAYLOAD_MIN_BYTES = 800 * 1024;

export async function checkNats(settings: NatsSettings | null): Promise<Check> {
  if (settings === null) {
    return fail(NAME, 'No service runs here and NATS_URL is not set.', 'Run npm start.');
  }
  try {
    const connection = await connect({
      ...connectionOptions(settings),
      reconnect: false,
      timeout: TIMEOUT_MS,
    });
    try {
      return await inspect(connection);
    } finally {
      await connection.close();
    }
  } catch (cause) {
    return fail(
      NAME,
      `It cannot be reached: ${sentenceOf(cause)}.`,
      'Start the NATS server, or name a reachable one in NATS_URL.',
    );
  }
}

async function inspect(connection: NatsConnection): Promise<Check> {
  const startedAt = performance.now();
  await connection.flush();
  const ms = msSince(startedAt);
  const version = connection.info?.version ?? '0';
  const maxPayload = connection.info?.max_payload ?? 0;
  const detail = `version ${version}, round trip ${ms} ms, max_payload ${maxPayload}`;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
    return fail(NAME, detail, `Use a NATS server from ${OLDEST.join('.')} on.`);
  }
  if (maxPayload < PAYLOAD_MIN_BYTES) {
    return fail(NAME, detail, `Raise max_payload to ${PAYLOAD_MIN_BYTES} or more.`);
  }
  return pass(NAME, detail);
}
