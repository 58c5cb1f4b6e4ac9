/** One check of `recado doctor`. */
import type { DoctorRow } from '../../../../shared/panel/operation.ts';
import type { Finding } from '../../../../shared/problems/findings.ts';

/** The longest wait for the answer of any part. */
export const TIMEOUT_MS = 2_500;

export function passed(name: string, ...detail: readonly Finding[]): DoctorRow {
  return { name, ok: true, detail, remedy: null };
}

export function failed(name: string, detail: readonly Finding[], remedy: Finding): DoctorRow {
  return { name, ok: false, detail, remedy };
}

export { sentenceOf } from '../../../adapters/log/sentence.ts';

/** Null when the work exceeds the timeout. */
export async function withTimeout<T>(ms: number, work: Promise<T>): Promise<T | null> {
  const { promise, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(resolve, ms, null);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whole milliseconds since, at least 1. */
export function msSince(startedAt: number): number {
  return Math.max(1, Math.round(performance.now() - startedAt));
}
