/**
 * Restate's side: its server as it starts by itself, one process of services, and calls at its
 * ingress that are answered when the invocation is durable. Its packages are no part of the
 * product: `npm run bench` installs them beside the program.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../child-processes.ts';
import { freePorts } from '../subscribers.ts';
import { until } from '../until.ts';
import { bodyTo } from './network.ts';
import type { PeerSide, Stage } from './sides.ts';

const FOLDER = join('infra', 'bench', 'restate');
const SERVER = `@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`;
const EXECUTABLE = join(ROOT, FOLDER, 'node_modules', SERVER);

export function restateIsInstalled(): boolean {
  return existsSync(EXECUTABLE);
}

export async function restateSide(stage: Stage): Promise<PeerSide> {
  const { context, service, subscribers, numbers } = stage;
  const [ingress = 0, admin = 0, fabric = 0, port = 0] = await freePorts(4);
  const server = await context.children.start({
    executable: EXECUTABLE,
    args: [],
    readyOutput: 'Admin API starting',
    env: {
      RESTATE_BASE_DIR: join(context.folder, 'restate'),
      RESTATE_LISTEN_MODE: 'tcp',
      RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
      RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
      RESTATE_BIND_ADDRESS: `127.0.0.1:${fabric}`,
      DO_NOT_TRACK: '1',
      // A killed process of services is a warning for each invocation.
      RESTATE_LOG_FILTER: 'error,octocrab=off,restate_admin=info',
    },
  });
  const serve = () =>
    context.children.start({
      args: [
        `${FOLDER}/service.mjs`,
        String(port),
        subscribers.prompt[0] ?? '',
        JSON.stringify(numbers),
      ],
      readyOutput: 'serving',
      env: { RECADO_SANDBOX_URL: service.run().sandboxUrl },
    });
  let services = await serve();
  const register = async () => {
    const body = JSON.stringify({ uri: `http://127.0.0.1:${port}` });
    const headers = { 'content-type': 'application/json' };
    const url = `http://127.0.0.1:${admin}/deployments`;
    return fetch(url, { method: 'POST', headers, body }).then(
      ({ ok }) => ok,
      () => false,
    );
  };
  await until(register, 'Restate knows its services');
  return {
    name: 'restate',
    load: {
      port: ingress,
      path: '/Conversation/{phone}/send/send',
      token: 'none',
      bodies: Object.keys(numbers).map(bodyTo),
      acceptedStatus: 202,
    },
    pids: () => ({ server: [server.pid], services: [services.pid] }),
    honoursKeys: true,
    readsReceipts: false,
    victim: 'services',
    async kill() {
      process.kill(services.pid, 'SIGKILL');
      services = await serve();
    },
  };
}
