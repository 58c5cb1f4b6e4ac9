/** One attempt to reach a NATS server. */
import { connect } from 'nats';
import { natsAccess } from './access.ts';
import { translated } from './failure.ts';

/** @throws why it cannot be reached */
export async function probeNats(natsUrl: string, timeoutMs: number): Promise<void> {
  const options = { ...natsAccess(natsUrl), reconnect: false, timeout: timeoutMs };
  const connection = await translated(connect(options));
  await connection.close();
}
