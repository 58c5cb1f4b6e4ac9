/** `recado doctor`: checks every dependency of the service, and recommends remedies. */
import type { DoctorRow } from '../../../../shared/panel/operation.ts';
import type { Log } from '../../../../shared/ports/log.ts';
import type { NatsSettings } from '../../../adapters/nats/access.ts';
import type { Config } from '../../../config/config.ts';
import { failed, passed } from '../checks/check.ts';
import { tellRow } from '../checks/finding-sentences.ts';
import { checkMail } from '../checks/mail.ts';
import { checkRecord } from '../checks/mongo.ts';
import { checkNats } from '../checks/nats.ts';
import { checkOpenFiles } from '../checks/open-files.ts';
import { checkProcesses, failAll, type ProcessChecks } from '../checks/processes.ts';
import { render } from '../output/print.ts';
import { natsOf, type RunFile, readRunFile } from '../service/run-file.ts';

export interface Diagnosis {
  readonly ok: boolean;
  readonly checks: readonly DoctorRow[];
}

const CORRECT_ENVIRONMENT = { code: 'correctEnvironment', params: {} } as const;
const UNASKED = { code: 'nobodyAskedWithoutNats', params: {} } as const;

/** The settings, or their problems: then no other check can run. */
export type Settings = { readonly config: Config } | { readonly problems: readonly string[] };

const quiet = (): void => undefined;
/** The checks report missing parts, so the log is silent. */
const SILENT: Log = { debug: quiet, info: quiet, warn: quiet, error: quiet };

/** @param now epoch milliseconds */
export async function examine(settings: Settings, now: () => number): Promise<Diagnosis> {
  if ('problems' in settings) {
    const wrong = { code: 'settingsWrong', params: settings } as const;
    return diagnosisOf([failed('settings', [wrong], CORRECT_ENVIRONMENT)]);
  }
  const { config } = settings;
  const run = await readRunFile(config.dataDir);
  const [nats, { checks: processes, publicUrl }] = await checkTransport(
    { config, log: SILENT, now, panels: panelsOf(config, run) },
    natsOf(config, run),
  );
  const [record, mail, files] = await Promise.all([
    checkRecord(config.mongodbUrl ?? run?.mongodbUrl ?? null, {
      config,
      publicUrl: publicUrl ?? config.publicUrl,
      now,
    }),
    checkMail(config),
    checkOpenFiles(Object.values(run?.pids ?? {}).flat()),
  ]);
  const code = run === null ? 'noServiceRuns' : 'serviceRuns';
  const runs = { code, params: { dataDir: config.dataDir } } as const;
  const settled = passed('settings', { code: 'settingsValid', params: {} }, runs);
  return diagnosisOf([settled, nats, ...record, ...processes, mail, files]);
}

/** With a server of its own, the service may run on several machines. */
function panelsOf(config: Config, run: RunFile | null): readonly number[] | null {
  return run === null || config.natsUrl !== undefined ? null : (run.pids.panel ?? []);
}

/** Ownership is read over NATS: without NATS its checks have no result. */
async function checkTransport(
  context: Parameters<typeof checkProcesses>[0],
  settings: NatsSettings | null,
): Promise<readonly [DoctorRow, ProcessChecks]> {
  const nats = await checkNats(settings);
  const asked = nats.ok ? await checkProcesses(context) : null;
  return [nats, asked ?? failAll(UNASKED, { code: 'seeCheck', params: { name: 'nats' } })];
}

function diagnosisOf(checks: readonly DoctorRow[]): Diagnosis {
  return { ok: checks.every((check) => check.ok), checks };
}

/** In the sentences of the terminal. */
export function tellDiagnosis({ ok, checks }: Diagnosis) {
  return { ok, checks: checks.map(tellRow) };
}

/** A row per check. */
export function renderDiagnosis({ ok, checks }: ReturnType<typeof tellDiagnosis>): string {
  const data = checks.map((check) => ({ ...check, ok: check.ok ? 'ok' : 'NOT OK' }));
  return `${render({ data }, 'wrap')}${ok ? 'All is well.' : 'Something needs you.'}\n`;
}
