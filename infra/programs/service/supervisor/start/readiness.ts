/** Waits until the gateway reports that the whole service is ready. */
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { get } from '../../../../adapters/http/http.ts';

const POLL_MS = 50;
const ANSWER_MS = 1_000;

const NotReadySchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ missing: v.array(v.string()) }),
);

export interface ReadyWait {
  readonly signal: AbortSignal;
  /** Gets the reason at each poll. */
  readonly notYet: (why: string) => void;
}

/** Resolves true when `/readyz` answers 200, false when `signal` is aborted before. */
export async function untilReady(baseUrl: string, wait: ReadyWait): Promise<boolean> {
  while (!wait.signal.aborted) {
    const why = await lacking(`${baseUrl}/readyz`);
    if (why === null) return true;
    wait.notYet(why);
    await sleep(POLL_MS);
  }
  return false;
}

/** Null when nothing is missing. */
function lacking(url: string): Promise<string | null> {
  return new Promise((resolve) => {
    const request = get(url, { timeout: ANSWER_MS, agent: false }, (response) => {
      resolve(read(response));
    });
    request.once('timeout', () => request.destroy(new Error('no answer')));
    request.once('error', (error) => resolve(error.message));
  });
}

async function read(response: IncomingMessage): Promise<string | null> {
  const body = await text(response);
  if (response.statusCode === 200) return null;
  const known = v.safeParse(NotReadySchema, body);
  return known.success ? `missing: ${known.output.missing.join(', ')}` : `${response.statusCode}`;
}
