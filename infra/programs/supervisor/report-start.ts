/**
 * Reports to the terminal the servers that a start waits for.
 * 1. First the servers that everything depends on, each by itself, until all of them have answered.
 * 2. Then the service as a whole: with its servers there, a wait is reported only after ten
 *    seconds.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../../shared/ports/clock.ts';
import { WaitReporter, type WaitReporterOptions } from '../../adapters/log/wait-reporter.ts';
import type { Probe } from './probes.ts';
import { untilReady } from './readiness.ts';

const ASK_AGAIN_MS = 250;
const SERVICE_FIRST_MS = 10_000;

export interface StartReport {
  readonly baseUrl: string;
  /** Where the panel listens; null where none runs. */
  readonly panelUrl: string | null;
  readonly probes: readonly Probe[];
  readonly clock: Clock;
  readonly report: (sentence: string) => void;
  /** Aborted when the start is cancelled. */
  readonly signal: AbortSignal;
}

/** Resolves true when the whole service is ready, false when the start was cancelled before. */
export async function reportStart(start: StartReport): Promise<boolean> {
  const { baseUrl, probes, clock, report } = start;
  const done = new AbortController();
  const signal = AbortSignal.any([start.signal, done.signal]);
  const settings: WaitReporterOptions = { clock, onWait: report, onAnswered: report };
  const service: { waiting: WaitReporter | null } = { waiting: null };
  const answering = probes.map((probe) => untilAnswered(probe, { settings, signal }));
  void Promise.all(answering).then(() => {
    if (signal.aborted) return;
    const whole = { name: 'the service', where: `${baseUrl}/readyz` };
    service.waiting = new WaitReporter(whole, { ...settings, firstMs: SERVICE_FIRST_MS });
  });
  const wait = {
    signal: start.signal,
    notYet: (why: string) => service.waiting?.failed(new Error(why)),
  };
  const urls = [baseUrl, ...(start.panelUrl === null ? [] : [start.panelUrl])];
  const answered = await Promise.all(urls.map((url) => untilReady(url, wait)));
  const ready = answered.every(Boolean);
  done.abort();
  service.waiting?.stop();
  return ready;
}

interface ProbeContext {
  readonly settings: WaitReporterOptions;
  readonly signal: AbortSignal;
}

async function untilAnswered(probe: Probe, { settings, signal }: ProbeContext): Promise<void> {
  const waitReporter = new WaitReporter(probe.server, settings);
  signal.addEventListener('abort', () => waitReporter.stop());
  while (!signal.aborted) {
    try {
      await probe.ask();
      return signal.aborted ? undefined : waitReporter.answered();
    } catch (cause) {
      waitReporter.failed(cause);
    }
    await pause(ASK_AGAIN_MS);
  }
}
