/**
 * Check of the NATS server: whether it is reachable, new enough, and accepts messages of our size.
 */
import { connect, type NatsConnection } from 'nats';
import type { DoctorRow } from '../../../../shared/panel/operation.ts';
import type { NatsSettings } from '../../../adapters/nats/access.ts';
import { connectionOptions } from '../../../adapters/nats/connection-options.ts';
import { failed, msSince, passed, sentenceOf, TIMEOUT_MS } from './check.ts';

const NAME = 'nats';
const OLDEST = [2, 9] as const;
/** The largest published message, with room for its headers. */
const PAYLOAD_MIN_BYTES = 800 * 1024;

export async function checkNats(settings: NatsSettings | null): Promise<DoctorRow> {
  if (settings === null) {
    const detail = { code: 'noService', params: { setting: 'NATS_URL' } } as const;
    return failed(NAME, [detail], { code: 'runStart', params: {} });
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
    const params = { text: sentenceOf(cause) };
    const remedy = { code: 'startNats', params: {} } as const;
    return failed(NAME, [{ code: 'unreachable', params }], remedy);
  }
}

async function inspect(connection: NatsConnection): Promise<DoctorRow> {
  const startedAt = performance.now();
  await connection.flush();
  const roundTripMs = msSince(startedAt);
  const version = connection.info?.version ?? '0';
  const maxPayload = connection.info?.max_payload ?? 0;
  const params = { version, roundTripMs, maxPayload };
  const detail = { code: 'natsServer', params } as const;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
    const oldest = OLDEST.join('.');
    return failed(NAME, [detail], { code: 'natsTooOld', params: { oldest } });
  }
  if (maxPayload < PAYLOAD_MIN_BYTES) {
    const minBytes = PAYLOAD_MIN_BYTES;
    return failed(NAME, [detail], { code: 'payloadTooSmall', params: { minBytes } });
  }
  return passed(NAME, detail);
}
