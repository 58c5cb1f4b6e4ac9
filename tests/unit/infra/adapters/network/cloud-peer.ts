/** A bare server in the place of the Cloud API, answered by the test, with the real driver. */
import { createServer, type IncomingMessage } from 'node:http';
import { systemClock } from '../../../../../infra/adapters/clock/clock.ts';
import { createNetworks } from '../../../../../infra/adapters/network/networks.ts';
import type { NetworkDriver } from '../../../../../shared/ports/network.ts';
import { listen } from '../../../../support/infra/adapters/network/network-fixture.ts';

export interface PeerAnswer {
  readonly status: number;
  readonly body: string;
}

type Answer = (request: IncomingMessage, origin: string, body: string) => PeerAnswer;

/** Runs with a driver whose calls reach `answer`; leaves nothing behind. */
export async function withPeer<T>(
  answer: Answer,
  run: (driver: NetworkDriver, url: string) => Promise<T>,
): Promise<T> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { status, body } = answer(request, url, Buffer.concat(chunks).toString('utf8'));
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  const url = await listen(server);
  const networks = createNetworks({ clock: systemClock, resolveBaseUrl: () => url });
  try {
    return await run(networks.driver('cloud'), url);
  } finally {
    await networks.close();
    server.closeAllConnections();
    server.close();
  }
}
