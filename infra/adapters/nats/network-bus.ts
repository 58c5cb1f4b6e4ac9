/** The part of the bus that only the wiring of a process needs. */
import type { ProcessExposition } from '../../../shared/panel/operation.ts';
import type { OwnerBus } from '../../../shared/ports/bus.ts';
import type { LiveHints } from '../../../shared/ports/live.ts';
import type { Discoverable } from './discovery.ts';
import type { HintListener } from './live.ts';
import type { StreamPushes } from './streams.ts';

export interface NetworkBus extends OwnerBus {
  /** Answers NATS's service discovery from now on. */
  registerService(service: Discoverable): Promise<void>;
  /** Metrics of every process, by service discovery. */
  readMetrics(): Promise<readonly ProcessExposition[]>;
  /** Live hints of this process's actors. */
  hintPublisher(): LiveHints;
  /** Pushes of event streams: of this process's actors, or for its connections. */
  streamPushes(): StreamPushes;
  /** Live hints for this process's open pages. */
  hintListener(): HintListener;
  close(): Promise<void>;
}
