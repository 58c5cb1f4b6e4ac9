/** Workers that move, win, lose, reopen and rename the same few deals at the same time. */
import * as v from 'valibot';
import { dataOf } from '../caller.ts';
import { atOnce, type WorkloadFixture } from '../workload-fixture.ts';

const GROUPS = 3;
const WORKERS_EACH = 3;
/** Changes of one deal before the next, so that the search for an order stays feasible. */
const CHANGES_EACH = 8;
const PACE_MS = 90;
/** Each unanswered call doubles the orders that may explain the rest. */
const UNANSWERED_PACE_MS = 1_000;

const Pipelines = v.array(v.object({ stages: v.array(v.object({ id: v.string() })) }));
const Made = v.object({ id: v.string() });

export async function changeDeals(fixture: WorkloadFixture): Promise<void> {
  const stages = await stagesOf(fixture);
  await atOnce(GROUPS, (group) => changeGroup(fixture, stages, group));
}

/** Of the first pipeline; a fault may meet the first calls already. */
async function stagesOf(fixture: WorkloadFixture): Promise<readonly string[]> {
  while (!fixture.stopping.aborted) {
    const listed = await fixture.api({ path: '/api/v1/pipelines' });
    if (listed.type === 'ok') {
      return v.parse(Pipelines, dataOf(listed.json))[0]?.stages.map(({ id }) => id) ?? [];
    }
    await fixture.pause(PACE_MS);
  }
  return [];
}

async function changeGroup(
  fixture: WorkloadFixture,
  stages: readonly string[],
  group: number,
): Promise<void> {
  const { api, recorder, stopping } = fixture;
  const phone = fixture.freshPhone();
  await api({ path: '/api/v1/contacts', body: { phone } });
  for (let round = 0; !stopping.aborted; round++) {
    const title = `deal ${group}-${round}`;
    const ask = () => api({ path: '/api/v1/deals', body: { phone, title } });
    const made = await recorder.call(`deal-${group}`, 'deal-create', { request: { title }, ask });
    if (made.type !== 'ok') {
      await fixture.pause(PACE_MS);
      continue;
    }
    const { id } = v.parse(Made, made.body);
    await atOnce(WORKERS_EACH, (worker) =>
      changeOne(fixture, { stages, dealId: id, name: `deal-${group}-${worker}` }),
    );
  }
}

interface Work {
  readonly stages: readonly string[];
  readonly dealId: string;
  readonly name: string;
}

async function changeOne(fixture: WorkloadFixture, { stages, dealId, name }: Work): Promise<void> {
  const { api, random, recorder, stopping } = fixture;
  for (let count = 0; count < CHANGES_EACH && !stopping.aborted; count++) {
    const body = random.pick([
      { stageId: random.pick(stages) },
      { stageId: random.pick(stages) },
      { status: 'won' },
      { status: 'lost', lostReason: `reason ${name} ${count}` },
      { status: 'open' },
      { status: 'open' },
      { title: `title ${name} ${count}` },
    ]);
    const ask = () => api({ path: `/api/v1/deals/${dealId}`, body });
    const said = await recorder.call(name, 'deal-change', { request: { dealId, ...body }, ask });
    await fixture.pause(said.type === 'info' ? UNANSWERED_PACE_MS : PACE_MS);
  }
}
