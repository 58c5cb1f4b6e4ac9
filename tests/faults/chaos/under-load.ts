/** A test of a stack under load: something happens, the load goes on, and the verdict is spoken. */
import { test } from 'node:test';
import { type LoadFixture, openLoadFixture } from './load-fixture.ts';
import { judge, type Outcome } from './verdict.ts';

interface UnderLoad {
  readonly settings?: Readonly<Record<string, string>>;
  /** So many sends of every worker are answered before it happens, and after it. */
  readonly progress: number;
  readonly timeoutMs?: number;
  readonly happens: (fixture: LoadFixture) => Promise<void>;
  readonly judged?: (outcome: Outcome) => void;
}

export function testUnderLoad(title: string, plan: UnderLoad): void {
  const { settings, progress, timeoutMs: timeout = 450_000, happens, judged } = plan;
  test(title, { timeout }, async (t) => {
    const fixture = await openLoadFixture(t, settings);
    await fixture.load.progress(progress);
    await happens(fixture);
    await fixture.load.progress(progress);
    await fixture.load.stop();
    const outcome = await judge(fixture);
    t.diagnostic(JSON.stringify(outcome));
    judged?.(outcome);
  });
}
