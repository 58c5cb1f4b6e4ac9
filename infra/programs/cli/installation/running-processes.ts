/** The running processes for the panel, by the parts of `recado actors` and `recado doctor`. */

import { ASK_DEADLINE_MS } from '../../../../shared/limits.ts';
import type { DoctorRow, RunningProcesses } from '../../../../shared/panel/operation.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { Log } from '../../../../shared/ports/log.ts';
import { natsSettings } from '../../../adapters/nats/access.ts';
import type { NetworkBus } from '../../../adapters/nats/network-bus.ts';
import type { FrontConfig } from '../../../config/config.ts';
import { passed, sentenceOf, TIMEOUT_MS, withTimeout } from '../checks/check.ts';
import { checkMail } from '../checks/mail.ts';
import { checkNats } from '../checks/nats.ts';
import { checkOpenFiles } from '../checks/open-files.ts';
import {
  failAll,
  inspectProcesses,
  NOBODY_ANSWERS,
  type ProcessChecks,
} from '../checks/processes.ts';
import type { Service } from '../service/service.ts';
import { listActors } from './actors.ts';
import { recordRows } from './record-rows.ts';

interface Connected {
  readonly bus: NetworkBus;
  readonly config: FrontConfig;
  readonly clock: Clock;
  readonly log: Log;
}

export function runningProcesses({ bus, config, clock, log }: Connected): RunningProcesses {
  const service: Pick<Service, 'query' | 'askAll'> = {
    query: (resource, payload) =>
      bus.query(resource, payload, { deadline: clock.now() + ASK_DEADLINE_MS }),
    askAll: (topic, onAnswer) => bus.askAll(topic, onAnswer),
  };
  const now = () => clock.now();
  const ofRecord = recordRows(service, now);
  return {
    actors: async () => (await listActors(service, log)).processes,
    doctor: () => doctorRows(service, { config, now, ofRecord }),
    metrics: () => bus.readMetrics(),
  };
}

/** A process with a wrong setting does not start. */
const SETTLED = passed('settings', { code: 'settingsValid', params: {} });

interface RowsContext {
  readonly config: FrontConfig;
  readonly now: () => number;
  readonly ofRecord: () => Promise<readonly DoctorRow[]>;
}

/** In the order of the terminal. The open files are those of this process and its machine. */
async function doctorRows(
  service: Pick<Service, 'query' | 'askAll'>,
  { config, now, ofRecord }: RowsContext,
): Promise<readonly DoctorRow[]> {
  const [nats, record, { checks }, mail, files] = await Promise.all([
    checkNats(natsSettings(config)),
    ofRecord(),
    inspectInTime(service, now),
    checkMail(config),
    checkOpenFiles([]),
  ]);
  return [SETTLED, nats, ...record, ...checks, mail, files];
}

async function inspectInTime(
  service: Pick<Service, 'query' | 'askAll'>,
  now: () => number,
): Promise<ProcessChecks> {
  try {
    const found = await withTimeout(TIMEOUT_MS, inspectProcesses(service, { now, panels: null }));
    return found ?? NOBODY_ANSWERS;
  } catch (cause) {
    return failAll({ code: 'foreign', params: { text: sentenceOf(cause) } });
  }
}
