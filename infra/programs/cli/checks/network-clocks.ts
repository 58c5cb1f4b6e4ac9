/**
 * Compares this machine's clock with the networks' clocks, by the `Date` header of their answers. A
 * signature contains the time, and receivers refuse one of another hour. Where everything runs on
 * one machine, no other check would notice.
 */
import { type Check, fail, pass, sentenceOf, TIMEOUT_MS } from './check.ts';
import { ago, named } from './humanize.ts';

const NAME = 'network clocks';
const ASKED_MAX = 5;
/** Receivers accept five minutes; `Date` has whole seconds. */
const APART_MAX_MS = 60_000;

/** @param now epoch milliseconds */
export async function checkNetworkClocks(
  origins: readonly string[],
  now: () => number,
): Promise<Check> {
  const asked = origins.slice(0, ASKED_MAX);
  const answers = await Promise.all(asked.map((origin) => apartFrom(origin, now)));
  const failures = answers.flatMap((each) => ('failed' in each ? [each] : []));
  if (failures.length > 0) {
    const detail = failures.map(
      ({ origin, failed }) => `${origin} does not answer here: ${failed}`,
    );
    return fail(NAME, named(detail), 'See why this machine cannot reach it.');
  }
  const known = answers.flatMap((each) =>
    'apartMs' in each && each.apartMs !== null ? [{ ...each, apartMs: each.apartMs }] : [],
  );
  const wrong = known.filter(({ apartMs }) => Math.abs(apartMs) > APART_MAX_MS);
  if (wrong.length > 0) {
    const detail = wrong.map(({ origin, apartMs }) => {
      return `this clock is ${ago(Math.abs(apartMs))} ${apartMs < 0 ? 'behind' : 'ahead of'} ${origin}`;
    });
    return fail(NAME, named(detail), 'Keep this machine on time (NTP).');
  }
  const detail = `as this one at ${known.length} of ${asked.length} networks asked`;
  return pass(NAME, asked.length === 0 ? 'no network but the simulator is in use' : detail);
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
