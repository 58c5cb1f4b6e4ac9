/** Requests for a listing of a business account's templates, and their distance (D285). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CLAIM_MS,
  CLAIM_RENEWAL_MS,
  LISTED_EVERY_MS,
  REQUEST_INTERVAL_MS,
} from '../../../../actors/domain/template/account.ts';
import type { TemplateListing } from '../../../../shared/ports/network.ts';
import type { Store } from '../../../support/plain-store.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { type AccountFixture, accountsOfFile, listed, named } from './account-fixture.ts';

const open = accountsOfFile();

const names = async (fixture: AccountFixture): Promise<readonly string[]> => {
  const shown = (await fixture.state())?.shown;
  const stored = (await fixture.stored()).filter(({ listing }) => listing === shown);
  return stored.map(({ name }) => name).toSorted();
};

/** The number of the first listing waits at a gate. */
function gated(first: TemplateListing) {
  const gate = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const answer = async () => {
    reached.resolve();
    await gate.promise;
    return first;
  };
  return { open: gate.resolve, reached: reached.promise, answer };
}

test('a template is found by name and language once it was listed (D284)', async () => {
  const fixture = await open();
  const reason = 'Os modelos desta conta ainda não foram sincronizados com a rede.';
  assert.deepEqual(await fixture.find('pedido'), { found: false, languages: [], reason });
  const templates = [named('pedido'), named('pedido', { language: 'en_US' })];
  fixture.answer = () => ({ listed: true, templates });
  await fixture.synchronise();
  const found = await fixture.find('pedido');
  assert.equal(found.found && found.template.networkId, 'n-pedido');
  const none = await fixture.find('pedido', 'es');
  assert.deepEqual(none, { found: false, languages: ['en_US', 'pt_BR'] });
  assert.deepEqual(await fixture.find('outro'), { found: false, languages: [] });
});

test('a listing shows what changed, and an unchanged one writes no template (D285)', async () => {
  const fixture = await open();
  fixture.answer = () => listed('a', 'b');
  await fixture.synchronise();
  const before = await fixture.stored();
  fixture.clock.advance(LISTED_EVERY_MS);
  await fixture.synchronise();
  assert.deepEqual(await fixture.stored(), before);
  assert.equal(fixture.calls, 2);
  fixture.answer = () => listed('b', 'c');
  fixture.clock.advance(LISTED_EVERY_MS);
  await fixture.synchronise();
  assert.deepEqual(await names(fixture), ['b', 'c']);
  assert.equal((await fixture.stored()).length, 4, 'pages of the listing before may be read');
  fixture.clock.advance(LISTED_EVERY_MS);
  await fixture.synchronise();
  assert.equal((await fixture.stored()).length, 2, 'the listing before is removed');
});

test('pages of the listing before are kept for a minute, whatever is listed meanwhile (D285)', async () => {
  const fixture = await open();
  for (const name of ['a', 'b', 'b']) {
    fixture.answer = () => listed(name);
    await fixture.requestLater();
    await fixture.synchronise();
  }
  const stored = async () => (await fixture.stored()).map(({ name }) => name).toSorted();
  assert.deepEqual(await stored(), ['a', 'b']);
  fixture.clock.advance(60_000);
  await fixture.request();
  await fixture.synchronise();
  assert.deepEqual(await stored(), ['b']);
});

test('a channel that was applied needs no listing of this minute (D285)', async () => {
  const fixture = await open();
  await fixture.synchronise('fresh');
  await fixture.synchronise('fresh');
  assert.equal(fixture.calls, 1);
  fixture.clock.advance(60_000);
  await fixture.synchronise('fresh');
  assert.equal(fixture.calls, 2);
});

test('two processes at one moment list once (D285)', async () => {
  const fixture = await open();
  await Promise.all(Array.from({ length: 8 }, () => fixture.synchronise('fresh')));
  assert.equal(fixture.calls, 1);
});

test('a request during a listing leads to another after it (D285)', async () => {
  const fixture = await open();
  const slow = gated(listed('old'));
  fixture.answer = slow.answer;
  const synchronised = fixture.synchronise();
  await slow.reached;
  await fixture.request();
  fixture.answer = () => listed('new');
  slow.open();
  assert.equal(await synchronised, fixture.clock.now() + REQUEST_INTERVAL_MS);
  assert.deepEqual(await names(fixture), ['old']);
  fixture.clock.advance(REQUEST_INTERVAL_MS);
  await fixture.synchronise();
  assert.deepEqual(await names(fixture), ['new']);
  assert.equal(fixture.calls, 2);
});

test('a slower older listing changes nothing, and brings no template back (D285)', async () => {
  const fixture = await open();
  const slow = gated(listed('deleted', 'kept'));
  fixture.answer = slow.answer;
  const stalled = stallingRenewals(fixture.store);
  const older = fixture.synchronise('due', stalled);
  await slow.reached;
  fixture.clock.advance(CLAIM_MS);
  fixture.answer = () => listed('kept', 'new');
  await fixture.synchronise();
  slow.open();
  await older;
  assert.deepEqual(await names(fixture), ['kept', 'new']);
  assert.equal((await fixture.stored()).length, 2);
  assert.equal((await fixture.state())?.ended, 2);
});

test('a listing that lasts longer than its claim keeps the claim (D285)', async () => {
  const fixture = await open();
  const slow = gated(listed('pedido'));
  fixture.answer = slow.answer;
  const listing = fixture.synchronise();
  await slow.reached;
  for (let passedMs = 0; passedMs < 5 * CLAIM_MS; passedMs += CLAIM_RENEWAL_MS) {
    const until = (await fixture.state())?.claim?.until ?? 0;
    fixture.clock.advance(CLAIM_RENEWAL_MS);
    await waitFor(async () => ((await fixture.state())?.claim?.until ?? 0) > until, {
      what: 'the claim is renewed',
    });
    await fixture.synchronise('fresh');
  }
  assert.equal(fixture.calls, 1);
  slow.open();
  await listing;
  assert.deepEqual(await names(fixture), ['pedido']);
});

test('templates of a process that died are read by nobody, and are removed (D285)', async () => {
  const fixture = await open();
  fixture.answer = () => listed('a');
  await fixture.synchronise();
  fixture.answer = () => listed('b', 'c');
  await fixture.requestLater();
  const dying = dyingAfterInsert(fixture.store);
  await assert.rejects(fixture.synchronise('due', dying), /died/);
  assert.equal((await fixture.stored()).length, 3);
  assert.deepEqual(await names(fixture), ['a']);
  assert.equal((await fixture.find('b')).found, false);
  assert.equal((await fixture.find('a')).found, true);
  await fixture.synchronise();
  assert.deepEqual(await names(fixture), ['a'], 'the claim of the dead is waited out');
  fixture.clock.advance(CLAIM_MS);
  await fixture.synchronise();
  assert.deepEqual(await names(fixture), ['b', 'c']);
  const listings = new Set((await fixture.stored()).map(({ listing }) => listing));
  assert.deepEqual([...listings].toSorted(), [1, 3], 'those of the dead are removed');
});

test('a listing whose templates cannot be stored leaves none (D285)', async () => {
  const fixture = await open();
  await fixture.synchronise();
  fixture.answer = () => listed('a', 'b');
  await fixture.requestLater();
  let isFaulty = true;
  const faulty: Store = {
    ...fixture.store,
    byId: (...args: Parameters<Store['byId']>) => fixture.store.byId(...args),
    async commit(writes, options) {
      const outcomes = await fixture.store.commit(writes, options);
      if (!isFaulty || !writes.some((write) => 'insert' in write)) return outcomes;
      isFaulty = false;
      throw new Error('the store is full');
    },
  };
  await assert.rejects(fixture.synchronise('due', faulty), /full/);
  const stored = (await fixture.stored()).map(({ name }) => name);
  assert.deepEqual(stored, ['pedido']);
  fixture.clock.advance(CLAIM_MS);
  await fixture.synchronise('due', faulty);
  assert.deepEqual(await names(fixture), ['a', 'b']);
});

test('a failure keeps the templates, and is repeated ever later (D285)', async () => {
  const fixture = await open();
  await fixture.synchronise();
  fixture.answer = () => ({ listed: false, reason: 'Sem permissão.', final: false });
  const waits: number[] = [];
  for (let failure = 0; failure < 7; failure++) {
    await fixture.requestLater();
    waits.push((await fixture.synchronise()) - fixture.clock.now());
  }
  const expected = [30, 60, 120, 240, 480, 600, 600].map((seconds) => seconds * 1_000);
  assert.deepEqual(waits, expected);
  assert.deepEqual(await names(fixture), ['pedido']);
  assert.equal((await fixture.state())?.reason, 'Sem permissão.');
  fixture.answer = () => listed('pedido');
  await fixture.synchronise('fresh');
  assert.equal((await fixture.state())?.reason, null);
});

test('an account that was never listed tells the reason of its failure (D284)', async () => {
  const fixture = await open();
  fixture.answer = () => ({ listed: false, reason: 'Sem permissão.', final: true });
  const nextAt = await fixture.synchronise();
  assert.equal(nextAt, fixture.clock.now() + LISTED_EVERY_MS);
  assert.deepEqual(await fixture.find('pedido'), {
    found: false,
    languages: [],
    reason: 'Sem permissão.',
  });
});

test('of two templates of one name and language the approved one is shown (D285)', async () => {
  const fixture = await open();
  const templates = [
    named('a', { networkId: '1', status: 'PENDING_DELETION' }),
    named('a', { networkId: '2' }),
    named('a', { networkId: '3', status: 'REJECTED' }),
  ];
  fixture.answer = () => ({ listed: true, templates });
  await fixture.synchronise();
  const found = await fixture.find('a');
  assert.equal(found.found && found.template.networkId, '2');
});

/** A store of a process that stands still: its claims are not renewed. */
function stallingRenewals(store: Store): Store {
  return {
    ...store,
    byId: (...args: Parameters<Store['byId']>) => store.byId(...args),
    async commit(writes, options) {
      const isRenewal = writes.some((write) => 'update' in write && 'claim.number' in write.filter);
      return isRenewal ? new Promise(() => undefined) : store.commit(writes, options);
    },
  };
}

/** A store whose process dies once it has inserted templates. */
function dyingAfterInsert(store: Store): Store {
  let isDead = false;
  return {
    ...store,
    byId: (...args: Parameters<Store['byId']>) => store.byId(...args),
    async commit(writes, options) {
      if (isDead) throw new Error('died');
      const outcomes = await store.commit(writes, options);
      isDead = writes.some((write) => 'insert' in write);
      if (isDead) throw new Error('died');
      return outcomes;
    },
  };
}

test('ten minutes pass between two listings, unless one is requested (D285)', async () => {
  const fixture = await open();
  const nextAt = await fixture.synchronise();
  assert.equal(nextAt, fixture.clock.now() + LISTED_EVERY_MS);
  fixture.clock.advance(LISTED_EVERY_MS - 1);
  await fixture.synchronise();
  assert.equal(fixture.calls, 1);
  await fixture.request();
  await fixture.synchronise();
  assert.equal(fixture.calls, 2);
  await fixture.synchronise();
  assert.equal(fixture.calls, 2, 'a request is served once');
});

test('a hundred requests within a moment lead to two listings (D285)', async () => {
  const fixture = await open();
  await fixture.synchronise();
  for (let n = 0; n < 100; n++) {
    await fixture.request();
    await fixture.synchronise();
  }
  assert.equal(fixture.calls, 1);
  fixture.clock.advance(REQUEST_INTERVAL_MS);
  for (let n = 0; n < 3; n++) await fixture.synchronise();
  assert.equal(fixture.calls, 2);
});

test('a failure does not free requests of their distance (D285)', async () => {
  const fixture = await open();
  fixture.answer = () => ({ listed: false, reason: 'x', final: false });
  await fixture.synchronise();
  await fixture.request();
  await fixture.synchronise();
  assert.equal(fixture.calls, 1);
  fixture.clock.advance(REQUEST_INTERVAL_MS);
  await fixture.synchronise();
  assert.equal(fixture.calls, 2);
});
