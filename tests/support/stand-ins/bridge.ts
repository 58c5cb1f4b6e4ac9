/** A bare server in the place of the QR bridge, answered by the test, with the real driver. */
import { systemClock } from '../../../infra/adapters/clock/clock.ts';
import { createNetworks } from '../../../infra/adapters/network/networks.ts';
import type { NetworkDriver } from '../../../shared/ports/network.ts';
import { channelOf } from '../infra/adapters/network/network-fixture.ts';
import { useForEach, useUntil } from '../test-hooks.ts';
import { record } from './server.ts';

export interface BridgeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>> | null;
}

export interface BridgeAnswer {
  readonly status: number;
  /** Null is an empty body; a Buffer a file. */
  readonly body: unknown;
}

/** The answer to a request; undefined is the router's 404. */
export type BridgeAnswers = (request: BridgeRequest) => BridgeAnswer | undefined;

export interface Bridge {
  readonly url: string;
  readonly driver: NetworkDriver;
  readonly channel: ReturnType<typeof channelOf>;
  readonly requests: BridgeRequest[];
  answers: BridgeAnswers;
  close(): Promise<void>;
}

async function startBridge(): Promise<Bridge> {
  const { url, close } = await record(({ method, path: target, bytes }) => {
    const { pathname, searchParams } = new URL(target, 'http://bridge');
    const path = decodeURIComponent(pathname);
    const query = Object.fromEntries(searchParams);
    const body = bytes.length === 0 ? null : JSON.parse(bytes.toString('utf8'));
    const request = { method, path, query, body };
    bridge.requests.push(request);
    const unknown = { message: `Cannot ${method} ${path}`, statusCode: 404 };
    const answer = bridge.answers(request) ?? { status: 404, body: unknown };
    return { status: answer.status, body: bytesOf(answer.body) };
  });
  const networks = createNetworks({
    clock: systemClock,
    resolveBaseUrl: (baseUrl) => baseUrl ?? '',
  });
  const bridge: Bridge = {
    url,
    driver: networks.driver('web'),
    channel: channelOf('web', { baseUrl: url }),
    requests: [],
    answers: () => undefined,
    async close() {
      await networks.close();
      await close();
    },
  };
  return bridge;
}

/** One for the tests of a file or a suite, or another one for each of them. */
export function useBridge(which: 'each test' | 'the suite'): Bridge {
  const use = which === 'each test' ? useForEach : useUntil;
  return use(startBridge, (bridge) => bridge.close());
}

function bytesOf(body: unknown): string | Uint8Array {
  if (Buffer.isBuffer(body)) return body;
  return body === null ? '' : JSON.stringify(body);
}

export function ok(body: unknown): BridgeAnswer {
  return { status: 200, body };
}
