/** Check of the panel's processes: which of them answer, and at which address. */
import { hostname } from 'node:os';
import { askPanels, type Report } from '../panel-reports.ts';
import type { Service } from '../service.ts';
import { type Check, fail, pass } from './check.ts';

const NAME = 'panel';
/** Answers that come by then are counted where nobody knows how many there are. */
const GATHER_MS = 400;
const GATHER_KNOWN_MS = 1_000;

/** @param expected this machine's processes in `run.json`; null for another machine's service */
export async function checkPanels(
  service: Pick<Service, 'askAll'>,
  expected: readonly number[] | null,
): Promise<Check> {
  const silent = new Set(expected);
  const reports = await gather(service, expected === null ? null : silent);
  const found = sentenceOf(reports);
  if (silent.size === 0) return ofProxies(reports, found);
  const who = `${silent.size === 1 ? 'process' : 'processes'} ${[...silent].join(', ')}`;
  return fail(NAME, `${who} of the panel: no answer; ${found}`, 'See the log of the panel.');
}

/** Behind a proxy that is not believed, all people share one address and its bounds. */
function ofProxies(reports: readonly Report[], found: string): Check {
  const proxies = new Set(reports.flatMap(({ untrustedProxy }) => untrustedProxy ?? []));
  if (proxies.size === 0) return pass(NAME, found);
  const detail = `${[...proxies].sort().join(', ')} forwards addresses and is not believed; ${found}`;
  return fail(NAME, detail, NAME_PROXY);
}

const NAME_PROXY =
  'If that is your proxy, name its network in PANEL_TRUSTED_PROXIES; else let only it reach the panel.';

function sentenceOf(reports: readonly Report[]): string {
  if (reports.length === 0) return 'none runs';
  const addresses = new Set(reports.map(({ url }) => url));
  const processes = `${reports.length} ${reports.length === 1 ? 'process' : 'processes'}`;
  return `${processes} at ${[...addresses].sort().join(', ')}`;
}

/** @param silent loses the expected processes that answer; the last one ends the wait */
async function gather(
  service: Pick<Service, 'askAll'>,
  silent: Set<number> | null,
): Promise<readonly Report[]> {
  const here = hostname();
  const reports: Report[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const timeout = setTimeout(resolve, silent === null ? GATHER_MS : GATHER_KNOWN_MS);
  const stop = askPanels(service, (report) => {
    reports.push(report);
    const { host, pid } = report;
    if (host === here) silent?.delete(pid);
    if (silent?.size === 0) resolve();
  });
  if (silent?.size === 0) resolve();
  await promise;
  clearTimeout(timeout);
  stop();
  return reports;
}
