/**
 * The networks' simulator: one HTTP server that speaks Meta's Graph API (`/v26.0/…`), the QR
 * bridge's API (`/api/…`) and the control interface (`/control…`). It keeps no state over a
 * restart.
 *
 * Every path begins with the token of the start; without it no request is served. Only a file is
 * also served without it, for the key of its channel: its address is written into webhooks.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Log } from '../../../shared/ports/log.ts';
import { createServer } from '../../adapters/http/http.ts';
import { sameSecret } from '../../adapters/network/webhook-body.ts';
import { serveBridge } from './bridge/calls/api.ts';
import { parseGraphPath, serveGraph, serveMediaBytes } from './cloud/graph/api.ts';
import { unknownPath } from './cloud/schema/errors.ts';
import { serveControl } from './control/control.ts';
import type { Exchange } from './http/exchange.ts';
import { respond, respondJson } from './http/exchange.ts';
import type { PullChannels } from './network/channels.ts';
import {
  createSimulatorState,
  type SimulatorObserver,
  type SimulatorState,
} from './state/simulator-state.ts';
import { DEFAULT_DELAYS, type ReceiptDelays } from './webhooks/receipts.ts';

/** Longer than any client keeps a connection idle, so that the client is the one to close it. */
const KEEP_ALIVE_MS = 65_000;

export interface SimulatorOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** The first segment of every path. */
  readonly token: string;
  /** Reads the service's channels. */
  readonly channels: PullChannels;
  readonly host?: string;
  /** 0 or absent: a free one. */
  readonly port?: number | undefined;
  readonly waits?: ReceiptDelays;
  readonly observer?: SimulatorObserver;
}

export interface Simulator {
  /** `http://host:port/TOKEN`. */
  readonly url: string;
  readonly port: number;
  /** Memory of the bridge; a test that restarts it puts it back here. */
  readonly bridge: Pick<SimulatorState, 'people' | 'sessions'>;
  close(): Promise<void>;
}

/** Resolves when the simulator listens; rejects when it cannot. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { clock, channels: pull, waits = DEFAULT_DELAYS, observer = null } = options;
  const simulator = createSimulatorState({ clock, pull, waits, observer });
  const server = createServer((request, response) => {
    const exchange = exchangeOf(request, response, options.token);
    serve(simulator, exchange).catch((cause: unknown) => {
      options.log.error({ cause, path: exchange.path }, 'the simulator failed to answer');
      if (response.headersSent) response.destroy();
      else respondJson(response, 500, { error: { message: 'simulator fault', code: 1 } });
    });
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  const host = options.host ?? '127.0.0.1';
  const port = await listen(server, options.port ?? 0, host);
  return {
    url: `http://${host}:${port}/${options.token}`,
    port,
    bridge: simulator,
    async close() {
      simulator.receipts.stop();
      simulator.sessions.clear();
      server.close();
      server.closeAllConnections();
      await simulator.webhookQueues.close();
    },
  };
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, 4_096, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function exchangeOf(
  request: IncomingMessage,
  response: ServerResponse,
  token: string,
): Exchange & { readonly admitted: boolean } {
  const target = request.url ?? '/';
  const mark = target.indexOf('?');
  const whole = mark === -1 ? target : target.slice(0, mark);
  const [, first = '', rest = ''] = /^\/([^/]*)(.*)$/.exec(whole) ?? [];
  const admitted = sameSecret(first, token);
  return {
    request,
    response,
    method: request.method ?? 'GET',
    path: admitted ? rest : whole,
    query: mark === -1 ? '' : target.slice(mark + 1),
    admitted,
  };
}

async function serve(
  simulator: SimulatorState,
  exchange: Exchange & { readonly admitted: boolean },
): Promise<void> {
  const { path, response, admitted } = exchange;
  if (path.startsWith('/api/files/')) return serveBridge(simulator, exchange);
  if (path.startsWith('/media/')) return serveMediaBytes(simulator, exchange, path.slice(7));
  if (!admitted) return respondJson(response, 404, { error: 'not found' });
  if (path.startsWith('/v')) {
    const target = parseGraphPath(path);
    if (target !== null) return serveGraph(simulator, exchange, target);
  }
  if (path.startsWith('/api/')) return serveBridge(simulator, exchange);
  if (path === '/control' || path.startsWith('/control/')) return serveControl(simulator, exchange);
  if (path === '/healthz') return respondJson(response, 200, { ok: true });
  respond(response, unknownPath(path));
}
