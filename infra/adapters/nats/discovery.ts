/**
 * A process in NATS's own tools (`nats micro list|info|stats`, ADR-32): `$SRV.PING`, `$SRV.INFO`,
 * `$SRV.STATS`. One endpoint reports the process's metrics. Asks keep their own subscriptions, so
 * that discovery does not delay them.
 */
import type { NatsConnection } from 'nats';
import type { ProcessExposition } from '../../../shared/panel/operation.ts';
import { metricsSubject, SERVICES_PING } from '../../../shared/wire/subjects.ts';
import type { InstallationWire } from './connection.ts';

export interface Discoverable {
  /** The same for every process of a role. */
  readonly role: 'gateway' | 'panel' | 'actors';
  readonly version: string;
  readonly description: string;
  readonly processId: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Reported with the statistics. */
  readonly statistics: () => Readonly<Record<string, unknown>>;
  readonly metrics: () => Promise<string>;
}

interface DiscoveredService {
  readonly name: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** NATS's discovery is one for all installations in an account; each finds its own by the prefix. */
interface Discovery {
  readonly connection: NatsConnection;
  readonly wire: InstallationWire;
}

export async function registerService(
  { connection, wire }: Discovery,
  service: Discoverable,
): Promise<void> {
  const { role, version, description, processId } = service;
  const registered = await connection.services.add({
    name: `recado-${role}`,
    version,
    description,
    metadata: { ...service.metadata, processId, prefix: wire.prefix },
    statsHandler: () => Promise.resolve(service.statistics()),
  });
  registered.addEndpoint('metrics', {
    subject: wire.named(metricsSubject(role, processId)),
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

/** Every process that has answered by then is asked for its metrics. */
const DISCOVER_MS = 400;
const READ_MS = 2_000;
const OURS = /^recado-(?<role>[a-z]+)$/;

/** The metrics of every process that service discovery finds; one that is silent is left out. */
export async function readMetrics(
  discovery: Discovery,
  wait: (ms: number) => Promise<void>,
): Promise<readonly ProcessExposition[]> {
  const { connection, wire } = discovery;
  const found = await discover(discovery, wait);
  const read = await Promise.all(
    [...found].map(async ([processId, process]) => {
      try {
        const subject = wire.named(metricsSubject(process.role, processId));
        const answer = await connection.request(subject, '', { timeout: READ_MS });
        return [{ processId, ...process, text: answer.string() }];
      } catch {
        return [];
      }
    }),
  );
  return read.flat();
}

type Discovered = Pick<ProcessExposition, 'role' | 'pid'>;

/** By process id. */
async function discover(
  { wire }: Discovery,
  wait: (ms: number) => Promise<void>,
): Promise<ReadonlyMap<string, Discovered>> {
  const found = new Map<string, Discovered>();
  const reply = wire.newInbox();
  const answers = wire.subscribe(reply, {
    callback: (error, message) => {
      if (error || message.data.length === 0) return;
      const { name, metadata } = message.json<DiscoveredService>();
      const role = OURS.exec(name)?.groups?.role;
      const { processId, prefix } = metadata ?? {};
      if (role === undefined || processId === undefined || prefix !== wire.prefix) return;
      const pid = Number(metadata?.pid);
      found.set(processId, { role, ...(Number.isInteger(pid) && { pid }) });
    },
  });
  wire.publish(SERVICES_PING, '', { reply });
  await wait(DISCOVER_MS);
  answers.unsubscribe();
  return found;
}
