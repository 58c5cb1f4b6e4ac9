/** Becomes a server of the cluster: its argument is the file of its configuration. */
import { NATS_SERVER_BINARY } from '../../../../infra/programs/service/nats-server/server.ts';

process.execve?.(NATS_SERVER_BINARY, [NATS_SERVER_BINARY, '--config', process.argv[2] ?? ''], {
  PATH: process.env.PATH ?? '',
});
