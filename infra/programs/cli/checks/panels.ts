/** Check of the panel's processes: which of them answer, and at which address. */
import { hostname } from 'node:os';
import type { DoctorRow } from '../../../../shared/panel/operation.ts';
import type { Finding } from '../../../../shared/problems/findings.ts';
import { askPanels, type Report } from '../service/panel-reports.ts';
import type { Service } from '../service/service.ts';
import { failed, passed } from './check.ts';

const NAME = 'panel';
/** Answers that come by then are counted where nobody knows how many there are. */
const GATHER_MS = 400;
const GATHER_KNOWN_MS = 1_000;

/** @param expected this machine's processes in `run.json`; null for another machine's service */
export async function checkPanels(
  service: Pick<Service, 'askAll'>,
  expected: readonly number[] | null,
): Promise<DoctorRow> {
  const silent = new Set(expected);
  const reports = await gather(service, expected === null ? null : silent);
  const found = foundIn(reports);
  if (silent.size === 0) return ofProxies(reports, found);
  const detail = { code: 'panelSilent', params: { pids: [...silent] } } as const;
  return failed(NAME, [detail, found], { code: 'seePanelLog', params: {} });
}

/** Behind a proxy that is not believed, all people share one address and its bounds. */
function ofProxies(reports: readonly Report[], found: Finding): DoctorRow {
  const proxies = new Set(reports.flatMap(({ untrustedProxy }) => untrustedProxy ?? []));
  if (proxies.size === 0) return passed(NAME, found);
  const params = { proxies: [...proxies].sort() };
  const remedy = { code: 'nameProxy', params: {} } as const;
  return failed(NAME, [{ code: 'proxiesUntrusted', params }, found], remedy);
}

function foundIn(reports: readonly Report[]): Finding {
  if (reports.length === 0) return { code: 'noPanel', params: {} };
  const addresses = new Set(reports.map(({ url }) => url));
  const params = { count: reports.length, addresses: [...addresses].sort() };
  return { code: 'panelsAt', params };
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
