/**
 * Reports to the terminal the servers that a start waits for.
 * 1. First the servers that everything depends on, each by itself, until all of them have answered.
 * 2. Then the service as a whole: with its servers there, a wait is reported only after ten
 *    seconds.
 * 3. A service that is ready has found its servers: a reported one is then reported as answering,
 *    also where the service was faster than the next attempt from here.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../../../../shared/ports/clock.ts';
import { WaitReporter, type WaitReporterOptions } from '../../../../adapters/log/wait-reporter.ts';
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
  const waits = probes.map((probe) => ({
    probe,
    waitReporter: new WaitReporter(probe.server, settings),
  }));
  const answering = waits.map((wait) => untilAnswered(wait, signal));
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
  for (const { waitReporter } of waits) {
    if (ready) waitReporter.answered();
    else waitReporter.stop();
  }
  return ready;
}

interface Wait {
  readonly probe: Probe;
  readonly waitReporter: WaitReporter;
}

async function untilAnswered({ probe, waitReporter }: Wait, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await probe.ask();
      return signal.aborted ? undefined : waitReporter.answered();
    } catch (cause) {
      if (!signal.aborted) waitReporter.failed(cause);
    }
    await pause(ASK_AGAIN_MS);
  }
}
