/** Fixture of a run's workloads: the organizations, the callers and the history. */
import * as v from 'valibot';
import { AppliedSchema, named } from '../../../support/applied.ts';
import { organizationFile } from '../../../support/organization.ts';
import { SeededRandom } from '../../simulation/world/seeded-random.ts';
import { BRIDGES, type Bridge, bridgeChannels } from './bridges.ts';
import { type Caller, callerOf } from './caller.ts';
import type { Pace } from './pace.ts';
import type { Parts } from './parts.ts';
import type { Layout } from './plans.ts';
import type { Recorder } from './recorder.ts';

/** Small enough to be reached by a slow machine, and reached again in the next window. */
const LIMITS = { perKey: 30, perOrg: 50 };

const RACE = {
  ...{ ref: 'race', name: 'Corrida', enabled: true, channel: null, isMain: false, triggers: [] },
  steps: [
    { id: 'hi', do: 'send', text: 'Olá!', next: 'ask' },
    { id: 'ask', do: 'wait', timeout: '24h', saveAs: 'answer', next: 'done', onTimeout: 'done' },
    { id: 'done', do: 'end' },
  ],
};
export const GREETING = 'Olá!';

export interface WorkloadFixture {
  readonly recorder: Recorder;
  readonly random: SeededRandom;
  readonly api: Caller;
  readonly sandboxUrl: string;
  readonly channelId: string;
  /** One channel for each engine of the bridge. */
  readonly bridges: readonly (Bridge & { readonly channelId: string })[];
  readonly flowId: string;
  /** Two keys of an organization with small limits. */
  readonly spenders: readonly Caller[];
  readonly stopping: AbortSignal;
  /** A phone that no other contact has. */
  freshPhone(): string;
  /** The pause between two calls of a worker, as long as the run's pace makes it. */
  pause(ms: number): Promise<void>;
}

/** Ends when the run stops. */
export type Workload = (fixture: WorkloadFixture) => Promise<void>;

/** So many workers at once, each with its number. */
export async function atOnce(
  count: number,
  work: (worker: number) => Promise<unknown>,
): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, worker) => work(worker)));
}

export interface WorkloadFixtureOptions {
  readonly layout: Layout;
  readonly parts: Parts;
  readonly recorder: Recorder;
  readonly seed: number;
  readonly stopping: AbortSignal;
  readonly pace: Pace;
}

export async function createWorkloadFixture(
  options: WorkloadFixtureOptions,
): Promise<WorkloadFixture> {
  const { layout, parts, recorder, seed, stopping, pace } = options;
  const events = ['*', 'deal.reopened', 'message.failed'];
  const subscriptions = [{ ref: 'all', url: layout.subscriberUrl, events }];
  const bare = organizationFile('chaos', { subscriptions, more: { flows: [RACE] } });
  const main = { ...bare, channels: [...bare.channels, ...bridgeChannels()] };
  const spending = organizationFile('spend', { limits: LIMITS });
  const file = JSON.stringify({ orgs: [main, spending] });
  const { orgs } = v.parse(AppliedSchema, JSON.parse(await parts.recado(['apply', '-'], file)));
  const chaos = named(orgs, 'chaos');
  const caller = (org: string, key: string) => {
    const call = callerOf(layout.baseUrl, named(named(orgs, org).keys, key).token ?? '');
    return timed(call, pace);
  };
  recorder.seen('limits', LIMITS);
  recorder.seen('subscription', { secret: named(chaos.subscriptions, 'all').secret ?? '' });
  let phones = 0;
  return {
    recorder,
    random: new SeededRandom(seed),
    api: caller('chaos', 'erp'),
    sandboxUrl: layout.sandboxUrl,
    channelId: named(chaos.channels, 'main').id,
    bridges: BRIDGES.map((bridge) => {
      return { ...bridge, channelId: named(chaos.channels, bridge.engine).id };
    }),
    flowId: named(chaos.flows, 'race'),
    spenders: [caller('spend', 'erp'), caller('spend', 'main')],
    stopping,
    freshPhone: () => {
      phones += 1;
      return `55119${87_000_000 + phones}`;
    },
    pause: (ms) => pace.pause(ms),
  };
}

function timed(call: Caller, pace: Pace): Caller {
  return async (request) => {
    const startedAt = performance.now();
    const said = await call(request);
    pace.took(performance.now() - startedAt);
    return said;
  };
}
