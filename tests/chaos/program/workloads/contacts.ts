/** Workers that give the same new contact fields and tags of their own, at the same time. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Ending } from '../recorder.ts';
import type { Scene } from '../scene.ts';

const GROUPS = 2;
const WORKERS_EACH = 4;
const UPSERTS_EACH = 4;
const PACE_MS = 120;

export async function mergeContacts(scene: Scene): Promise<void> {
  const { stopping } = scene;
  const groups = Array.from({ length: GROUPS }, async (_, group) => {
    while (!stopping.aborted) {
      const phone = scene.freshPhone();
      const names = Array.from({ length: WORKERS_EACH }, (_each, worker) => `${group}-${worker}`);
      await Promise.all(names.map((name) => mergeOne(scene, phone, name)));
    }
  });
  await Promise.all(groups);
}

async function mergeOne(scene: Scene, phone: string, name: string): Promise<void> {
  const { api, recorder } = scene;
  for (let count = 0; count < UPSERTS_EACH; count++) {
    const field = `f${name}-${count}`;
    const wish = { phone, fields: { [field]: phone }, tags: [`t${name}-${count}`] };
    const ask = async (): Promise<Ending> => {
      const said = await api({ path: '/api/v1/contacts', body: wish });
      if (said.type !== 'ok') return said;
      const id: unknown = Reflect.get(Object(said.body), 'id');
      return { type: 'ok', body: { id, created: Reflect.get(Object(said.json), 'created') } };
    };
    await recorder.call(`contact-${name}`, 'contact-upsert', { wish, ask });
    await pause(PACE_MS);
  }
}
