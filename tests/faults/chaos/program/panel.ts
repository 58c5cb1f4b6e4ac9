/** Open pages of the panel under faults: the run of `tests/faults/killed/panel-pages.test.ts`, longer. */

import { startPanel } from '../../../support/panel/panel-fixture.ts';
import { changeAndKill, sentenceOf } from '../../killed/panel/kills.ts';

export interface PanelRun {
  readonly seed: number;
  readonly changes: number;
  readonly tell: (sentence: string) => void;
}

/** The differences that were left between a page and the API's lists. */
export async function runPanel(plan: PanelRun): Promise<readonly string[]> {
  const panel = await startPanel();
  try {
    const report = await changeAndKill(panel, plan);
    const { differences } = report;
    plan.tell(sentenceOf(report));
    for (const difference of differences) plan.tell(difference);
    plan.tell(`${differences.length} differences between the pages and the API`);
    return differences;
  } finally {
    await panel.stop();
  }
}
