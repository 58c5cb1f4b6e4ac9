/**
 * A command that arrives after its id has expired is decided anew. The effects of the second
 * transition have names of their own, so that subscribers and flows receive both.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeliveryDocument } from '../../../actors/model/subscription.ts';
import { LASTING_COMMAND_RETENTION_MS } from '../../../shared/limits.ts';
import type { CommandOf } from '../../../shared/ports/bus.ts';
import type { ActorKind } from '../../../shared/vocabulary.ts';
import { Database } from '../simulation/memory/database.ts';
import { modelStore } from './model-store.ts';
import { CONTACT, Owner } from './owners.ts';
import { deal, ORG, said, task } from './schedules.ts';
import { settle } from './settle.ts';
import { StillClock } from './still-clock.ts';

const KEY = 'key_1';
const command = (id: string, type: string, fields: object): CommandOf =>
  ({ ...{ id, type, source: 'api', ...said }, ...fields }) as CommandOf;

interface Transition {
  readonly kind: ActorKind;
  readonly first: CommandOf;
  readonly change: CommandOf;
  readonly back: CommandOf;
  /** Events and commands that follow from each change, and those from the way back. */
  readonly tells: { readonly twice: readonly string[]; readonly other: readonly string[] };
}

const TRANSITIONS: readonly Transition[] = [
  {
    kind: 'deal',
    first: command(KEY, 'create', { ...deal, phone: undefined }),
    change: command('cmd_1', 'change', { status: 'won' }),
    back: command('cmd_2', 'change', { status: 'open' }),
    tells: { twice: ['deal.won'], other: ['deal.reopened'] },
  },
  {
    kind: 'task',
    first: command(KEY, 'create', task),
    change: command('cmd_1', 'change', { done: true }),
    back: command('cmd_2', 'change', { done: false }),
    tells: { twice: ['task.completed'], other: [] },
  },
  {
    kind: 'contact',
    first: command('cmd_0', 'upsert', { name: 'Bia' }),
    change: command('cmd_1', 'upsert', { optIn: false, tags: ['vip'] }),
    back: command('cmd_2', 'flow-change', { optIn: true, untags: ['vip'] }),
    tells: { twice: ['contact.opt_out', 'flow-route-opt-out', 'flow-route-tags'], other: [] },
  },
];

const SUBSCRIPTION = { id: 'sub_1', events: ['*', 'deal.reopened'], enabled: true };

/** Commands of the owner to others, once its events were recorded and they have been published. */
async function published({ asked }: Owner): Promise<readonly CommandOf[]> {
  // Events are gathered for a turn of the event loop before they are recorded.
  await settle();
  return asked;
}

/** Commands to others, which may come again for a day. */
function followingOf({ type, id, lasting }: CommandOf): { sort: string; id: string }[] {
  if (!type.startsWith('flow-route')) return [];
  assert.equal(lasting, true, 'it may be handed on again');
  return [{ sort: type, id }];
}

for (const { kind, first, change, back, tells } of TRANSITIONS) {
  test(`the second transition of a ${kind} by one command has names of its own`, async () => {
    const database = new Database();
    database.apply({ insert: 'contacts', document: { _id: CONTACT, orgId: ORG, phone: '1' } });
    const organization = { _id: ORG, members: [], keys: [], subscriptions: [SUBSCRIPTION] };
    database.apply({ insert: 'organizations', document: organization });
    const deliveries = () =>
      database
        .find<DeliveryDocument>('deliveries', {})
        .map(({ _id: id, event: sort }) => ({ sort, id }));
    const clock = new StillClock();
    const owner = new Owner(kind, modelStore(database), clock);
    await owner.turn(KEY, first);
    await published(owner);
    owner.asked.length = 0;
    const before = new Set(deliveries().map(({ id }) => id));
    await owner.turn(KEY, { ...change, lasting: true });
    await owner.turn(KEY, { ...change, lasting: true });
    clock.pass(LASTING_COMMAND_RETENTION_MS);
    await owner.turn(KEY, back);
    await owner.turn(KEY, { ...change, lasting: true });
    const followed = [
      ...(await published(owner)).flatMap(followingOf),
      ...deliveries().filter(({ id }) => !before.has(id)),
    ];
    const sorts = new Set(
      followed.map(({ sort }) => sort).filter((sort) => !tells.other.includes(sort)),
    );
    assert.deepEqual([...sorts].sort(), tells.twice);
    for (const sort of sorts) {
      const ids = followed.filter((each) => each.sort === sort).map(({ id }) => id);
      assert.equal(new Set(ids).size, 2, `${sort} of each transition`);
    }
  });
}
