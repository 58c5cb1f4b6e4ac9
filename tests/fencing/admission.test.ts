/** A call counts once and is decided once, however often its admission is asked (I8, I27). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as v from 'valibot';
import type { Environment } from '../../actors/environment.ts';
import { OrganizationActor } from '../../actors/organization/actor.ts';
import { AdmissionStates } from '../../actors/organization/admission-states.ts';
import { EventFanOut } from '../../actors/organization/fan-out.ts';
import { RateWindows } from '../../actors/organization/rate-windows.ts';
import type { Answer } from '../../shared/ports/bus.ts';
import type { Store } from '../../shared/ports/store.ts';
import { ADMITTED, ADMITTED_WITH_CALLER, REPEATED } from '../../shared/wire/caller.ts';
import { applied, contextAt, NOW } from '../actors/domain/organization-fixture.ts';
import { Database } from '../simulation/memory/database.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { SILENT } from './engine.ts';

const TOKEN = 'given-by-the-caller-0123456789';
const LIMIT = 2;
const Rates = v.object({ rates: v.object({ key: v.object({ remaining: v.number() }) }) });

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
    findOne: async (from, filter) => database.findOne(from, filter),
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

function admit(actor: OrganizationActor, id: string, repeat = false): Promise<Answer> {
  const command = { id, type: 'admit', digest: digest(TOKEN), knownVersion: null, repeat };
  const beside = actor.sharedHandler(command);
  return beside === undefined ? actor.turn(command) : Promise.resolve(beside);
}

const good = ({ status }: Answer): boolean =>
  status === ADMITTED || status === ADMITTED_WITH_CALLER;
const left = ({ body }: Answer): number => v.parse(Rates, JSON.parse(body)).rates.key.remaining;

test('asked again, a call does not count again', async () => {
  const actor = actorWithLimit(LIMIT);
  for (let time = 0; time < 5; time++) {
    const answer = await admit(actor, 'one');
    assert.ok(good(answer), String(answer.status));
    assert.equal(left(answer), LIMIT - 1);
  }
  assert.equal(left(await admit(actor, 'two')), LIMIT - 2);
});

test('a call that was let in is not refused afterwards, nor one that was refused let in', async () => {
  const actor = actorWithLimit(1);
  assert.ok(good(await admit(actor, 'one')));
  assert.equal((await admit(actor, 'two')).status, 429);
  assert.ok(good(await admit(actor, 'one')));
  assert.equal((await admit(actor, 'two')).status, 429);
});

test('of a call that was asked before, nobody else may have said so only to who asks first', async () => {
  const actor = actorWithLimit(LIMIT);
  const saidBefore = async (id: string, repeat: boolean): Promise<boolean> =>
    (await admit(actor, id, repeat)).headers?.[REPEATED] !== undefined;
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
  assert.equal((await admit(again(), 'three')).status, 429);
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
