/** Time for which searches of new needles block the actors' event loop. */
import type { BenchService } from '../service.ts';
import type { Cell } from '../suite.ts';
import { ask, type Side } from './sides.ts';

const LONGEST = /^nodejs_eventloop_lag_max_seconds\{[^}]*role="actors"[^}]*\} (\S+)/m;
/** In nearly every name or e-mail, and never asked for before. */
const NEEDLES = ['a', 'e', 'o', 'co', 'om', 'ma', 'gm', 'il', '.c', '55', '511', 'mai'];

/** The longest delay while many contacts match, milliseconds. */
export async function stallOf(service: BenchService, side: Side): Promise<Cell[]> {
  await longestMs(service);
  for (const needle of NEEDLES) {
    const { status } = await ask(service, side, { path: `/api/v1/contacts?query=${needle}` });
    if (status !== 200) throw new Error(`a search of ${side.name} was answered ${status}`);
  }
  const ms = Math.round(await longestMs(service));
  return [`longest delay of the actors' loop, ${NEEDLES.length} new searches of ${side.name}`, ms];
}

/** Since it was last read. */
async function longestMs(service: BenchService): Promise<number> {
  const response = await fetch(service.run().metricsUrl);
  const [, seconds] = LONGEST.exec(await response.text()) ?? [];
  if (seconds === undefined) throw new Error('the actors tell no delay of their event loop');
  return Number(seconds) * 1_000;
}
