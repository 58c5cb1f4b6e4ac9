/** A call counts once and is decided once, however often its admission is asked (I8, I27). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OrganizationActor } from '../../../actors/organization/actor.ts';
import { RateWindows } from '../../../actors/organization/rate-windows.ts';
import type { Admission, AdmitCommand } from '../../../shared/wire/caller.ts';
import { contextAt, NOW } from '../../support/actors/domain/organization-fixture.ts';
import { answerOf, organizationOwner } from './organization-owner.ts';

const TOKEN = 'given-by-the-caller-0123456789';
const LIMIT = 2;

function ownerWithLimit(perKey: number) {
  const keys = [{ ref: 'erp', name: 'ERP', scope: 'account', token: TOKEN }];
  return organizationOwner({ limits: { perKey, perOrg: 600 }, keys });
}

const actorWithLimit = (perKey: number): OrganizationActor => ownerWithLimit(perKey).open();

const { digest } = contextAt(NOW).ids;

type Asked = Partial<Pick<AdmitCommand, 'repeat' | 'isUncounted' | 'digest'>>;

async function ask(actor: OrganizationActor, id: string, asked: Asked): Promise<Admission> {
  const known = { digest: digest(TOKEN), knownVersion: null };
  const command = { id, type: 'admit', ...known, ...asked } as const;
  const { admission } = await answerOf(actor, command, asked.repeat);
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
  const { open } = ownerWithLimit(LIMIT);
  assert.ok(good(await admit(open(), 'one')));
  assert.equal(left(await admit(open(), 'two')), LIMIT - 2);
  assert.equal((await admit(open(), 'three')).outcome, 'rate-limited');
});

test('what an owner before writes late takes nothing back', async () => {
  const { environment, database, id: orgId } = ownerWithLimit(LIMIT);
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
