/** Restrictions of a number to the millisecond, and the sentence that shows them (C2.3). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  isHolding,
  renderRestriction,
  restrictionAfter,
} from '../../../../actors/domain/channel-restriction.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const HOUR = 3_600_000;
const HALF = HOUR / 2;

describe('a report without an end', () => {
  const endless = { until: null, holdsUntil: NOW + HOUR };

  it('adds nothing while half an hour is left, and holds anew from then on', () => {
    assert.equal(restrictionAfter(endless, { until: null }, NOW + HALF), endless);
    const later = NOW + HALF + 1;
    const renewed = { until: null, holdsUntil: later + HOUR };
    assert.deepEqual(restrictionAfter(endless, { until: null }, later), renewed);
  });

  it('adds nothing to an end that is known until that has come', () => {
    const until = NOW + 60_000;
    const known = { until, holdsUntil: until };
    assert.equal(restrictionAfter(known, { until: null }, until - 1), known);
    const renewed = { until: null, holdsUntil: until + HOUR };
    assert.deepEqual(restrictionAfter(known, { until: null }, until), renewed);
  });
});

describe('a report with an end', () => {
  it('that is now or has passed holds for an hour; a later one until then', () => {
    for (const until of [NOW - 1, NOW]) {
      const anHour = { until: null, holdsUntil: NOW + HOUR };
      assert.deepEqual(restrictionAfter(null, { until }, NOW), anHour);
    }
    const until = NOW + 1;
    assert.deepEqual(restrictionAfter(null, { until }, NOW), { until, holdsUntil: until });
  });

  it('that is known adds nothing, and another one takes its place', () => {
    const known = { until: NOW + HOUR, holdsUntil: NOW + HOUR };
    assert.equal(restrictionAfter(known, { until: NOW + HOUR }, NOW), known);
    const until = NOW + 60_000;
    assert.deepEqual(restrictionAfter(known, { until }, NOW), { until, holdsUntil: until });
  });
});

describe('a restriction that holds', () => {
  const message =
    'A rede não deixa este número iniciar conversas por enquanto: mensagens a quem nunca ' +
    'escreveu esperam na fila, as outras seguem.';

  it('is shown with its end, or none, in Portuguese', () => {
    const holdsUntil = NOW + HOUR;
    assert.deepEqual(renderRestriction({ until: holdsUntil, holdsUntil }, NOW), {
      restriction: { until: '2026-11-20T13:00:00.000Z', message },
    });
    assert.deepEqual(renderRestriction({ until: null, holdsUntil }, NOW), {
      restriction: { until: null, message },
    });
  });

  it('ends at its end', () => {
    const restriction = { until: null, holdsUntil: NOW };
    assert.equal(isHolding(restriction, NOW - 1), true);
    assert.equal(isHolding(restriction, NOW), false);
    assert.equal(isHolding(null, NOW), false);
  });
});
