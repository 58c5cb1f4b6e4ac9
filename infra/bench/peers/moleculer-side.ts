/**
 * Moleculer's side: the peer of `accept`, whose worker also sends and tells the subscriber. It has
 * the service's NATS server and MongoDB engine, so their processor time is its own.
 */
import { freePort } from '../../programs/service/supervisor/ports.ts';
import { TOKEN } from '../accept/organization.ts';
import { PEER_FOLDER } from '../accept/peer-side.ts';
import { bodyTo } from './network.ts';
import type { PeerSide, Stage } from './sides.ts';

export async function moleculerSide(stage: Stage): Promise<PeerSide> {
  const { context, service, subscribers, numbers } = stage;
  const { children } = context;
  const { natsUrl, mongodbUrl, sandboxUrl } = service.run();
  const port = await freePort('127.0.0.1');
  const [subscriber = ''] = subscribers.prompt;
  const env = { NATS_URL: natsUrl, RECADO_SANDBOX_URL: sandboxUrl };
  const program = `${PEER_FOLDER}/worker.mjs`;
  const args = [program, mongodbUrl, TOKEN, subscriber, JSON.stringify(numbers)];
  const work = () => children.start({ args, readyOutput: 'working', env });
  let worker = await work();
  const gateway = await children.start({
    args: [`${PEER_FOLDER}/gateway.mjs`, mongodbUrl, String(port)],
    readyOutput: 'listening',
    env,
  });
  return {
    name: 'moleculer',
    load: {
      port,
      path: '/api/v1/messages',
      token: TOKEN,
      bodies: Object.keys(numbers).map(bodyTo),
    },
    pids() {
      const { nats = [], mongo = [] } = service.run().pids;
      return { nats, mongo, worker: [worker.pid], gateway: [gateway.pid] };
    },
    honoursKeys: false,
    readsReceipts: false,
    victim: 'worker',
    async kill() {
      process.kill(worker.pid, 'SIGKILL');
      worker = await work();
    },
  };
}
