/** Where a role's metrics are read: by its supervisor, else at its own port (METRICS_PORT). */
import type { Log } from '../../../shared/ports/log.ts';
import type { Config } from '../../config/config.ts';
import { answerOverIpc } from './ipc.ts';
import type { ProcessMetrics } from './metrics.ts';
import { serveMetrics } from './serve.ts';

/** The supervisor has the port itself, and its children have an id and a channel. */
export function exposeMetrics(
  config: Pick<Config, 'processId' | 'metricsPort' | 'metricsHost'>,
  metrics: ProcessMetrics,
  log: Log,
): void {
  const failed = (cause: unknown) => log.warn({ error: String(cause) }, 'no metrics');
  const read = () => metrics.text();
  const supervised = process.send !== undefined && config.processId !== undefined;
  if (supervised) answerOverIpc(read, failed);
  else if (config.metricsPort !== undefined) {
    serveMetrics({ host: config.metricsHost, port: config.metricsPort }, { read, failed }).unref();
  }
}
