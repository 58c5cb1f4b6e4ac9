/**
 * Callers who go on sending whatever happens: each worker writes `worker-counter` to a contact of
 * its own, the next only when the one before was answered, and keeps what it was answered.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { freshPhone } from '../support/api.ts';
import type { Organization } from '../support/organization.ts';
import type { Stack } from '../support/stack.ts';
import { waitFor } from '../support/wait-for.ts';

const WORKERS = 8;
/** A caller's own pace: what is accepted must not outrun what one contact can be sent. */
const BETWEEN_SENDS_MS = 50;

export interface Attempt {
  readonly text: string;
  /** Null when no answer came. */
  readonly status: number | null;
  /** Of a 201. */
  readonly messageId: string | null;
  readonly ms: number;
}

export interface Worker {
  readonly phone: string;
  readonly attempts: Attempt[];
}

export interface Load {
  readonly workers: readonly Worker[];
  /** Waits until every worker has been answered so many more 201. */
  progress(count: number): Promise<void>;
  stop(): Promise<void>;
}

export function startLoad(stack: Stack, org: Organization): Load {
  const stopping = new AbortController();
  const workers = Array.from({ length: WORKERS }, (): Worker => {
    return { phone: freshPhone(), attempts: [] };
  });
  const done = workers.map(async (worker, index) => {
    for (let counter = 0; !stopping.signal.aborted; counter++) {
      worker.attempts.push(await attempt(stack, org, [worker.phone, `${index}-${counter}`]));
      await pause(BETWEEN_SENDS_MS);
    }
  });
  return {
    workers,
    progress: async (count) => {
      const wanted = workers.map((worker) => accepted(worker).length + count);
      const reached = waitFor(
        () => workers.every((worker, index) => accepted(worker).length >= (wanted[index] ?? 0)),
        // Within 15 s of the last fault every key answers (invariant 11).
        { what: `${count} more sends of every worker`, patienceMs: 15_000 },
      );
      await reached.catch((cause: unknown) => {
        const last = workers.map(({ attempts }) => JSON.stringify(attempts.at(-1))).join('\n');
        throw new Error(`the load stands still:\n${last}\n${stack.story()}`, { cause });
      });
    },
    stop: async () => {
      stopping.abort();
      await Promise.all(done);
    },
  };
}

export function accepted({ attempts }: Worker): readonly Attempt[] {
  return attempts.filter(({ messageId }) => messageId !== null);
}

async function attempt(
  stack: Stack,
  { key, main }: Organization,
  [phone, text]: readonly [string, string],
): Promise<Attempt> {
  const startedAt = performance.now();
  const body = { channelId: main, phone, text };
  try {
    const { status, json } = await stack.request('POST', '/api/v1/messages', { key, body });
    const messageId = status === 201 ? messageIdOf(json) : null;
    return { text, status, messageId, ms: performance.now() - startedAt };
  } catch (error) {
    // A connection that broke says nothing about what happened.
    if (!(error instanceof TypeError)) throw error;
    return { text, status: null, messageId: null, ms: performance.now() - startedAt };
  }
}

function messageIdOf(json: unknown): string {
  return String(Reflect.get(Object(Reflect.get(Object(json), 'data')), 'messageId'));
}
