/** `/metrics` over HTTP, for Prometheus. */
import type { Server } from 'node:http';
import { createServer } from '../http/http.ts';

const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
/** Also the path when Prometheus' default path is added to the whole address. */
const PATHS: ReadonlySet<string> = new Set(['/metrics', '/metrics/', '/metrics/metrics']);
/**
 * Idle time of a connection. It is longer than a scraper's interval, since a connection that ends
 * while the scraper asks fails the scrape.
 */
const KEEP_ALIVE_MS = 65_000;

export interface MetricsSource {
  read(): Promise<string>;
  /**
   * The port was lost to another process, or the metrics could not be read; the service continues.
   */
  failed(error: Error): void;
}

export interface MetricsAddress {
  readonly host: string;
  readonly port: number;
}

/** Serves until closed. */
export function serveMetrics({ host, port }: MetricsAddress, source: MetricsSource): Server {
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    if (!PATHS.has(path)) {
      response.writeHead(404).end();
      return;
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD' }).end();
      return;
    }
    source.read().then(
      (text) => response.writeHead(200, { 'content-type': CONTENT_TYPE }).end(text),
      (cause: unknown) => {
        source.failed(new Error('the metrics could not be read', { cause }));
        response.writeHead(500).end();
      },
    );
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.on('error', source.failed);
  server.listen(port, host);
  return server;
}
