/** Workers that move, win, lose, reopen and rename the same few deals at the same time. */
import { setTimeout as pause } from 'node:timers/promises';
import * as v from 'valibot';
import { dataOf } from '../caller.ts';
import type { Scene } from '../scene.ts';

const GROUPS = 3;
const WORKERS_EACH = 3;
/** A deal is left after so many changes, so that an order can be looked for. */
const CHANGES_EACH = 8;
const PACE_MS = 90;
/** Each call that nobody answered doubles the orders that may explain the rest. */
const UNANSWERED_PACE_MS = 1_000;

const Pipelines = v.array(v.object({ stages: v.array(v.object({ id: v.string() })) }));
const Made = v.object({ id: v.string() });

export async function changeDeals(scene: Scene): Promise<void> {
  const { json } = await scene.api({ path: '/api/v1/pipelines' });
  const stages = v.parse(Pipelines, dataOf(json))[0]?.stages.map(({ id }) => id) ?? [];
  const groups = Array.from({ length: GROUPS }, (_, group) => changeGroup(scene, stages, group));
  await Promise.all(groups);
}

async function changeGroup(scene: Scene, stages: readonly string[], group: number): Promise<void> {
  const { api, recorder, stopping } = scene;
  const phone = scene.freshPhone();
  await api({ path: '/api/v1/contacts', body: { phone } });
  for (let round = 0; !stopping.aborted; round++) {
    const title = `deal ${group}-${round}`;
    const ask = () => api({ path: '/api/v1/deals', body: { phone, title } });
    const made = await recorder.call(`deal-${group}`, 'deal-create', { wish: { title }, ask });
    if (made.type !== 'ok') {
      await pause(PACE_MS);
      continue;
    }
    const { id } = v.parse(Made, made.body);
    const workers = Array.from({ length: WORKERS_EACH }, (_, worker) =>
      changeOne(scene, { stages, dealId: id, name: `deal-${group}-${worker}` }),
    );
    await Promise.all(workers);
  }
}

interface Work {
  readonly stages: readonly string[];
  readonly dealId: string;
  readonly name: string;
}

async function changeOne(scene: Scene, { stages, dealId, name }: Work): Promise<void> {
  const { api, dice, recorder, stopping } = scene;
  for (let count = 0; count < CHANGES_EACH && !stopping.aborted; count++) {
    const body = dice.pick([
      { stageId: dice.pick(stages) },
      { stageId: dice.pick(stages) },
      { status: 'won' },
      { status: 'lost', lostReason: `reason ${name} ${count}` },
      { status: 'open' },
      { status: 'open' },
      { title: `title ${name} ${count}` },
    ]);
    const ask = () => api({ path: `/api/v1/deals/${dealId}`, body });
    const said = await recorder.call(name, 'deal-change', { wish: { dealId, ...body }, ask });
    await pause(said.type === 'info' ? UNANSWERED_PACE_MS : PACE_MS);
  }
}
