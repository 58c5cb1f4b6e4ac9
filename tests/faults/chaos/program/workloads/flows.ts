/** Rivals start a flow for the same contact at once; when the contact answers, they start again. */
import { setTimeout as pause } from 'node:timers/promises';
import * as v from 'valibot';
import { dataOf } from '../caller.ts';
import type { Ending } from '../recorder.ts';
import { atOnce, GREETING, type WorkloadFixture } from '../workload-fixture.ts';
import { untilTaken } from './inbound.ts';

const GROUPS = 2;
const RIVALS = 4;
const INTERVALS = 3;
const PACE_MS = 300;
/** By the clock: on a busy machine a number of polls would take minutes, and answer nothing. */
const FREE_WITHIN_MS = 6_000;

const Result = v.object({ data: v.object({ result: v.picklist(['started', 'skipped']) }) });
const Contacts = v.array(v.object({ id: v.string() }));
const Conversations = v.array(v.object({ status: v.string() }));

export async function raceFlows(fixture: WorkloadFixture): Promise<void> {
  await atOnce(GROUPS, async (group) => {
    while (!fixture.stopping.aborted) {
      const phone = fixture.freshPhone();
      for (let interval = 0; interval < INTERVALS && !fixture.stopping.aborted; interval++) {
        await race(fixture, { group, phone, interval });
        const text = `free ${group} ${interval}`;
        const taken = await untilTaken(fixture, { name: `race-${group}`, phone, text });
        if (!taken || !(await isFree(fixture, phone))) break;
      }
      await pause(PACE_MS);
    }
  });
}

interface Race {
  readonly group: number;
  readonly phone: string;
  readonly interval: number;
}

async function race(fixture: WorkloadFixture, { group, phone, interval }: Race): Promise<void> {
  const { api, channelId, flowId, recorder } = fixture;
  const ask = async (): Promise<Ending> => {
    const said = await api({ path: `/api/v1/flows/${flowId}/start`, body: { channelId, phone } });
    const { success, output } = v.safeParse(Result, said.json ?? answeredIn(said.body));
    return success ? { type: 'ok', body: output.data } : said;
  };
  const request = { phone, interval, greeting: GREETING };
  await atOnce(RIVALS, (rival) =>
    recorder.call(`race-${group}-${rival}`, 'flow-start', { request, ask }),
  );
}

function answeredIn(body: unknown): unknown {
  return Reflect.get(Object(body), 'said');
}

async function isFree({ api }: WorkloadFixture, phone: string): Promise<boolean> {
  const until = performance.now() + FREE_WITHIN_MS;
  while (performance.now() < until) {
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
