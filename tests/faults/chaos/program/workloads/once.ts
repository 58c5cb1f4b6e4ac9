/**
 * Workers that repeat each of their calls under its `Idempotency-Key` until it is answered. Some
 * calls are repeated once more, as by a caller that has lost the answer.
 */
import { setTimeout as pause } from 'node:timers/promises';
import * as v from 'valibot';
import type { Ending } from '../recorder.ts';
import { atOnce, type WorkloadFixture } from '../workload-fixture.ts';

const WORKERS = 4;
const PACE_MS = 400;
const AGAIN_MS = 700;
/** Every so many calls. */
const LOSES_AN_ANSWER = 5;

const Named = v.union([
  v.pipe(
    v.object({ messageId: v.string() }),
    v.transform(({ messageId: id }) => ({ id })),
  ),
  v.object({ id: v.string() }),
]);

export async function repeatUntilAnswered(fixture: WorkloadFixture): Promise<void> {
  await atOnce(WORKERS, async (worker) => {
    const phone = fixture.freshPhone();
    await fixture.api({ path: '/api/v1/contacts', body: { phone } });
    for (let count = 0; !fixture.stopping.aborted; count++) {
      const what = count % 2 === 0 ? 'message' : 'deal';
      await untilAnswered(fixture, {
        worker: `once-${worker}`,
        phone,
        what,
        name: `keyed ${what} ${worker}-${count}`,
        answers: count % LOSES_AN_ANSWER === LOSES_AN_ANSWER - 1 ? 2 : 1,
      });
      await pause(PACE_MS);
    }
  });
}

interface Wanted {
  readonly worker: string;
  readonly phone: string;
  readonly what: 'message' | 'deal';
  readonly name: string;
  /** How often it is asked until it is answered. */
  readonly answers: number;
}

async function untilAnswered(fixture: WorkloadFixture, wanted: Wanted): Promise<void> {
  const { worker, phone, what, name } = wanted;
  const { api, channelId, recorder, stopping } = fixture;
  const key = name.replaceAll(' ', '-');
  const request =
    what === 'message'
      ? { path: '/api/v1/messages', body: { channelId, phone, text: name } }
      : { path: '/api/v1/deals', body: { phone, title: name } };
  const ask = async (): Promise<Ending> => {
    const said = await api({ ...request, idempotencyKey: key });
    return said.type === 'ok' ? { type: 'ok', body: v.parse(Named, said.body) } : said;
  };
  let answers = 0;
  while (!stopping.aborted) {
    const { type } = await recorder.call(worker, 'once', { request: { key, what, name }, ask });
    if (type === 'ok') answers++;
    if (answers === wanted.answers) return;
    await pause(AGAIN_MS);
  }
}
