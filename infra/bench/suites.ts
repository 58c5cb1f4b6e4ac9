/** The suites by name, in the order in which they run when none is named. */
import type { Suite } from './suite.ts';
import { accept } from './suites/accept.ts';
import { asks } from './suites/asks.ts';
import { burst } from './suites/burst.ts';
import { deliveries } from './suites/deliveries.ts';
import { endToEnd } from './suites/end-to-end.ts';
import { eventStreams } from './suites/event-streams.ts';
import { growth } from './suites/growth.ts';
import { handOver } from './suites/hand-over.ts';
import { idle } from './suites/idle.ts';
import { inbound } from './suites/inbound.ts';
import { lists } from './suites/lists.ts';
import { neighbours } from './suites/neighbours.ts';
import { panel } from './suites/panel.ts';
import { peers } from './suites/peers.ts';
import { scaleOut } from './suites/scale-out.ts';
import { timers } from './suites/timers.ts';

export const SUITES: readonly Suite[] = [
  accept,
  endToEnd,
  burst,
  peers,
  deliveries,
  inbound,
  growth,
  timers,
  scaleOut,
  handOver,
  asks,
  idle,
  lists,
  neighbours,
  panel,
  eventStreams,
];
