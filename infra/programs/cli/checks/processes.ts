/** Checks by the processes' own reports: ownership, clocks, refused webhooks, the panel. */
import * as v from 'valibot';
import type { DoctorRow } from '../../../../shared/panel/operation.ts';
import type { Log } from '../../../../shared/ports/log.ts';
import type { Finding } from '../../../../shared/problems/findings.ts';
import type { Config } from '../../../config/config.ts';
import { readAnswer } from '../service/answer.ts';
import { openService, type Service } from '../service/service.ts';
import { failed, passed, sentenceOf, TIMEOUT_MS, withTimeout } from './check.ts';
import { ago, firstOf, namedFindings } from './humanize.ts';
import { checkPanels } from './panels.ts';

const GATHER_MS = 1_000;
const APART_MAX_MS = 1_000;
const NAMES = ['partitions', 'clocks', 'webhooks', 'webhooks late', 'panel'] as const;
export const START_ACTORS = { code: 'startActors', params: {} } as const;

const readySchema = v.object({ missing: v.array(v.string()) });
const membersSchema = v.object({ ids: v.array(v.string()) });
const reportSchema = v.object({
  id: v.string(),
  pid: v.number(),
  now: v.number(),
  publicUrl: v.string(),
  refusedWebhooks: v.array(
    v.object({
      channelId: v.string(),
      ref: v.string(),
      setting: v.string(),
      count: v.number(),
      at: v.number(),
    }),
  ),
  /** A process of an earlier version reports none. */
  lateWebhooks: v.optional(
    v.array(
      v.object({
        channelId: v.string(),
        ref: v.string(),
        count: v.number(),
        lateMs: v.number(),
        behindMs: v.number(),
        at: v.number(),
      }),
    ),
    [],
  ),
});
type Report = v.InferOutput<typeof reportSchema> & { readonly apartMs: number };

interface InspectionContext {
  readonly config: Config;
  readonly log: Log;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Panel processes of this machine's service; null where it is not known. */
  readonly panels: readonly number[] | null;
}

export interface ProcessChecks {
  readonly checks: readonly DoctorRow[];
  /** PUBLIC_URL of the running service; null where no process reports it. */
  readonly publicUrl: string | null;
}

export async function checkProcesses(context: InspectionContext): Promise<ProcessChecks> {
  try {
    const found = await withTimeout(TIMEOUT_MS, inspect(context));
    return found ?? NOBODY_ANSWERS;
  } catch (cause) {
    return failAll({ code: 'foreign', params: { text: sentenceOf(cause) } });
  }
}

/** Without the processes none of these checks has a result. */
export function failAll(detail: Finding, remedy: Finding = START_ACTORS): ProcessChecks {
  return { checks: NAMES.map((name) => failed(name, [detail], remedy)), publicUrl: null };
}

export const NOBODY_ANSWERS = failAll({ code: 'nobodyAnswers', params: {} });

async function inspect({ config, log, now, panels }: InspectionContext): Promise<ProcessChecks> {
  const service = await openService({ config, log, timeoutMs: TIMEOUT_MS });
  const inspected = await inspectProcesses(service, { now, panels });
  await service.close();
  return inspected;
}

/** The checks by a service that is connected already. */
export async function inspectProcesses(
  service: Pick<Service, 'query' | 'askAll'>,
  { now, panels }: Pick<InspectionContext, 'now' | 'panels'>,
): Promise<ProcessChecks> {
  const panel = checkPanels(service, panels);
  const { ids } = readAnswer(membersSchema, await service.query('members', {}));
  const { missing } = readAnswer(readySchema, await service.query('ready', {}));
  const reports = await gather(service, new Set(ids), now);
  const silentIds = ids.filter((id) => !reports.some((report) => report.id === id));
  const checks = [
    ownership(ids.length, silentIds, missing.includes('partitions')),
    clocks(reports),
    webhooks(reports, now()),
    lateWebhooks(reports, now()),
    await panel,
  ];
  return { checks, publicUrl: reports[0]?.publicUrl ?? null };
}

/** Answers to one question; a process that hangs is left out after a while. */
async function gather(
  service: Pick<Service, 'askAll'>,
  ids: ReadonlySet<string>,
  now: () => number,
): Promise<readonly Report[]> {
  const reports: Report[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const timeout = setTimeout(resolve, GATHER_MS);
  const askedAt = now();
  const stop = service.askAll('actors', (answer) => {
    const read = v.safeParse(reportSchema, answer);
    if (!read.success) return;
    // The process read its clock between the question and now.
    const apartMs = Math.max(0, askedAt - read.output.now, read.output.now - now());
    reports.push({ ...read.output, apartMs });
    if (reports.length >= ids.size) resolve();
  });
  if (ids.size === 0) resolve();
  await promise;
  clearTimeout(timeout);
  stop();
  return reports;
}

function ownership(members: number, silentIds: readonly string[], missing: boolean): DoctorRow {
  const processes = { code: 'actorsProcesses', params: { count: members } } as const;
  if (missing) {
    const remedy = { code: 'runEveryKind', params: {} } as const;
    return failed('partitions', [{ code: 'someUnowned', params: {} }, processes], remedy);
  }
  if (silentIds.length === 0) {
    return passed('partitions', { code: 'allOwned', params: {} }, processes);
  }
  const { shown: ids, more } = firstOf(silentIds);
  return failed('partitions', [{ code: 'silent', params: { ids, more } }, processes], START_ACTORS);
}

function clocks(reports: readonly Report[]): DoctorRow {
  const wrong = reports.filter(({ apartMs }) => apartMs > APART_MAX_MS);
  if (wrong.length === 0) return passed('clocks', { code: 'clocksAgree', params: {} });
  const detail = wrong.map(({ id, apartMs }): Finding => {
    return { code: 'clockApart', params: { id, apart: ago(apartMs) } };
  });
  return failed('clocks', namedFindings(detail), { code: 'keepTime', params: {} });
}

function webhooks(reports: readonly Report[], now: number): DoctorRow {
  const refused = reports.flatMap((report) => report.refusedWebhooks);
  if (refused.length === 0) return passed('webhooks', { code: 'noWebhookRefused', params: {} });
  const detail = refused.map(({ at, ...rest }): Finding => {
    return { code: 'webhooksRefused', params: { ...rest, since: ago(now - at) } };
  });
  const isNumber = refused.every(({ setting }) => setting === 'phone');
  const code = isNumber ? 'correctPhone' : 'giveSecret';
  return failed('webhooks', namedFindings(detail), { code, params: {} });
}

/** Late messages start no flow; a clock that only makes them look late silences none. */
function lateWebhooks(reports: readonly Report[], now: number): DoctorRow {
  const late = reports.flatMap((report) => report.lateWebhooks);
  if (late.length === 0) return passed('webhooks late', { code: 'noWebhookLate', params: {} });
  const detail = late.flatMap(({ ref, channelId, count, lateMs, behindMs, at }): Finding[] => {
    const of = { ref, channelId };
    const since = ago(now - at);
    const messages = { ...of, count, since, late: ago(lateMs) };
    return [
      ...(count > 0 ? [{ code: 'webhooksLate', params: messages } as const] : []),
      ...(behindMs > 0
        ? [{ code: 'networkBehind', params: { ...of, behind: ago(behindMs) } } as const]
        : []),
    ];
  });
  return failed('webhooks late', namedFindings(detail), { code: 'seeNetworkClock', params: {} });
}
