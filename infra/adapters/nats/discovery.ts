/**
 * A process in NATS's own tools (`nats micro list|info|stats`, ADR-32): `$SRV.PING`, `$SRV.INFO`,
 * `$SRV.STATS`. One endpoint reports the process's metrics. Asks keep their own subscriptions, so
 * that discovery does not delay them.
 */
import type { NatsConnection } from 'nats';
import { metricsSubject } from '../../../shared/wire/subjects.ts';

export interface Discoverable {
  /** Of `A-Za-z0-9_-`: the same for every process of a role. */
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly processId: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Reported with the statistics. */
  readonly statistics: () => Readonly<Record<string, unknown>>;
  readonly metrics: () => Promise<string>;
}

export async function registerService(
  connection: NatsConnection,
  service: Discoverable,
): Promise<void> {
  const { name, version, description, processId } = service;
  const registered = await connection.services.add({
    name,
    version,
    description,
    metadata: { ...service.metadata, processId },
    statsHandler: () => Promise.resolve(service.statistics()),
  });
  registered.addEndpoint('metrics', {
    subject: metricsSubject(processId),
    metadata: { format: 'text/plain; version=0.0.4' },
    handler: (error, message) => {
      if (error) return;
      service.metrics().then(
        (text) => message.respond(text),
        (cause: unknown) => message.respondError(500, String(cause)),
      );
    },
  });
}
