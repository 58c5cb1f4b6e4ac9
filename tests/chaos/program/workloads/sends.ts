/** Workers that write `worker-counter`, two of them to each contact. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Scene } from '../scene.ts';

const CONVERSATIONS = 10;
const WORKERS_EACH = 2;
const PACE_MS = 300;

export async function sendAll(scene: Scene): Promise<void> {
  const { api, channelId, recorder, stopping } = scene;
  const phones = Array.from({ length: CONVERSATIONS }, () => scene.freshPhone());
  const workers = phones.flatMap((phone) => Array<string>(WORKERS_EACH).fill(phone));
  await Promise.all(
    workers.map(async (phone, worker) => {
      for (let counter = 0; !stopping.aborted; counter++) {
        const text = `${worker}-${counter}`;
        const body = { channelId, phone, text };
        const ask = () => api({ path: '/api/v1/messages', body });
        await recorder.call(`send-${worker}`, 'send', { wish: { phone, text }, ask });
        await pause(PACE_MS);
      }
    }),
  );
}
