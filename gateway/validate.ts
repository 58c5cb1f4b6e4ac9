/**
 * Validation stage: collects every issue of a request at once. It covers the query, the body and
 * the caller's own circumstances (the country of a phone, a required channel).
 */
import * as v from 'valibot';
import { SENTENCES } from '../shared/api/sentences.ts';
import type { Issue } from '../shared/failures.ts';
import { GenerationalCache } from '../shared/generational-cache.ts';
import { ISSUE_PATH_MAX_CHARS } from '../shared/limits.ts';
import { canonicalPhone } from '../shared/text/phone.ts';
import { firstCodePoints } from '../shared/text/utf8.ts';
import type { Caller } from '../shared/wire/caller.ts';

const PHONES_KEPT = 20_000;

/** An object schema, possibly with rules across its fields. */
export type RequestSchema<Output> = v.GenericSchema<unknown, Output> & {
  readonly entries: v.ObjectEntries;
};

/** Checks one object; each issue is added to `issues`, one per field: the first. */
export function validate<Output>(
  schema: RequestSchema<Output>,
  value: Readonly<Record<string, unknown>>,
  issues: Issue[],
): { readonly output: Output } | null {
  const result = v.safeParse(schema, value);
  if (result.success) return { output: result.output };
  const reported = new Set<string>();
  for (const issue of result.issues) {
    const path = shownPath(v.getDotPath(issue) ?? '');
    if (reported.has(path)) continue;
    reported.add(path);
    issues.push({ path, message: issue.message });
  }
  return null;
}

/** A path ends in the caller's own text: an answer does not repeat a name of any length. */
function shownPath(path: string): string {
  const shown = firstCodePoints(path, ISSUE_PATH_MAX_CHARS);
  return shown.length === path.length ? path : `${shown}…`;
}

/** Reading a phone costs a tenth of a send; the same ones come again and again. */
const phones = new GenerationalCache<string, string | null>(PHONES_KEPT);

function cachedCanonicalPhone(raw: string, country: string): string | null {
  const name = `${country} ${raw}`;
  const cached = phones.get(name);
  if (cached !== undefined) return cached;
  const phone = canonicalPhone(raw, country);
  phones.set(name, phone);
  return phone;
}

/** The canonical phone of an object whose schema has one; null without a phone. */
export function readPhone(
  value: Readonly<Record<string, unknown>>,
  caller: Caller,
  issues: Issue[],
): string | null {
  if (typeof value.phone !== 'string' || issues.some((issue) => issue.path === 'phone')) {
    return null;
  }
  const phone = cachedCanonicalPhone(value.phone, caller.country);
  if (phone === null) issues.push({ path: 'phone', message: SENTENCES.phoneInvalid });
  return phone;
}

/** An account key reaches every channel, so the request must name one (C4.9). */
export function requireChannel(
  value: Readonly<Record<string, unknown>>,
  caller: Caller,
  issues: Issue[],
): void {
  if (caller.scope === 'account' && value.channelId === undefined) {
    issues.push({ path: 'channelId', message: SENTENCES.channelRequired });
  }
}
