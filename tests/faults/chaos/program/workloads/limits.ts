/** Two keys of one organization that ask for more than they are allowed. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Ending } from '../recorder.ts';
import { atOnce, type WorkloadFixture } from '../workload-fixture.ts';

const WORKERS_EACH = 2;
const PACE_MS = 400;

export async function spendLimits(fixture: WorkloadFixture): Promise<void> {
  const { spenders, recorder, stopping } = fixture;
  const keys = spenders.map((caller, key) =>
    atOnce(WORKERS_EACH, async (worker) => {
      while (!stopping.aborted) {
        const ask = async (): Promise<Ending> => {
          const said = await caller({ path: '/api/v1/me' });
          if (said.type !== 'ok') return said;
          return { type: 'ok', body: { rateLimit: said.headers?.get('ratelimit') ?? '' } };
        };
        await recorder.call(`spend-${key}-${worker}`, 'spend', { request: { key: `${key}` }, ask });
        await pause(PACE_MS);
      }
    }),
  );
  await Promise.all(keys);
}
