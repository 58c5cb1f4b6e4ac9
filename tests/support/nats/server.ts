/** A NATS server as a process of the tests. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { NATS_SERVER_BINARY } from '../../../infra/programs/service/nats-server/server.ts';

export interface RunningServer {
  /** What it has said so far. */
  output(): string;
  stop(): Promise<void>;
}

/** @param configuration its file */
export function startNatsServer(configuration: string): RunningServer {
  const stdio = ['ignore', 'ignore', 'pipe'] as const;
  const child = spawn(NATS_SERVER_BINARY, ['--config', configuration], { stdio: [...stdio] });
  let said = '';
  child.stderr?.on('data', (chunk) => {
    said += chunk;
  });
  return {
    output: () => said,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}
