/** Restrictions of a number, as they are learnt and kept (actors/domain/channel-restriction). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  type ChannelRestriction,
  isHolding,
  renderRestriction,
  restrictionAfter,
} from '../../../../actors/domain/channel-restriction.ts';
import { setReadiness, setRestriction } from '../../../../actors/organization/actor-commands.ts';
import { applied, LOJA, named } from '../../../support/actors/domain/organization-fixture.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const tellArb = fc.record({
  until: fc.option(fc.integer({ min: NOW - HOUR, max: NOW + 48 * HOUR })),
  waitMs: fc.integer({ min: 0, max: 2 * HOUR }),
});

describe('a restriction that is told', () => {
  test('without an end holds for 60 minutes, and with one until then', () => {
    const holdsUntil = NOW + HOUR;
    assert.deepEqual(restrictionAfter(null, { until: null }, NOW), { until: null, holdsUntil });
    const until = NOW + 5 * HOUR;
    const told = { until, holdsUntil: until };
    assert.deepEqual(restrictionAfter(null, { until }, NOW), told);
    assert.deepEqual(restrictionAfter(told, { until: null }, NOW), told, 'a known end stays');
    const past = { until: NOW - 1 };
    assert.deepEqual(restrictionAfter(null, past, NOW), { until: null, holdsUntil });
  });

  test('holds whenever it was just told, for half an hour at least where no end is known', () => {
    fc.assert(
      fc.property(fc.array(tellArb, { maxLength: 20 }), (tells) => {
        let known: ChannelRestriction | null = null;
        let now = NOW;
        for (const { until, waitMs } of tells) {
          now += waitMs;
          known = restrictionAfter(known, { until }, now);
          assert.ok(isHolding(known, now));
          const end = until !== null && until > now ? until : now + HOUR / 2;
          assert.ok(known.holdsUntil >= Math.min(end, known.until ?? end));
          if (until !== null && until > now) assert.equal(known.holdsUntil, until);
        }
      }),
    );
  });

  test('again and again changes nothing for half an hour', () => {
    const first = restrictionAfter(null, { until: null }, NOW);
    assert.equal(restrictionAfter(first, { until: null }, NOW + 29 * MINUTE), first);
    assert.notEqual(restrictionAfter(first, { until: null }, NOW + 31 * MINUTE), first);
  });

  test('is shown while it holds, and absent else', () => {
    const until = NOW + HOUR;
    const { restriction } = renderRestriction({ until, holdsUntil: until }, NOW);
    assert.equal(restriction?.until, '2026-11-20T13:00:00.000Z');
    assert.deepEqual(renderRestriction({ until, holdsUntil: until }, until), {});
    assert.deepEqual(renderRestriction(undefined, NOW), {});
  });
});

describe('the organization', () => {
  const state = applied(LOJA);
  const { id: channelId } = named(state.channels, 'main');
  const set = (restriction: ChannelRestriction | null, of = state) =>
    setRestriction(of, { channelId, restriction });

  test('keeps it beside the readiness, and lets it go', () => {
    const holding = { until: null, holdsUntil: NOW + HOUR };
    const { next, answer } = set(holding);
    assert.equal(answer.status, 200);
    assert.ok(next);
    const channel = named(next.channels, 'main');
    assert.deepEqual(channel.restriction, holding);
    assert.equal(channel.networkReady, true);
    assert.equal(set(holding, next).next, null, 'nothing new is not committed');
    const said = {
      ...{ channelId, ready: false, reason: 'Sem sessão.' },
      ...{ revision: 1, answered: true, trouble: null },
    };
    const closed = setReadiness(next, said).next;
    assert.ok(closed);
    assert.deepEqual(named(closed.channels, 'main').restriction, holding);
    const gone = set(null, closed).next;
    assert.ok(gone);
    assert.equal('restriction' in named(gone.channels, 'main'), false);
    assert.equal(set(null, gone).next, null);
  });

  test('knows nothing of another’s channel', () => {
    const { answer, next } = setRestriction(state, { channelId: 'chn_other', restriction: null });
    assert.deepEqual([answer.status, next], [404, null]);
  });
});
