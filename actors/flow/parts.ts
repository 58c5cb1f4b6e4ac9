/** Parts for the flows of conversations: one of each per process. */

import type { Environment } from '../environment.ts';
import type { Relay } from '../outbox/relay.ts';
import type { DuePoller } from '../runtime/due-poller.ts';
import type { ForegroundActivity } from '../runtime/foreground-activity.ts';
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
  readonly foregroundActivity: ForegroundActivity;
}

export function createFlowParts(
  environment: Environment,
  relay: Relay,
  { duePoller, foregroundActivity }: Shared,
): FlowParts {
  const versions = new FlowVersions(environment.store);
  return {
    timers: new FlowTimers(environment, duePoller, foregroundActivity),
    calls: new FlowCalls(environment, relay),
    versions,
    facts: new FlowFacts(environment, versions),
  };
}
