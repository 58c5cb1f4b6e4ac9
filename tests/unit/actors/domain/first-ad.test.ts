/** The advertisement that first brought a contact (D413). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ContactChange, decideUpsert, newContact } from '../../../../actors/domain/contact.ts';
import type { FirstAd } from '../../../../actors/domain/first-ad.ts';
import { decideAbsorb } from '../../../../actors/domain/identity.ts';

const NOW = Date.UTC(2026, 10, 20);
const NEW = newContact({ id: 'ctc_1', orgId: 'org_1', phone: '5511', source: 'contact' }, NOW);

const adAt = (at: number, sourceId = String(at)): FirstAd => ({
  ...{ sourceId, sourceType: 'ad', sourceUrl: null, clickId: null, headline: null, body: null },
  at,
});

function upsert(state = NEW, change: Partial<ContactChange> = {}) {
  const decision = decideUpsert(state, { source: 'contact', ...change }, NOW + 1);
  assert.ok('accepted' in decision);
  return decision;
}

test('the first stays, whatever comes later and whenever it was', () => {
  const { accepted: brought } = upsert(NEW, { firstAd: adAt(5) });
  assert.deepEqual(brought.firstAd, adAt(5));
  const again = upsert(brought, { firstAd: adAt(5) });
  assert.deepEqual([again.unchanged, again.accepted.firstAd], [true, adAt(5)]);
  const later = upsert(brought, { firstAd: adAt(3, 'other') });
  assert.deepEqual([later.unchanged, later.accepted.firstAd], [true, adAt(5)]);
  const known = upsert().accepted;
  assert.ok(!('firstAd' in known));
  const filled = upsert(known, { firstAd: adAt(9) });
  assert.deepEqual([filled.unchanged, filled.accepted.firstAd], [false, adAt(9)]);
  assert.deepEqual(upsert(brought, { name: 'Ana' }).accepted.firstAd, adAt(5));
});

test('of two contacts that are one person the earlier stays', () => {
  const absorbed = (own?: FirstAd, other?: FirstAd) => {
    const state = { ...NEW, version: 1, ...(own && { firstAd: own }) };
    const joined = { ...NEW, id: 'ctc_2', version: 1, ...(other && { firstAd: other }) };
    const decision = decideAbsorb(state, joined, NOW + 2);
    assert.ok(decision && 'accepted' in decision);
    return decision.accepted;
  };
  assert.deepEqual(absorbed(adAt(5), adAt(3)).firstAd, adAt(3));
  assert.deepEqual(absorbed(adAt(3), adAt(5)).firstAd, adAt(3));
  assert.deepEqual(absorbed(undefined, adAt(5)).firstAd, adAt(5));
  assert.deepEqual(absorbed(adAt(5)).firstAd, adAt(5));
  assert.ok(!('firstAd' in absorbed()));
});
