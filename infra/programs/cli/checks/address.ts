/** PUBLIC_URL as a caller and a network meet it. */
import * as v from 'valibot';
import type { DoctorRow } from '../../../../shared/panel/operation.ts';
import { failed, passed, sentenceOf, TIMEOUT_MS } from './check.ts';
import { GRAPH_URL } from './directory.ts';

const NAME = 'address';
const LOCAL = /^(localhost|.*\.localhost|.*\.local|127\..*|0\.0\.0\.0|10\..*|192\.168\..*|\[.*\])$/;

const aliveSchema = v.object({ data: v.object({ alive: v.literal(true) }) });

/** @param networks origins of those that call back */
export async function checkAddress(
  publicUrl: string,
  networks: readonly string[],
): Promise<DoctorRow> {
  const remedy = { code: 'correctPublicUrl', params: {} } as const;
  const { protocol, hostname } = new URL(publicUrl);
  if (networks.includes(GRAPH_URL) && (protocol !== 'https:' || LOCAL.test(hostname))) {
    return failed(NAME, [{ code: 'addressNotPublic', params: { url: publicUrl } }], remedy);
  }
  try {
    const url = `${publicUrl}/healthz`;
    const answer = await fetch(url, {
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS - 500),
    });
    const alive = v.safeParse(aliveSchema, await answer.json().catch(() => null)).success;
    if (alive) return passed(NAME, { code: 'addressLeadsHere', params: { url: publicUrl } });
    const params = { url, status: answer.status };
    return failed(NAME, [{ code: 'addressLeadsElsewhere', params }], remedy);
  } catch (cause) {
    const deep = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
    const fault = { code: 'foreign', params: { text: sentenceOf(deep) } } as const;
    const params = { where: publicUrl, cause: fault };
    return failed(NAME, [{ code: 'placeUnreachable', params }], remedy);
  }
}
