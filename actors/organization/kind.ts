/** Kind of organizations: the runtime's hooks, and the parts that its actors share. */
import { CounterMaintainer } from '../counters/maintainer.ts';
import { isRecountRequest } from '../counters/recount-request.ts';
import type { Environment } from '../environment.ts';
import type { DuePoller } from '../runtime/due-poller.ts';
import type { Kind } from '../runtime/kind.ts';
import { OrganizationActor } from './actor.ts';
import { AdmissionStates } from './admission.ts';

export interface OrganizationKindSettings {
  readonly environment: Environment;
  /** Called for each admitted call. */
  readonly onAdmitted?: (orgId: string) => void;
  readonly onChangeKnown?: (ms: number) => void;
}

export function organizationKind(settings: OrganizationKindSettings, duePoller: DuePoller): Kind {
  const { environment } = settings;
  const admissionStates = new AdmissionStates(environment);
  const maintainer = new CounterMaintainer(environment, duePoller);
  return {
    kind: 'organization',
    open: (key, epoch) =>
      new OrganizationActor(key, settings, {
        load: () => admissionStates.acquire(key, epoch),
        release: () => admissionStates.release(key, epoch),
      }),
    acquire: async (partition) => maintainer.acquire(partition),
    release(partition) {
      maintainer.release(partition);
      admissionStates.releasePartition(partition);
    },
    nudge(_, payload) {
      if (isRecountRequest(payload)) maintainer.request(payload);
    },
  };
}
