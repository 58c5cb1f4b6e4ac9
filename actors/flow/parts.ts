/** What conversations need to run flows: one of each per process. */

import type { Relay } from '../outbox/relay.ts';
import type { DuePoller } from '../runtime/due-poller.ts';
import type { Foreground } from '../runtime/foreground.ts';
import type { World } from '../world.ts';
import { FlowCalls } from './calls.ts';
import { FlowFacts } from './facts.ts';
import { FlowTimers } from './timers.ts';
import { FlowVersions } from './versions.ts';

export interface FlowParts {
  readonly timers: FlowTimers;
  readonly calls: FlowCalls;
  readonly versions: FlowVersions;
  readonly facts: FlowFacts;
}

interface Shared {
  readonly duePoller: DuePoller;
  readonly foreground: Foreground;
}

export function createFlowParts(
  world: World,
  relay: Relay,
  { duePoller, foreground }: Shared,
): FlowParts {
  const versions = new FlowVersions(world.store);
  return {
    timers: new FlowTimers(world, duePoller, foreground),
    calls: new FlowCalls(world, relay),
    versions,
    facts: new FlowFacts(world, versions),
  };
}
