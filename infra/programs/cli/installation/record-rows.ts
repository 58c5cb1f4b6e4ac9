/**
 * Rows of `recado doctor` that read the record, for the panel, which never talks to the store: a
 * process with actors makes the checks.
 *
 * 1. They read every organization and ask its networks, and an open screen asks for them every
 *    10 s: so they are kept for a minute.
 * 2. No failure is kept: actors that have just started are asked at once.
 */
import * as v from 'valibot';
import type { DoctorRow } from '../../../../shared/panel/operation.ts';
import type { Finding } from '../../../../shared/problems/findings.ts';
import { failed, sentenceOf } from '../checks/check.ts';
import { START_ACTORS } from '../checks/processes.ts';
import { readAnswer } from '../service/answer.ts';
import type { Service } from '../service/service.ts';

const KEPT_MS = 60_000;

/** A code of another release is passed on: the page shows it as it is. */
const finding = v.custom<Finding>(
  (value) => typeof Reflect.get(Object(value), 'code') === 'string',
);
const answerSchema = v.object({
  rows: v.array(
    v.object({
      name: v.string(),
      ok: v.boolean(),
      detail: v.array(finding),
      remedy: v.nullable(finding),
    }),
  ),
});

interface Kept {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly rows: Promise<readonly DoctorRow[]>;
}

export function recordRows(
  service: Pick<Service, 'query'>,
  now: () => number,
): () => Promise<readonly DoctorRow[]> {
  let kept: Kept | null = null;
  const read = async (): Promise<readonly DoctorRow[]> => {
    try {
      return readAnswer(answerSchema, await service.query('record-checks', {})).rows;
    } catch (cause) {
      kept = null;
      const detail = { code: 'foreign', params: { text: sentenceOf(cause) } } as const;
      return [failed('mongodb', [detail], START_ACTORS)];
    }
  };
  return () => {
    if (kept === null || now() - kept.at >= KEPT_MS) kept = { at: now(), rows: read() };
    return kept.rows;
  };
}
