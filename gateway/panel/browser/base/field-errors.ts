/** Problems of a refused form: each beside the field that it names, the others below them all. */
import type { Refused } from './call.ts';

/** The sentence about the field of this name. */
export function errorAt(refused: Refused | null, path: string): string | undefined {
  return refused?.issues.find((issue) => issue.path === path)?.message;
}

/** What no field says: null where every problem stands beside its own. */
export function errorBeside(refused: Refused | null, paths: readonly string[]): Refused | null {
  if (refused === null) return null;
  const issues = refused.issues.filter(({ path }) => !paths.includes(path));
  return refused.issues.length > 0 && issues.length === 0 ? null : { ...refused, issues };
}

/** A refusal that is about one field, though it names none. */
export function refusedAt(path: string, refused: Refused): Refused {
  return { ...refused, issues: [{ path, message: refused.sentence }] };
}

/** A problem that the page finds itself. */
export function wrongAt(path: string, message: string): Refused {
  return { status: 422, sentence: message, issues: [{ path, message }] };
}
