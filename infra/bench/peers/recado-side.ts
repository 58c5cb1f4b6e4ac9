/** Recado's side: the whole service as it starts by itself, and one organization. */
import { travellers } from '../end-to-end/fixture.ts';
import { organizationsFile, tokenOf } from '../organization.ts';
import { until } from '../until.ts';
import { bodyTo } from './network.ts';
import { type PeerSide, REF, type Stage } from './sides.ts';

const VICTIM = 'actors';

export async function recadoSide({ service, subscribers }: Stage): Promise<PeerSide> {
  const [url = ''] = subscribers.prompt;
  const { orgs } = await service.apply(organizationsFile([travellers(REF, url)]));
  const channels = Object.values(orgs[REF]?.channels ?? {});
  return {
    name: 'recado',
    load: {
      port: Number(new URL(service.run().baseUrl).port),
      path: '/api/v1/messages',
      token: tokenOf(REF),
      bodies: channels.map(({ id }) => bodyTo(id)),
    },
    pids() {
      const { sandbox: _, ...own } = service.run().pids;
      return own;
    },
    honoursKeys: true,
    readsReceipts: true,
    victim: VICTIM,
    async kill() {
      const [pid = 0] = service.run().pids[VICTIM] ?? [];
      process.kill(pid, 'SIGKILL');
      const isReplaced = () => {
        const [now] = service.run().pids[VICTIM] ?? [];
        return Promise.resolve(now !== undefined && now !== pid);
      };
      await until(isReplaced, 'the actors process is replaced');
    },
  };
}
