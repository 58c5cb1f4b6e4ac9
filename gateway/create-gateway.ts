/** Fresh state of a process's request stages. */
import { GenerationalCache } from '../shared/generational-cache.ts';
import { UPLOADS_BODY_BYTES } from '../shared/limits.ts';
import type { Bus } from '../shared/ports/bus.ts';
import { LoadShedder, trackedBus } from './bus.ts';
import { EventStreams } from './events/event-streams.ts';
import type { Gateway } from './gateway.ts';
import { bodyBudgets } from './http/read-body.ts';
import { InboundCallLog } from './inbound-calls.ts';
import { Installation } from './installation.ts';
import { NetworkThrottle } from './throttling/network-throttle.ts';
import { StreamLimiter } from './throttling/stream-limiter.ts';
import { Throttle } from './throttling/throttle.ts';

const KNOWN_KEYS_MAX = 20_000;

interface Given
  extends Pick<
    Gateway,
    'clock' | 'log' | 'metrics' | 'freshId' | 'document' | 'publicOrigin' | 'packClient'
  > {
  /** The maker's name in the headers of a delivery. */
  readonly eventHeaderPrefix: string;
}

export function createGateway(bus: Bus, given: Given): Gateway {
  const { clock } = given;
  const loadShedder = new LoadShedder(clock);
  const tracked = trackedBus(bus, loadShedder);
  return {
    ...given,
    bus: tracked,
    networkThrottle: new NetworkThrottle(tracked, clock),
    installation: new Installation(clock),
    keys: new GenerationalCache(KNOWN_KEYS_MAX),
    lookUps: new Map(),
    throttle: new Throttle(clock),
    bodies: bodyBudgets(),
    uploads: bodyBudgets(UPLOADS_BODY_BYTES),
    loadShedder,
    streamLimiter: new StreamLimiter(clock),
    eventStreams: new EventStreams({ ...given, bus }),
    inboundCalls: new InboundCallLog(bus, clock),
  };
}
