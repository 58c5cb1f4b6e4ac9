/** One check of `recado doctor`. Those that the panel shows too find codes. */
import type { DoctorRow } from '../../../../shared/panel/operation.ts';
import { sentenceOf as sentenceIn } from '../../../../shared/problems/coded.ts';
import type { Finding } from '../../../../shared/problems/findings.ts';
import { FINDINGS } from './finding-sentences.ts';

export interface Check {
  readonly name: string;
  readonly ok: boolean;
  /** The finding. */
  readonly detail: string;
  /** The remedy; null when there is nothing to do. */
  readonly remedy: string | null;
}

/** The longest wait for the answer of any part. */
export const TIMEOUT_MS = 2_500;

export function pass(name: string, detail: string): Check {
  return { name, ok: true, detail, remedy: null };
}

export function fail(name: string, detail: string, remedy: string): Check {
  return { name, ok: false, detail, remedy };
}

export function passed(name: string, ...detail: readonly Finding[]): DoctorRow {
  return { name, ok: true, detail, remedy: null };
}

export function failed(name: string, detail: readonly Finding[], remedy: Finding): DoctorRow {
  return { name, ok: false, detail, remedy };
}

/** The row as a terminal shows it. */
export function inEnglish({ detail, remedy, ...row }: DoctorRow): Check {
  return {
    ...row,
    detail: detail.map((finding) => sentenceIn(FINDINGS, finding)).join('; '),
    remedy: remedy && sentenceIn(FINDINGS, remedy),
  };
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
