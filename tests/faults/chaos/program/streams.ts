/** Event streams under faults: the run of `tests/faults/chaos/streams-killed.test.ts`, longer. */
import { killBesideStreams, type StreamsPlan, sentencesOf } from '../streams/run.ts';

/** The violations. */
export async function runStreams(plan: StreamsPlan): Promise<readonly string[]> {
  const report = await killBesideStreams(plan);
  const { violations } = report;
  for (const sentence of [...sentencesOf(report), ...violations]) plan.tell(sentence);
  plan.tell(`${violations.length} violations`);
  return violations;
}
