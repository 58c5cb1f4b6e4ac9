/** One attempt to reach a NATS server. */
import { connect } from 'nats';
import type { NatsSettings } from './access.ts';
import { connectionOptions } from './connection-options.ts';
import { translated } from './failure.ts';

/** @throws why it cannot be reached */
export async function probeNats(settings: NatsSettings, timeoutMs: number): Promise<void> {
  const options = {
    ...connectionOptions(settings),
    reconnect: false,
    timeout: timeoutMs,
  };
  const connection = await translated(connect(options));
  await connection.close();
}
