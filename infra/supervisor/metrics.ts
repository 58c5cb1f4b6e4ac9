/** The supervisor's `/metrics`, in Prometheus' text format: which roles run, and their restarts. */
import { createServer, type Server } from 'node:http';

export interface RoleMetric {
  readonly role: string;
  readonly index: number;
  readonly up: boolean;
  readonly restarts: number;
}

export interface MetricsSource {
  read(): readonly RoleMetric[];
  /** The port was lost to somebody else; the service runs on without metrics. */
  failed(error: Error): void;
}

/** Serves on the loopback until closed. */
export function serveMetrics(port: number, source: MetricsSource): Server {
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
    response.end(formatMetrics(source.read()));
  });
  server.on('error', source.failed);
  server.listen(port, '127.0.0.1');
  return server;
}

export function formatMetrics(roles: readonly RoleMetric[]): string {
  const labels = (metric: RoleMetric) => `{role="${metric.role}",index="${metric.index}"}`;
  return [
    '# HELP recado_process_up Whether the process runs.',
    '# TYPE recado_process_up gauge',
    ...roles.map((metric) => `recado_process_up${labels(metric)} ${metric.up ? 1 : 0}`),
    '# HELP recado_process_restarts_total How often the process was started again.',
    '# TYPE recado_process_restarts_total counter',
    ...roles.map((metric) => `recado_process_restarts_total${labels(metric)} ${metric.restarts}`),
    '',
  ].join('\n');
}
