/** Which parts of a file are run while a test is, by the engine's own block counters. */

import type { Profiler } from 'node:inspector/promises';
import { Session } from 'node:inspector/promises';

/** Offsets of the text, the end not included; one for each character that was run. */
export type Ran = Uint8Array;

export class Coverage {
  readonly #session = new Session();

  async start(): Promise<void> {
    this.#session.connect();
    await this.#session.post('Profiler.enable');
    await this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** Since the last take. @param ofUrl null for scripts that are of no interest */
  async take(ofUrl: (url: string) => { readonly file: string; readonly length: number } | null) {
    const { result } = await this.#session.post('Profiler.takePreciseCoverage');
    const ran = new Map<string, Ran>();
    for (const script of result) {
      const of = ofUrl(script.url);
      if (!of) continue;
      const painted = ran.get(of.file) ?? new Uint8Array(of.length);
      paint(painted, script.functions);
      ran.set(of.file, painted);
    }
    return ran;
  }
}

/** Ranges come from the outer to the inner. */
function paint(ran: Ran, functions: readonly Profiler.FunctionCoverage[]): void {
  for (const { ranges } of functions) {
    for (const { startOffset, endOffset, count } of ranges) {
      ran.fill(count > 0 ? 1 : 0, startOffset, endOffset);
    }
  }
}
