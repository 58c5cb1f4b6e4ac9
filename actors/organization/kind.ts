/** Kind of organizations: the runtime's hooks, and the parts that its actors share. */
import { CounterMaintainer } from '../counters/maintainer.ts';
import { isRecountRequest } from '../counters/recount-request.ts';
import type { Environment } from '../environment.ts';
import type { DuePoller } from '../runtime/due-poller.ts';
import type { Kind } from '../runtime/kind.ts';
import { OrganizationActor } from './actor.ts';
import { AdmissionStates } from './admission.ts';
import { StageFollower } from './stage-follower.ts';

export interface OrganizationKindSettings {
  readonly environment: Environment;
  /** Called for each admitted call. */
  readonly onAdmitted?: (orgId: string) => void;
  readonly onChangeKnown?: (ms: number) => void;
  /** Called with the number of deals that were asked to follow a removed stage. */
  readonly onDealsFollowed?: (count: number) => void;
}

export function organizationKind(settings: OrganizationKindSettings, duePoller: DuePoller): Kind {
  const { environment, onDealsFollowed = () => undefined } = settings;
  const admissionStates = new AdmissionStates(environment);
  const maintainer = new CounterMaintainer(environment, duePoller);
  const follower = new StageFollower(environment, onDealsFollowed);
  const parts = { ...settings, onStagesLeft: () => follower.request() };
  return {
    kind: 'organization',
    open: (key, epoch) =>
      new OrganizationActor(key, parts, {
        load: () => admissionStates.acquire(key, epoch),
        release: () => admissionStates.release(key, epoch),
      }),
    async acquire(partition) {
      maintainer.acquire(partition);
      follower.acquire(partition);
    },
    // A change that was committed without an answer of the store may have removed a stage.
    recover: async () => follower.request(),
    release(partition) {
      maintainer.release(partition);
      follower.release(partition);
      admissionStates.releasePartition(partition);
    },
    nudge(_, payload) {
      if (isRecountRequest(payload)) maintainer.request(payload);
    },
  };
}
