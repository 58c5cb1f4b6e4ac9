/** Shared state of the request stages, and a request before its validation. */

import type { Failure } from '../shared/failures.ts';
import type { GenerationalCache } from '../shared/generational-cache.ts';
import type { Bus } from '../shared/ports/bus.ts';
import type { Clock } from '../shared/ports/clock.ts';
import type { Log } from '../shared/ports/log.ts';
import type { Metrics } from '../shared/ports/metrics.ts';
import type { Caller } from '../shared/wire/caller.ts';
import type { LoadShedder } from './bus.ts';
import type { EventStreams } from './events/event-streams.ts';
import type { BodyBudget, BodyBudgets, BodyReader } from './http/read-body.ts';
import type { InboundCallLog } from './inbound-calls.ts';
import type { Installation } from './installation.ts';
import type { NetworkThrottle } from './throttling/network-throttle.ts';
import type { StreamLimiter } from './throttling/stream-limiter.ts';
import type { Throttle } from './throttling/throttle.ts';

/** A key that was found; its caller is learned at its first admission. */
export interface KnownKey {
  /** Of a key unless set; the operator's has its session's id as digest. */
  readonly of?: 'session' | 'operator';
  readonly digest: string;
  readonly orgId: string;
  /** The address at whose expense a key was looked up last. */
  readonly lookedUpBy?: string;
  caller: Caller | null;
}

/** Fields of the request's one log line beside status and time; never a key or a phone. */
export interface RequestLog {
  operationId?: string;
  orgId?: string;
  keyPrefix?: string;
  /** The operation was called as a tool. */
  via?: 'mcp';
  /** Status of a tool's route: the answer around it has its own. */
  toolStatus?: number;
}

export interface Gateway {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  /** Counts every request; absent without a metrics endpoint. */
  readonly metrics?: Pick<Metrics, 'request' | 'shed'>;
  readonly installation: Installation;
  /** Good keys by digest; never bad ones, so that a key works as soon as it exists. */
  readonly keys: GenerationalCache<string, KnownKey>;
  /** Key look-ups in progress, by digest: at most one for each open ask, which waits for it. */
  readonly lookUps: Map<string, Promise<KnownKey | Failure>>;
  readonly throttle: Throttle;
  readonly bodies: BodyBudgets;
  /** Of files. */
  readonly uploads: BodyBudgets;
  readonly loadShedder: LoadShedder;
  readonly networkThrottle: NetworkThrottle;
  readonly streamLimiter: StreamLimiter;
  readonly eventStreams: EventStreams;
  /** Absent where no panel shows them. */
  readonly inboundCalls?: InboundCallLog;
  /** A fresh id, also before the installation is known. */
  readonly freshId: (prefix: string) => string;
  /** The one `Origin` that may call `/mcp`; null where there is none. */
  readonly publicOrigin: string | null;
  /** The OpenAPI document, serialized. */
  readonly document: string;
  /** The client package that is made from the document; absent where none is served. */
  readonly packClient?: (document: string) => Promise<Uint8Array>;
}

/** A request from the server; its methods are valid only before the first `await`. */
export interface Incoming {
  /** As sent, upper case for every method we know. */
  readonly method: string;
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  readonly authorization: string;
  readonly apiKey: string;
  readonly requestId: string;
  headers(): Readonly<Record<string, string>>;
  remoteAddress(): string;
  /** Starts to collect the body. */
  body(maxBytes: number, budget: BodyBudget): BodyReader;
  /** Receives nothing more of the body until the work has ended; good at any time. */
  whilePaused<T>(work: () => Promise<T>): Promise<T>;
  /** Cuts the connection; good at any time. */
  close(): void;
}
