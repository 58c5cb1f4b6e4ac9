/** An organization's actor on the model of the store, with its rate windows. */
import { OrganizationActor } from '../../../actors/organization/actor.ts';
import { AdmissionStates } from '../../../actors/organization/admission.ts';
import type { Answer, CommandOf } from '../../../shared/ports/bus.ts';
import { applied, contextAt, NOW } from '../../support/actors/domain/organization-fixture.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import type { Store } from '../../support/plain-store.ts';
import { Database } from '../simulation/memory/database.ts';
import { environmentOf } from './environment.ts';
import { modelStore } from './model-store.ts';

export const SHOP = { ref: 'loja', name: 'Loja', timeZone: 'America/Sao_Paulo', country: 'BR' };

/** @param more than its name, in its file */
export function organizationOwner(
  more: object,
  around = (store: Store): Store => store,
  clock = new ManualClock(),
) {
  const { id, ...state } = applied({ ...SHOP, ...more });
  const database = new Database();
  database.apply({ insert: 'organizations', document: { _id: id, ...state } });
  const { ids, seal, open: unseal, publicUrl } = contextAt(NOW);
  const settings = { callsPerKey: 120, callsPerOrganization: 600, publicUrl };
  const environment = environmentOf({
    ...{ store: around(modelStore(database)), clock, ids, settings },
    ...{ vault: { seal, open: unseal }, outbound: { refuse: async () => null } },
  });
  const rateWindows = new AdmissionStates(environment);
  const counters = {
    load: () => rateWindows.acquire(id, 1),
    release: () => rateWindows.release(id, 1),
  };
  /** A new life of the actor, in the same process: it has loaded nothing. */
  const open = () => new OrganizationActor(id, { environment }, counters);
  return { id, database, clock, environment, open };
}

export async function answerOf(
  actor: OrganizationActor,
  command: CommandOf<'organization'>,
  repeat = false,
): Promise<Answer> {
  return (await actor.sharedHandler(command)) ?? actor.turn(command, { repeat });
}
