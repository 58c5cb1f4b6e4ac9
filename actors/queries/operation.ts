/** Queries of the operator's screens: what waits in the store, whoever owns its partitions. */
import { answerOf } from '../../shared/wire/answer.ts';
import { timestamp } from '../../shared/wire/outbox.ts';
import { EVERY_SHELF } from '../../shared/wire/subjects.ts';
import type { Environment } from '../environment.ts';
import { countAgendas, everyAgendaAge } from '../operations/agendas.ts';
import type { Query } from './lists/answer.ts';

const BREAKERS_SHOWN = 100;

/** Ages in milliseconds, 0 where nothing is due. */
export const readOperation: Query<'operation'> = async (environment) => {
  const { store, clock } = environment;
  const [ages, breakers] = await Promise.all([
    everyAgendaAge(store, clock.now()),
    openBreakers(environment),
  ]);
  const agendas = [...ages].map(([agenda, oldestDueMs]) => ({ agenda, oldestDueMs }));
  return answerOf({ agendas, breakers });
};

export const readAgendas: Query<'agendas'> = async ({ store, clock }) =>
  answerOf({ agendas: await countAgendas(store, clock.now()) });

/** With the organization and the address of each subscription. */
async function openBreakers({ store }: Environment): Promise<readonly object[]> {
  const active = await store.find(
    'breakers',
    { partition: { $in: EVERY_SHELF }, 'state.active': true },
    { limit: BREAKERS_SHOWN, project: { 'state.breaker': 1 } },
  );
  const owners = await Promise.all(
    active.map(({ _id }) =>
      store.findOne(
        'organizations',
        { 'subscriptions.id': _id },
        { project: { ref: 1, name: 1, subscriptions: 1 } },
      ),
    ),
  );
  return active.map(({ _id: subscriptionId, state }, index) => {
    const { open, failingSince } = state.breaker;
    const owner = owners[index];
    const subscription = owner?.subscriptions.find(({ id }) => id === subscriptionId);
    return {
      subscriptionId,
      organization: owner ? { id: owner._id, ref: owner.ref, name: owner.name } : null,
      ref: subscription?.ref ?? null,
      url: subscription?.url ?? null,
      // An active breaker that is not open takes up again what it has set aside.
      openSince: open && timestamp(open.since),
      probeAt: open && timestamp(open.probeAt),
      failingSince: failingSince === null ? null : timestamp(failingSince),
    };
  });
}
