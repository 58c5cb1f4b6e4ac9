/**
 * Load of callers that go on sending through faults. Each worker writes `worker-counter` to a
 * contact of its own, the next only when the one before was answered, and all of it is recorded.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { freshPhone } from '../../support/api.ts';
import type { Organization } from '../../support/organization.ts';
import type { Stack } from '../../support/stack.ts';
import { waitFor } from '../../support/wait-for.ts';
import { callerOf } from './program/caller.ts';
import { type Recorder, recorderTo } from './program/recorder.ts';

const WORKERS = 8;
/** A caller's own pace: accepted messages must not outrun the pace of one contact. */
const BETWEEN_SENDS_MS = 100;

interface Worker {
  readonly phone: string;
  accepted: number;
  /** How its last call ended. */
  last: unknown;
}

export interface Load {
  readonly phones: readonly string[];
  readonly recorder: Recorder;
  /** Waits until every worker has been answered so many more 201. */
  progress(count: number): Promise<void>;
  stop(): Promise<void>;
}

export function startLoad(stack: Stack, { key, main }: Organization): Load {
  const stopping = new AbortController();
  const recorder = recorderTo(null);
  const api = callerOf(stack.baseUrl, key);
  const workers = Array.from({ length: WORKERS }, (): Worker => {
    return { phone: freshPhone(), accepted: 0, last: null };
  });
  const done = workers.map(async (worker, index) => {
    const { phone } = worker;
    for (let counter = 0; !stopping.signal.aborted; counter++) {
      const text = `${index}-${counter}`;
      const ask = () => api({ path: '/api/v1/messages', body: { channelId: main, phone, text } });
      const said = await recorder.call(`send-${index}`, 'send', { request: { phone, text }, ask });
      worker.last = { text, status: said.status, body: said.body };
      if (said.type === 'ok') worker.accepted += 1;
      await pause(BETWEEN_SENDS_MS);
    }
  });
  return {
    phones: workers.map(({ phone }) => phone),
    recorder,
    progress: async (count) => {
      const wanted = workers.map(({ accepted }) => accepted + count);
      const reached = waitFor(
        () => workers.every(({ accepted }, index) => accepted >= (wanted[index] ?? 0)),
        { what: `${count} more sends of every worker` },
      );
      await reached.catch((cause: unknown) => {
        const last = workers.map((worker) => JSON.stringify(worker.last)).join('\n');
        throw new Error(`the load stands still:\n${last}\n${stack.story()}`, { cause });
      });
    },
    stop: async () => {
      stopping.abort();
      await Promise.all(done);
    },
  };
}
