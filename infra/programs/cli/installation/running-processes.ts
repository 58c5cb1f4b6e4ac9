/** The running processes for the panel, by the parts of `recado actors` and `recado doctor`. */

import { ASK_DEADLINE_MS } from '../../../../shared/limits.ts';
import type { DoctorRow, RunningProcesses } from '../../../../shared/panel/operation.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { Log } from '../../../../shared/ports/log.ts';
import { natsSettings } from '../../../adapters/nats/access.ts';
import type { NetworkBus } from '../../../adapters/nats/network-bus.ts';
import type { FrontConfig } from '../../../config/config.ts';
import { sentenceOf, TIMEOUT_MS, withTimeout } from '../checks/check.ts';
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
  return {
    actors: async () => (await listActors(service, log)).processes,
    doctor: () => doctorRows(service, config, () => clock.now()),
    metrics: () => bus.readMetrics(),
  };
}

/** The open files are those of this process and its machine. */
async function doctorRows(
  service: Pick<Service, 'query' | 'askAll'>,
  config: FrontConfig,
  now: () => number,
): Promise<readonly DoctorRow[]> {
  const [nats, { checks }, mail, files] = await Promise.all([
    checkNats(natsSettings(config)),
    inspectInTime(service, now),
    checkMail(config),
    checkOpenFiles([]),
  ]);
  return [nats, ...checks, mail, files];
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
