/** Rivals start a flow for the same contact at once; when the contact answers, they start again. */
import { setTimeout as pause } from 'node:timers/promises';
import * as v from 'valibot';
import { dataOf } from '../caller.ts';
import type { Ending } from '../recorder.ts';
import { GREETING, type Scene } from '../scene.ts';
import { untilTaken } from './inbound.ts';

const GROUPS = 2;
const RIVALS = 4;
const INTERVALS = 3;
const PACE_MS = 300;
const LOOKS = 20;

const Result = v.object({ data: v.object({ result: v.picklist(['started', 'skipped']) }) });
const Contacts = v.array(v.object({ id: v.string() }));
const Conversations = v.array(v.object({ status: v.string() }));

export async function raceFlows(scene: Scene): Promise<void> {
  const groups = Array.from({ length: GROUPS }, async (_, group) => {
    while (!scene.stopping.aborted) {
      const phone = scene.freshPhone();
      for (let interval = 0; interval < INTERVALS && !scene.stopping.aborted; interval++) {
        await race(scene, { group, phone, interval });
        const text = `free ${group} ${interval}`;
        const taken = await untilTaken(scene, { name: `race-${group}`, phone, text });
        if (!taken || !(await isFree(scene, phone))) break;
      }
      await pause(PACE_MS);
    }
  });
  await Promise.all(groups);
}

interface Race {
  readonly group: number;
  readonly phone: string;
  readonly interval: number;
}

async function race(scene: Scene, { group, phone, interval }: Race): Promise<void> {
  const { api, channelId, flowId, recorder } = scene;
  const ask = async (): Promise<Ending> => {
    const said = await api({ path: `/api/v1/flows/${flowId}/start`, body: { channelId, phone } });
    const { success, output } = v.safeParse(Result, said.json ?? answeredIn(said.body));
    return success ? { type: 'ok', body: output.data } : said;
  };
  const wish = { phone, interval, greeting: GREETING };
  const rivals = Array.from({ length: RIVALS }, (_, rival) =>
    recorder.call(`race-${group}-${rival}`, 'flow-start', { wish, ask }),
  );
  await Promise.all(rivals);
}

function answeredIn(body: unknown): unknown {
  return Reflect.get(Object(body), 'said');
}

async function isFree({ api }: Scene, phone: string): Promise<boolean> {
  for (let looks = 0; looks < LOOKS; looks++) {
    const contacts = await api({ path: `/api/v1/contacts?phone=${phone}` });
    const [contact] = contacts.type === 'ok' ? v.parse(Contacts, dataOf(contacts.json)) : [];
    const path = `/api/v1/conversations?contactId=${contact?.id ?? 'none'}`;
    const found = await api({ path });
    const [one] = found.type === 'ok' ? v.parse(Conversations, dataOf(found.json)) : [];
    if (one?.status === 'open') return true;
    await pause(PACE_MS);
  }
  return false;
}
