/** One more gateway or panel beside those of a stack, at an address of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
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
  readonly baseUrl: string;
  stop(): Promise<void>;
}

export async function startSecondGateway(stack: Stack): Promise<SecondGateway> {
  const { url, stop } = await startBeside(stack, 'gateway/main.ts', { PORT: '0' });
  return { ...apiOf(url), baseUrl: url, stop };
}

export interface SecondPanel {
  readonly url: string;
  signal(name: NodeJS.Signals): void;
  stop(): Promise<void>;
}

export function startSecondPanel(stack: Stack): Promise<SecondPanel> {
  const settings = { PANEL_PORT: '0', PANEL_TRUSTED_PROXIES: '127.0.0.0/8' };
  return startBeside(stack, 'gateway/panel/main.ts', settings);
}

async function startBeside(
  stack: Stack,
  program: string,
  settings: Readonly<Record<string, string>>,
): Promise<SecondPanel> {
  const { natsUrl, mongodbUrl } = stack.runFile();
  const { args, env } = {
    args: [program],
    env: {
      ...COMPILE_CACHE,
      PATH: '/usr/bin:/bin',
      NATS_URL: natsUrl,
      MONGODB_URL: mongodbUrl,
      SECRETS_KEY: readFileSync(join(stack.dataDir, 'secrets.key'), 'utf8').trim(),
      DATA_DIR: stack.dataDir,
      ...settings,
    },
  };
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };
  try {
    const url = `http://127.0.0.1:${await portOf(child, program)}`;
    const isReady = async () => (await fetch(`${url}/readyz`)).status === 200;
    await waitFor(isReady, { what: `the second ${program} is ready` });
    return { url, signal: (name) => void child.kill(name), stop };
  } catch (cause) {
    await stop();
    throw new Error(`the second ${program} did not start`, { cause });
  }
}

function portOf(child: ChildProcess, program: string): Promise<number> {
  const { promise, resolve: listens, reject } = Promise.withResolvers<number>();
  child.once('exit', () => reject(new Error(`the second ${program} has ended`)));
  if (child.stdout) {
    createInterface(child.stdout).on('line', (line) => {
      const said = v.safeParse(v.pipe(v.string(), v.parseJson(), Listening), line);
      if (said.success) listens(said.output.port);
    });
  }
  return promise;
}
