/** Restrictions of a number: how long they hold, and the sentence that shows them (C2.3). */
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
import { forAll } from '../../../support/property.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const HOUR = 3_600_000;
const HALF = HOUR / 2;

const endsAt = (until: number): ChannelRestriction => ({ until, holdsUntil: until });
/** No end is known: it holds for an hour from then on. */
const endless = (from: number): ChannelRestriction => ({ until: null, holdsUntil: from + HOUR });
const ENDLESS = endless(NOW);
const SOON = endsAt(NOW + 60_000);
const AFTER_SOON = endless(NOW + 60_000);
const LATER = endsAt(NOW + HOUR);

type Row = readonly [string, ChannelRestriction | null, number | null, number, ChannelRestriction];

/** Title, what is known, the end that is reported, the moment, and what holds then. */
const REPORTS: readonly Row[] = [
  ['without an end holds for an hour', null, null, NOW, ENDLESS],
  ['with an end holds until then', null, NOW + 1, NOW, endsAt(NOW + 1)],
  ['with an end that is now holds for an hour', null, NOW, NOW, ENDLESS],
  ['with an end that has passed holds for an hour', null, NOW - 1, NOW, ENDLESS],
  ['adds nothing while half an hour is left', ENDLESS, null, NOW + HALF, ENDLESS],
  ['holds anew from then on', ENDLESS, null, NOW + HALF + 1, endless(NOW + HALF + 1)],
  ['without an end adds nothing to a known one', SOON, null, NOW + 59_999, SOON],
  ['without an end holds anew after a known one', SOON, null, NOW + 60_000, AFTER_SOON],
  ['with the end that is known adds nothing', LATER, NOW + HOUR, NOW, LATER],
  ['with another end takes the place of the known one', LATER, NOW + 60_000, NOW, SOON],
];

describe('a report of a restriction', () => {
  for (const [title, known, until, now, expected] of REPORTS) {
    test(title, () => {
      const after = restrictionAfter(known, { until }, now);
      assert.deepEqual(after, expected);
      if (expected === known) assert.equal(after, known, 'nothing new is not committed');
    });
  }

  test('holds at once, for half an hour at least where no end is known', () => {
    const reportArb = fc.record({
      until: fc.option(fc.integer({ min: NOW - HOUR, max: NOW + 48 * HOUR })),
      waitMs: fc.integer({ min: 0, max: 2 * HOUR }),
    });
    forAll([fc.array(reportArb, { maxLength: 20 })], (reports) => {
      let known: ChannelRestriction | null = null;
      let now = NOW;
      for (const { until, waitMs } of reports) {
        now += waitMs;
        known = restrictionAfter(known, { until }, now);
        assert.ok(isHolding(known, now));
        const end = until !== null && until > now ? until : now + HALF;
        assert.ok(known.holdsUntil >= Math.min(end, known.until ?? end));
        if (until !== null && until > now) assert.equal(known.holdsUntil, until);
      }
    });
  });
});

test('a restriction is shown with its end, or none, in Portuguese, and absent once it ended', () => {
  const message =
    'A rede não deixa este número iniciar conversas por enquanto: mensagens a quem nunca ' +
    'escreveu esperam na fila, as outras seguem.';
  const shown = { until: '2026-11-20T13:00:00.000Z', message };
  assert.deepEqual(renderRestriction({ restriction: LATER }, NOW), { restriction: shown });
  assert.deepEqual(renderRestriction({ restriction: ENDLESS }, NOW), {
    restriction: { until: null, message },
  });
  assert.deepEqual(renderRestriction({ restriction: LATER }, NOW + HOUR), {});
  assert.deepEqual(renderRestriction({}, NOW), {});
  const holding = [NOW - 1, NOW].map((now) => isHolding(endsAt(NOW), now));
  assert.deepEqual(holding, [true, false]);
  assert.equal(isHolding(null, NOW), false);
});

describe('the restriction on a channel’s record', () => {
  const state = applied(LOJA);
  const { id: channelId } = named(state.channels, 'main');
  const set = (restriction: ChannelRestriction | null, of = state) =>
    setRestriction(of, { channelId, restriction });

  test('stands beside the readiness, and goes', () => {
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

  test('of an account that owes has a record of its own, and is the one that is shown', () => {
    const { next } = set(LATER);
    assert.ok(next);
    const owes = { channelId, restriction: ENDLESS, cause: 'payment' } as const;
    const owing = setRestriction(next, owes).next;
    assert.ok(owing);
    const channel = named(owing.channels, 'main');
    assert.deepEqual([channel.restriction, channel.unpaid], [LATER, ENDLESS]);
    const { restriction } = renderRestriction(channel, NOW);
    assert.equal(restriction?.until, null);
    assert.match(restriction.message, /^Há uma pendência de pagamento .*seguem\.$/);
    const paid = setRestriction(owing, { ...owes, restriction: null }).next;
    assert.ok(paid);
    assert.deepEqual(
      renderRestriction(named(paid.channels, 'main'), NOW).restriction?.until,
      new Date(NOW + HOUR).toISOString(),
    );
  });

  test('is refused for a channel of another organization', () => {
    const { answer, next } = setRestriction(state, { channelId: 'chn_other', restriction: null });
    assert.deepEqual([answer.status, next], [404, null]);
  });
});
