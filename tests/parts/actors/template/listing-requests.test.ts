/** Requests for a listing of a business account's templates, and their distance (D285). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LISTED_EVERY_MS, REQUESTED_APART_MS } from '../../../../actors/domain/template/account.ts';
import { accountsOfFile } from './account-fixture.ts';

const open = accountsOfFile();

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
  fixture.clock.advance(REQUESTED_APART_MS);
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
  fixture.clock.advance(REQUESTED_APART_MS);
  await fixture.synchronise();
  assert.equal(fixture.calls, 2);
});
