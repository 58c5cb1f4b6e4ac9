/** Waits until the gateway says that the whole service is ready. */
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 50;
const ANSWER_MS = 1_000;

/** Resolves true when `/readyz` answers 200, false when `signal` is aborted before. */
export async function untilReady(baseUrl: string, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    if ((await statusOf(`${baseUrl}/readyz`)) === 200) return true;
    await sleep(POLL_MS);
  }
  return false;
}

function statusOf(url: string): Promise<number | null> {
  return new Promise((resolve) => {
    const request = get(url, { timeout: ANSWER_MS, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? null);
    });
    request.once('timeout', () => request.destroy(new Error('no answer')));
    request.once('error', () => resolve(null));
  });
}
