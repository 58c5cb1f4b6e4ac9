/** One more gateway beside those of a stack, at an address of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import * as v from 'valibot';
import { LOG_EVENT } from '../../shared/log-events.ts';
import { type Api, apiOf } from './api.ts';
import { COMPILE_CACHE } from './compile-cache.ts';
import type { Stack } from './stack.ts';
import { waitFor } from './wait-for.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const Listening = v.object({ msg: v.literal(LOG_EVENT.gatewayListens), port: v.number() });

export interface SecondGateway extends Api {
  stop(): Promise<void>;
}

export async function startSecondGateway(stack: Stack): Promise<SecondGateway> {
  const { natsUrl, mongodbUrl } = stack.runFile();
  const child = spawn(process.execPath, ['gateway/main.ts'], {
    cwd: ROOT,
    env: {
      ...COMPILE_CACHE,
      PATH: '/usr/bin:/bin',
      PORT: '0',
      NATS_URL: natsUrl,
      MONGODB_URL: mongodbUrl,
      SECRETS_KEY: readFileSync(join(stack.dataDir, 'secrets.key'), 'utf8').trim(),
      DATA_DIR: stack.dataDir,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };
  try {
    const { promise, resolve: listens, reject } = Promise.withResolvers<number>();
    child.once('exit', () => reject(new Error('the second gateway has ended')));
    createInterface(child.stdout).on('line', (line) => {
      const said = v.safeParse(v.pipe(v.string(), v.parseJson(), Listening), line);
      if (said.success) listens(said.output.port);
    });
    const baseUrl = `http://127.0.0.1:${await promise}`;
    const isReady = async () => (await fetch(`${baseUrl}/readyz`)).status === 200;
    await waitFor(isReady, { what: 'the second gateway is ready' });
    return { ...apiOf(baseUrl), stop };
  } catch (cause) {
    await stop();
    throw new Error('the second gateway did not start', { cause });
  }
}
