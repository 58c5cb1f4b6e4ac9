/** Workers that give the same new contact fields and tags of their own, at the same time. */
import type { Ending } from '../recorder.ts';
import { atOnce, type WorkloadFixture } from '../workload-fixture.ts';

const GROUPS = 2;
const WORKERS_EACH = 4;
const UPSERTS_EACH = 4;
const PACE_MS = 120;

export async function mergeContacts(fixture: WorkloadFixture): Promise<void> {
  const { stopping } = fixture;
  await atOnce(GROUPS, async (group) => {
    while (!stopping.aborted) {
      const phone = fixture.freshPhone();
      await atOnce(WORKERS_EACH, (worker) => mergeOne(fixture, phone, `${group}-${worker}`));
    }
  });
}

async function mergeOne(fixture: WorkloadFixture, phone: string, name: string): Promise<void> {
  const { api, recorder } = fixture;
  for (let count = 0; count < UPSERTS_EACH; count++) {
    const field = `f${name}-${count}`;
    const request = { phone, fields: { [field]: phone }, tags: [`t${name}-${count}`] };
    const ask = async (): Promise<Ending> => {
      const said = await api({ path: '/api/v1/contacts', body: request });
      if (said.type !== 'ok') return said;
      const id: unknown = Reflect.get(Object(said.body), 'id');
      return { type: 'ok', body: { id, created: Reflect.get(Object(said.json), 'created') } };
    };
    await recorder.call(`contact-${name}`, 'contact-upsert', { request, ask });
    await fixture.pause(PACE_MS);
  }
}
