/** One more gateway or panel beside those of a stack, at an address of its own. */
import assert from 'node:assert/strict';
import * as v from 'valibot';
import { LOG_EVENT } from '../../shared/log-events.ts';
import { type Api, apiOf } from './api.ts';
import { launch } from './launch.ts';
import type { Stack } from './stack.ts';

const Listening = v.object({ msg: v.literal(LOG_EVENT.gatewayListens), port: v.number() });

export interface SecondGateway extends Api {
  readonly baseUrl: string;
  stop(): Promise<void>;
}

export async function startSecondGateway(
  stack: Stack,
  settings: Readonly<Record<string, string>> = {},
): Promise<SecondGateway> {
  const { url, stop } = await startBeside(stack, 'gateway/main.ts', { PORT: '0', ...settings });
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
  const { natsUrl } = stack.runFile();
  const beside = launch([program], {
    NATS_URL: natsUrl,
    DATA_DIR: stack.dataDir,
    ...settings,
  });
  const stop = async (): Promise<void> => {
    assert.equal(await beside.stop(), 0, beside.output());
  };
  try {
    const port = await beside.until(() => portIn(beside.output()), `the second ${program} listens`);
    const url = `http://127.0.0.1:${port}`;
    const isReady = async () => (await fetch(`${url}/readyz`)).status === 200;
    await beside.until(isReady, `the second ${program} is ready`);
    return { url, signal: (name) => void beside.process.kill(name), stop };
  } catch (cause) {
    await beside.stop();
    throw cause;
  }
}

function portIn(output: string): number | undefined {
  for (const line of output.split('\n')) {
    const said = v.safeParse(v.pipe(v.string(), v.parseJson(), Listening), line);
    if (said.success) return said.output.port;
  }
  return undefined;
}
