/**
 * Compares this machine's clock with the networks' clocks, by the `Date` header of their answers. A
 * signature contains the time, and receivers refuse one of another hour. Where everything runs on
 * one machine, no other check would notice.
 */
import type { DoctorRow } from '../../../../shared/panel/operation.ts';
import type { Finding } from '../../../../shared/problems/findings.ts';
import { failed, passed, sentenceOf, TIMEOUT_MS } from './check.ts';
import { ago, namedFindings } from './humanize.ts';

const NAME = 'network clocks';
const ASKED_MAX = 5;
/** Receivers accept five minutes; `Date` has whole seconds. */
const APART_MAX_MS = 60_000;

/** @param now epoch milliseconds */
export async function checkNetworkClocks(
  origins: readonly string[],
  now: () => number,
): Promise<DoctorRow> {
  const asked = origins.slice(0, ASKED_MAX);
  const answers = await Promise.all(asked.map((origin) => apartFrom(origin, now)));
  const failures = answers.flatMap((each) => ('failed' in each ? [each] : []));
  if (failures.length > 0) {
    const detail = failures.map(({ origin, failed: cause }): Finding => {
      return { code: 'networkSilent', params: { origin, cause } };
    });
    return failed(NAME, namedFindings(detail), { code: 'seeWhySilent', params: {} });
  }
  const known = answers.flatMap((each) =>
    'apartMs' in each && each.apartMs !== null ? [{ ...each, apartMs: each.apartMs }] : [],
  );
  const wrong = known.filter(({ apartMs }) => Math.abs(apartMs) > APART_MAX_MS);
  if (wrong.length > 0) {
    const detail = wrong.map(({ origin, apartMs }): Finding => {
      const params = { origin, off: ago(Math.abs(apartMs)), behind: apartMs < 0 };
      return { code: 'clockOff', params };
    });
    return failed(NAME, namedFindings(detail), { code: 'keepThisTime', params: {} });
  }
  if (asked.length === 0) return passed(NAME, { code: 'onlySimulator', params: {} });
  const params = { known: known.length, asked: asked.length };
  return passed(NAME, { code: 'networksOnTime', params });
}

interface ClockFailure {
  readonly origin: string;
  readonly failed: string;
}

interface ClockAnswer {
  readonly origin: string;
  /** Null where the answer has no time. */
  readonly apartMs: number | null;
}

/** A channel without work is asked once a minute only: its network may have failed since. */
async function apartFrom(origin: string, now: () => number): Promise<ClockFailure | ClockAnswer> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS - 500);
    const { headers } = await fetch(origin, { method: 'HEAD', redirect: 'manual', signal });
    const theirs = Date.parse(headers.get('date') ?? '');
    return Number.isNaN(theirs) ? { origin, apartMs: null } : { origin, apartMs: now() - theirs };
  } catch (cause) {
    return { origin, failed: sentenceOf(cause instanceof Error ? (cause.cause ?? cause) : cause) };
  }
}
