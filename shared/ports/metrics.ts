/** The port for a process's metrics. Types only. */
import type { ActorKind, Provider } from '../vocabulary.ts';

/**
 * Counters and durations of a process, recorded as they happen. The list is closed: a method is a
 * metric, its parameters are its labels and come from closed lists too. Cheap: a call builds no
 * string. All durations are milliseconds.
 */
export interface Metrics {
  /** One HTTP request; `operationId` is empty where no route was found, `status` 0 an abort. */
  request(operationId: string, status: number, ms: number): void;
  /** One request refused at once, because the service has more to do than it can. */
  shed(): void;
  /** One ask over the bus, from its first sending to its answer; a query is of kind ''. */
  ask(kind: string, ms: number, repeats: number): void;
  /** An ask without an answer before its deadline. */
  askFailed(kind: string): void;
  /** A query that was asked of a second process, as the first one was silent. */
  hedged(): void;
  turn(kind: ActorKind, status: number, ms: number): void;
  /** One grouped write. */
  commit(writes: number, ms: number): void;
  /** One message handed to a network; `outcome` is the send's. */
  send(provider: Provider, outcome: string, ms: number): void;
  /** One POST of a delivery; `outcome` is the answer's class (`2xx`) or the kind of failure. */
  attempt(outcome: string, ms: number): void;
  /** Events of organizations, recorded for whoever subscribes to them. */
  events(count: number): void;
  /** Deals that were asked to follow a stage that was removed. */
  dealsFollowed(count: number): void;
  /** One change of an organization, from its commit until every process with actors knew of it. */
  organizationChange(ms: number): void;
  /** Number of partitions acquired from a member that had died. */
  takeOver(partitions: number): void;
  /** Partitions given away: from their last turn here until another process may own them. */
  released(ms: number): void;
  leaseLost(): void;
}
