/**
 * Becomes the NATS server: the process is replaced, so that the pid which was started is the
 * server's own and no wrapper stays in between.
 */
import { existsSync } from 'node:fs';
import { natsAccess } from '../../../adapters/nats/access.ts';
import { configOrExit } from '../../../config/process-config.ts';
import {
  NATS_DEFAULT_PORT,
  NATS_SERVER_BINARY,
  natsServerArguments,
  natsServerEnvironment,
} from './server.ts';

const config = configOrExit();
if (!existsSync(NATS_SERVER_BINARY) || process.execve === undefined) {
  process.stderr.write('There is no embedded NATS server here; set NATS_URL.\n');
  process.exit(1);
}
const { token } = natsAccess(config.natsUrl ?? '');
if (!token) {
  process.stderr.write('The embedded NATS server takes its token from NATS_URL=nats://TOKEN@…\n');
  process.exit(1);
}
const args = natsServerArguments(config.natsPort ?? NATS_DEFAULT_PORT);
process.execve(NATS_SERVER_BINARY, [NATS_SERVER_BINARY, ...args], natsServerEnvironment(token));
