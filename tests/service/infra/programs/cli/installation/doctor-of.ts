/** Findings of `recado doctor`, by the names of its checks. */
import assert from 'node:assert/strict';
import * as v from 'valibot';
import { spawnRecado } from '../../../../../support/command-line.ts';
import { environment } from '../../../../../support/launch.ts';
import type { Ran } from '../../../../../support/run-program.ts';
import type { Stack } from '../../../../../support/stack.ts';
import { waitUntil } from '../../../../../support/wait-for.ts';

const GIVEN_UP = /No answer within|Nobody answers\.|no answer in time/;
/** Names of the checks that depend on the machine that runs the test. */
const OF_THE_MACHINE = new Set(['disk', 'open files']);

export interface Findings {
  /** The detail of a check that has to be unwell. */
  unwell(name: string): string;
  well(name: string): string;
  /** Names of all that are unwell. */
  readonly names: readonly string[];
}

const DiagnosisSchema = v.object({
  checks: v.array(
    v.object({
      name: v.string(),
      ok: v.boolean(),
      detail: v.string(),
      remedy: v.nullable(v.string()),
    }),
  ),
});

/** Diagnoses again while a check is given up before its answer, as a slow machine may do. */
export function diagnosedInTime(diagnose: () => Promise<Ran>): Promise<Ran> {
  const diagnosed = async () => {
    const ran = await diagnose();
    return GIVEN_UP.test(ran.stdout) ? null : ran;
  };
  return waitUntil('every check has an answer', diagnosed);
}

/** @param settings those of the service that its command line is run with too */
export async function doctorOf(
  stack: Stack,
  settings: Readonly<Record<string, string>> = {},
): Promise<Findings> {
  const env = { ...environment(), DATA_DIR: stack.dataDir, ...settings };
  const { stdout } = await diagnosedInTime(() => spawnRecado(['--json', 'doctor'], { env }));
  const { checks } = v.parse(DiagnosisSchema, JSON.parse(stdout));
  const detailOf = (name: string, wanted: boolean) => {
    const found = checks.find((check) => check.name === name);
    assert.equal(found?.ok, wanted, `${name}: ${found?.detail}`);
    if (!wanted) assert.ok(found?.remedy, 'there is something to do');
    return found?.detail ?? '';
  };
  return {
    unwell: (name) => detailOf(name, false),
    well: (name) => detailOf(name, true),
    names: checks
      .filter((check) => !check.ok && !OF_THE_MACHINE.has(check.name))
      .map(({ name }) => name),
  };
}
