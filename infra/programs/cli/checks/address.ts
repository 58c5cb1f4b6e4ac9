/** PUBLIC_URL as a caller and a network meet it. */
import * as v from 'valibot';
import { type Check, fail, pass, sentenceOf, TIMEOUT_MS } from './check.ts';
import { GRAPH_URL } from './directory.ts';

const NAME = 'address';
const LOCAL = /^(localhost|.*\.localhost|.*\.local|127\..*|0\.0\.0\.0|10\..*|192\.168\..*|\[.*\])$/;

const aliveSchema = v.object({ data: v.object({ alive: v.literal(true) }) });

/** @param networks origins of those that call back */
export async function checkAddress(publicUrl: string, networks: readonly string[]): Promise<Check> {
  const remedy = 'Let PUBLIC_URL be the address of the proxy in front, and the proxy lead here.';
  const { protocol, hostname } = new URL(publicUrl);
  if (networks.includes(GRAPH_URL) && (protocol !== 'https:' || LOCAL.test(hostname))) {
    const detail = `Meta cannot call webhooks at ${publicUrl}: it wants a public https address`;
    return fail(NAME, detail, remedy);
  }
  try {
    const answer = await fetch(`${publicUrl}/healthz`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS - 500),
    });
    const alive = v.safeParse(aliveSchema, await answer.json().catch(() => null)).success;
    if (alive) return pass(NAME, `${publicUrl} leads here`);
    return fail(NAME, `${publicUrl}/healthz answers ${answer.status}, not this service`, remedy);
  } catch (cause) {
    const deep = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
    return fail(NAME, `${publicUrl} cannot be reached: ${sentenceOf(deep)}.`, remedy);
  }
}
