/** A call counts once and is decided once, however often its admission is asked (I8, I27). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Environment } from '../../../actors/environment.ts';
import { OrganizationActor } from '../../../actors/organization/actor.ts';
import { AdmissionStates, RateWindows } from '../../../actors/organization/admission.ts';
import { EventFanOut } from '../../../actors/organization/fan-out.ts';
import type { Document, Filter, Store } from '../../../shared/ports/store.ts';
import type { Admission, AdmitCommand } from '../../../shared/wire/caller.ts';
import { applied, contextAt, NOW } from '../../support/actors/domain/organization-fixture.ts';
import { SILENT } from '../../support/engine.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { Database } from '../simulation/memory/database.ts';

const TOKEN = 'given-by-the-caller-0123456789';
const LIMIT = 2;
interface Owner {
  readonly actor: OrganizationActor;
  /** Another life of the actor, in the same process: what it had loaded is gone. */
  readonly again: () => OrganizationActor;
  readonly environment: Environment;
  readonly database: Database;
  readonly orgId: string;
}

function ownerWithLimit(perKey: number): Owner {
  const { id, ...state } = applied({
    ...{ ref: 'loja', name: 'Loja', timeZone: 'America/Sao_Paulo', country: 'BR' },
    limits: { perKey, perOrg: 600 },
    keys: [{ ref: 'erp', name: 'ERP', scope: 'account', token: TOKEN }],
  });
  const database = new Database();
  database.apply({ insert: 'organizations', document: { _id: id, ...state } });
  const store: Pick<Store, 'findOne' | 'commit'> = {
    findOne: async <T extends Document>(from: string, filter: Filter) =>
      database.findOne<T>(from, filter),
    commit: async (writes) => writes.map((write) => database.apply(write)),
  };
  const settings = { callsPerKey: 120, callsPerOrganization: 600 };
  const given = { store, clock: new ManualClock(), log: SILENT, settings };
  const environment = given as unknown as Environment;
  const rateWindows = new AdmissionStates(environment);
  const countersOf = (org: string) => ({
    load: () => rateWindows.acquire(org, 1),
    release: () => rateWindows.release(org, 1),
  });
  const fanOut = new EventFanOut(environment, { claimOnInsert: async () => null });
  const again = () =>
    new OrganizationActor(id, { environment: environment, fanOut }, countersOf(id));
  return { actor: again(), again, environment, database, orgId: id };
}

const actorWithLimit = (perKey: number): OrganizationActor => ownerWithLimit(perKey).actor;

const { digest } = contextAt(NOW).ids;

type Asked = Partial<Pick<AdmitCommand, 'repeat' | 'isUncounted' | 'digest'>>;

async function ask(actor: OrganizationActor, id: string, asked: Asked): Promise<Admission> {
  const known = { digest: digest(TOKEN), knownVersion: null };
  const command = { id, type: 'admit', ...known, ...asked } as const;
  const { repeat = false } = asked;
  const { admission } =
    (await actor.sharedHandler(command, { epoch: 1 })) ??
    (await actor.turn(command, { repeat, epoch: 1 }));
  return admission ?? assert.fail('no admission');
}

const admit = (actor: OrganizationActor, id: string, repeat = false): Promise<Admission> =>
  ask(actor, id, { repeat });

const good = ({ outcome }: Admission): boolean =>
  outcome === 'admitted' || outcome === 'admitted-with-caller';
const left = (admission: Admission): number => {
  assert.ok('rates' in admission);
  return admission.rates.key.remaining;
};

test('asked again, a call does not count again', async () => {
  const actor = actorWithLimit(LIMIT);
  for (let time = 0; time < 5; time++) {
    const answer = await admit(actor, 'one');
    assert.ok(good(answer), answer.outcome);
    assert.equal(left(answer), LIMIT - 1);
  }
  assert.equal(left(await admit(actor, 'two')), LIMIT - 2);
});

test('a call that was let in is not refused afterwards, nor one that was refused let in', async () => {
  const actor = actorWithLimit(1);
  assert.ok(good(await admit(actor, 'one')));
  assert.equal((await admit(actor, 'two')).outcome, 'rate-limited');
  assert.ok(good(await admit(actor, 'one')));
  assert.equal((await admit(actor, 'two')).outcome, 'rate-limited');
});

test('of a call that was asked before, nobody else may have said so only to who asks first', async () => {
  const actor = actorWithLimit(LIMIT);
  const saidBefore = async (id: string, repeat: boolean): Promise<boolean> =>
    (await admit(actor, id, repeat)).givenBefore === true;
  assert.equal(await saidBefore('one', false), false);
  assert.equal(await saidBefore('one', true), true);
  // The owner before this one may have let it in.
  assert.equal(await saidBefore('two', true), false);
  assert.equal(await saidBefore('two', true), false);
});

test('a turn that fails forgets the state, and not the calls that were let in', async () => {
  const { actor, again } = ownerWithLimit(LIMIT);
  assert.ok(good(await admit(actor, 'one')));
  assert.equal(left(await admit(again(), 'two')), LIMIT - 2);
  assert.equal((await admit(again(), 'three')).outcome, 'rate-limited');
});

test('what an owner before writes late takes nothing back', async () => {
  const { environment, database, orgId } = ownerWithLimit(LIMIT);
  const limits = { keyLimit: 10, orgLimit: 10 };
  const [old, next] = await Promise.all(
    [1, 2].map((epoch) => RateWindows.load({ orgId, epoch }, environment)),
  );
  assert.ok(old && next);
  old.admit('key_1', limits);
  for (let call = 0; call < 3; call++) next.admit('key_1', limits);
  await next.flush();
  await old.flush();
  assert.match(JSON.stringify(database.all('windows')), /"key_1":\{"openedAt":\d+,"calls":3\}/);
});

test('a call that is not counted needs a good key, and no room in a window', async () => {
  const actor = actorWithLimit(1);
  const uncounted = { isUncounted: true } as const;
  assert.equal(left(await ask(actor, 'one', uncounted)), 1);
  assert.ok(good(await admit(actor, 'two')));
  assert.equal((await admit(actor, 'three')).outcome, 'rate-limited');
  assert.ok(good(await ask(actor, 'four', uncounted)));
  const unknown = { ...uncounted, digest: digest('unknown') };
  assert.equal((await ask(actor, 'five', unknown)).outcome, 'unauthorized');
});
