/**
 * The whole way in a closed loop: accepted → network, with its receipts → `message.sent` at a
 * subscriber. A rate counts from the first call to the last event, so what a burst leaves behind is
 * part of it.
 */

import { travellers } from '../end-to-end/fixture.ts';
import { runLoad } from '../load.ts';
import { organizationsFile, tokenOf } from '../organization.ts';
import { median, round } from '../rounds.ts';
import { startService } from '../service.ts';
import { startSubscribers } from '../subscribers.ts';
import type { Cell, Column, Context, Result, Suite } from '../suite.ts';
import { until } from '../until.ts';

const REF = 'burst';
/** 20,000 with the four seconds that are usual. */
const MESSAGES_PER_SECOND = 5_000;
/** A multiple of the numbers: each contact writes to one of them. */
const KNOWN = 960;
const LONGEST_SECONDS = 600;

interface Load {
  readonly name: string;
  readonly connections: number;
  readonly isToNew: boolean;
}
const STEADY: Load = { name: 'known contacts', connections: 32, isToNew: false };
const BURST: Load = { name: 'a burst', connections: 256, isToNew: false };
const TO_NEW: Load = { name: 'new contacts', connections: 32, isToNew: true };
const LOADS = [STEADY, BURST, TO_NEW];

export const burst: Suite = {
  name: 'burst',
  about: 'whole messages per second: 32 callers, a burst of 256, contacts that are new',
  run,
};

async function run(context: Context): Promise<Result> {
  const { options, children, logProgress } = context;
  const messages = Math.round(MESSAGES_PER_SECOND * options.seconds);
  const service = await startService(context);
  const subscribers = await startSubscribers(children, { prompt: 1, hanging: 0 });
  const [url = ''] = subscribers.prompt;
  const { orgs } = await service.apply(organizationsFile([travellers(REF, url)]));
  const bodies = Object.values(orgs[REF]?.channels ?? {}).map(({ id: channelId }) =>
    JSON.stringify({ channelId, phone: '{phone}', text: 'Mensagem de número {n}' }),
  );
  let newPhones = KNOWN;
  const rateOf = async ({ name, connections, isToNew }: Load, most: number): Promise<number> => {
    const startedAt = performance.now();
    const loaded = await runLoad(children, {
      ...{ connections, most, bodies, seconds: LONGEST_SECONDS, path: '/api/v1/messages' },
      ...{ port: Number(new URL(service.run().baseUrl).port), token: tokenOf(REF) },
      ...(isToNew ? { phones: most, firstPhone: newPhones } : { phones: KNOWN }),
    });
    if (isToNew) newPhones += most;
    if (loaded.accepted < most) {
      const refused = JSON.stringify(loaded.refused);
      throw new Error(`${loaded.accepted} of ${most} to ${name} are accepted, refused: ${refused}`);
    }
    await until(async () => (await subscribers.count()) >= most, 'every event arrives');
    const perSecond = (1_000 * most) / (performance.now() - startedAt);
    await subscribers.take();
    return perSecond;
  };
  await rateOf(STEADY, Math.max(KNOWN, messages / 4));
  const rates = new Map(LOADS.map((load): [Load, number[]] => [load, []]));
  for (let number = 0; number < options.rounds; number++) {
    for (const [load, found] of rates) found.push(await rateOf(load, messages));
    const last = [...rates].map(([{ name }, found]) => `${name} ${round(found.at(-1) ?? 0, 0)}/s`);
    logProgress(`${number + 1} of ${options.rounds}: ${last.join(', ')}`);
  }
  const steady = rates.get(STEADY) ?? [];
  const rows = [...rates].map(([{ name, connections }, found]): Cell[] => [
    name,
    connections,
    messages,
    round(median(found), 0),
    round(median(found.map((rate, at) => rate / (steady[at] ?? Number.NaN))), 2),
  ]);
  return {
    tables: [{ title: 'Whole messages per second', columns: COLUMNS, rows }],
    notes: ['from the first call to the last event at the subscriber'],
  };
}

const COLUMNS: readonly Column[] = [
  { name: 'to', unit: '' },
  { name: 'connections', unit: '' },
  { name: 'messages', unit: '' },
  { name: 'rate', unit: '/s' },
  { name: 'of known contacts', unit: '' },
];
