/** Readiness and health of a network that fails and answers, and its record on the channel. */
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import fc from 'fast-check';
import {
  afterFailure,
  afterStatement,
  afterStatus,
  afterSuccess,
  initialState,
  isHealthy,
  maySend,
  type NetworkState,
  NOTHING_KNOWN,
  type ReadinessReport,
  readinessOf,
  reportOf,
  SENDS_FAIL_FOR_MS,
  withReadiness,
} from '../../../../actors/domain/network-readiness.ts';
import type { ChannelEntry } from '../../../../actors/domain/organization.ts';
import { NETWORK_FAULT_KINDS, networkFault } from '../../../../shared/network-fault.ts';
import type { Readiness } from '../../../../shared/ports/network-event.ts';
import { applied, LOJA, NOW, named } from '../../../support/actors/domain/organization-fixture.ts';
import { forAll } from '../../../support/property.ts';

const STATED = { ready: false, reason: 'A sessão do número está parada.' } as const;

const fault = fc.constantFrom(...NETWORK_FAULT_KINDS).map((kind) => networkFault(kind));
const failedStatus = fault.map((each): Readiness => {
  return { ready: 'unknown', cause: 'ECONNREFUSED', fault: each };
});
/** A throttle, or an answer that the driver does not understand. */
const unclear = fc.constant<Readiness>({ ready: 'unknown', cause: 'status 429' });

interface Event {
  /** Milliseconds since the event before. */
  readonly after: number;
  readonly what:
    | { readonly status: Readiness }
    | { readonly failing: ReturnType<typeof networkFault> }
    | { readonly success: true };
}

const failures = fc.oneof(
  failedStatus.map((status) => ({ status })),
  unclear.map((status) => ({ status })),
  fault.map((failing) => ({ failing })),
);
const successes = fc.constantFrom<Event['what']>({ success: true }, { status: { ready: true } });
const eventsOf = (what: fc.Arbitrary<Event['what']>) =>
  fc.array(fc.record({ after: fc.integer({ min: 0, max: 30_000 }), what }), {
    minLength: 1,
    maxLength: 30,
  });

/** The state after each event; sends fail from the first failure to the next success. */
function course(from: NetworkState, events: readonly Event[]) {
  let [state, now] = [from, NOW];
  let since: number | null = null;
  return events.map(({ after, what }) => {
    now += after;
    if ('status' in what) {
      state = afterStatus(state, what.status, { now, sendsFail: since !== null });
    } else if ('success' in what) {
      since = null;
      state = afterSuccess(state);
    } else {
      since ??= now;
      state = afterFailure(state, { fault: what.failing, since, now });
    }
    return {
      state,
      now,
      failedForMs: since === null ? 0 : now - since,
      told: reportOf(state, now),
    };
  });
}

const fresh = initialState({ networkReady: true, networkReason: null, networkRevision: 1 });
const answered: NetworkState = { ...fresh, answered: true };

test('readiness: nothing is held against a network before it was asked', () => {
  assert.equal(reportOf(fresh, NOW).ready, true);
  assert.equal(reportOf(fresh, NOW).answered, false);
});

test('a network that never answered is not ready from its first failure on, with its cause', () => {
  forAll([eventsOf(failures)], (events) => {
    for (const { told, state } of course(fresh, events)) {
      assert.equal(told.ready, false);
      assert.match(told.reason ?? '', /^\p{Lu}[^\n]+\.$/u);
      assert.equal(told.answered, false);
      assert.ok(maySend(state), 'sends go on trying');
    }
  });
});

test('a network that has answered stays ready until its oldest due send has failed for 60 s', () => {
  forAll([eventsOf(failures)], (events) => {
    let silent = false;
    for (const [index, { told, failedForMs, state }] of course(answered, events).entries()) {
      const isSend = 'failing' in (events[index]?.what ?? {});
      silent ||= isSend && failedForMs >= SENDS_FAIL_FOR_MS;
      assert.equal(told.ready, !silent);
      assert.ok(maySend(state), 'sends go on trying');
    }
  });
});

test('failed status requests alone never end a network’s readiness, however long they fail', () => {
  forAll([eventsOf(failedStatus.map((status) => ({ status })))], (events) => {
    for (const { told } of course(answered, events)) assert.equal(told.ready, true);
  });
});

test('the first success of either kind makes a network ready, and is remembered', () => {
  forAll([fc.boolean(), eventsOf(failures), successes], (before, events, what) => {
    const all = [...events, { after: 1_000, what }];
    const last = course(before ? answered : fresh, all).at(-1);
    assert.deepEqual([last?.told.ready, last?.told.answered], [true, true]);
  });
});

test('what the network says against the number holds at once, until its own word ends it', () => {
  forAll([eventsOf(failures)], (events) => {
    const stated = afterStatus(answered, STATED, { now: NOW, sendsFail: false });
    assert.equal(reportOf(stated, NOW).reason, 'A sessão do número está parada.');
    assert.equal(maySend(stated), false);
    const last = course(stated, events).at(-1);
    assert.ok(last && !maySend(last.state) && !last.told.ready);
    assert.equal(reportOf(afterSuccess(last.state), NOW).ready, false, 'a send from before');
    assert.equal(
      reportOf(afterStatement(last.state, { ready: true }), NOW).ready,
      last.state.unreachableReason === null,
    );
    const again = afterStatus(last.state, { ready: true }, { now: NOW, sendsFail: false });
    assert.equal(reportOf(again, NOW).ready, true);
  });
});

test('a good word of the network proves nothing of our requests', () => {
  const silent = afterStatus(
    fresh,
    { ready: 'unknown', cause: 'x', fault: networkFault('dns') },
    { now: NOW, sendsFail: false },
  );
  assert.equal(reportOf(afterStatement(silent, { ready: true }), NOW).ready, false);
});

test('a trouble is told once it has lasted 5 s, and only beside a ready channel', () => {
  const down = { fault: networkFault('refused'), since: NOW };
  const troubled = afterFailure(answered, { ...down, now: NOW });
  assert.equal(reportOf(troubled, NOW + 4_999).trouble, null);
  assert.deepEqual(reportOf(troubled, NOW + 5_000).trouble, {
    since: NOW,
    reason: 'A rede do número recusou a conexão.',
  });
  const over = afterFailure(troubled, { ...down, now: NOW + SENDS_FAIL_FOR_MS });
  const { ready, reason, trouble } = reportOf(over, NOW + SENDS_FAIL_FOR_MS);
  assert.deepEqual([ready, reason, trouble], [false, down.fault.reason, null]);
});

const main = applied(LOJA).channels[0] as ChannelEntry;
const told = fc.record<ReadinessReport>({
  revision: fc.integer({ min: 0, max: 2 }),
  answered: fc.boolean(),
  ready: fc.boolean(),
  reason: fc.option(fc.constantFrom('a', 'b')),
  trouble: fc.option(fc.record({ since: fc.constantFrom(1, 2), reason: fc.constant('c') })),
});

test('readiness on record: the same told again writes nothing, other settings are not judged by it', () => {
  assert.equal(main.networkRevision, 1);
  forAll([fc.array(told), told], (before, last) => {
    const entry = before.reduce(withReadiness, main);
    const next = withReadiness(entry, last);
    if (last.revision !== 1) return assert.equal(next, entry);
    assert.equal(withReadiness(next, last), next);
    assert.equal(next.networkAnswered === true, entry.networkAnswered === true || last.answered);
    assert.equal(next.networkReady, last.ready);
  });
});

test('a new owner knows whether it has answered, and why it is not ready', () => {
  forAll([fc.array(told)], (all) => {
    const entry = all.reduce(withReadiness, main);
    const { ready, answered: has } = reportOf(initialState(entry), NOW);
    assert.deepEqual([ready, has], [entry.networkReady, entry.networkAnswered === true]);
  });
});

const FAULT = networkFault('refused');
const { reason } = FAULT;
const ANSWERED: NetworkState = { ...NOTHING_KNOWN, revision: 1 };
const trouble = { since: NOW, reason };

describe('a network of which nothing is known', () => {
  it('is ready, without trouble, and of no revision of the settings', () => {
    assert.deepEqual(reportOf(NOTHING_KNOWN, NOW), {
      ...{ revision: 0, answered: true, ready: true, reason: null, trouble: null },
    });
    assert.equal(isHealthy(NOTHING_KNOWN), true);
  });

  it('stays ready where its first request fails', () => {
    const failed = afterFailure(NOTHING_KNOWN, { fault: FAULT, since: NOW, now: NOW });
    assert.deepEqual(reportOf(failed, NOW + 5_000), {
      ...{ revision: 0, answered: true, ready: true, reason: null, trouble },
    });
  });
});

describe('a network that fails', () => {
  it('is unreachable once its oldest send has failed for a minute', () => {
    const after = (ms: number) =>
      reportOf(afterFailure(ANSWERED, { fault: FAULT, since: NOW, now: NOW + ms }), NOW + ms);
    assert.equal(after(59_999).ready, true);
    assert.deepEqual([after(60_000).ready, after(60_000).reason], [false, reason]);
  });

  it('has its trouble since the earliest failure, with the latest reason', () => {
    const first = afterFailure(ANSWERED, { fault: FAULT, since: NOW, now: NOW });
    assert.deepEqual(first.trouble, trouble);
    const later = networkFault('dns');
    const status = { ready: 'unknown', cause: 'x', fault: later } as const;
    const asked = afterStatus(first, status, { now: NOW + 9_000, sendsFail: true });
    assert.deepEqual(asked.trouble, { since: NOW, reason: later.reason });
    const earlier = { fault: FAULT, since: NOW - 3_000, now: NOW + 9_000 };
    assert.deepEqual(afterFailure(asked, earlier).trouble, { since: NOW - 3_000, reason });
  });

  it('keeps the trouble of sends that fail after a good status, and no other', () => {
    const troubled = { ...ANSWERED, trouble };
    const after = (sendsFail: boolean) =>
      afterStatus(troubled, { ready: true }, { now: NOW + 1_000, sendsFail });
    assert.deepEqual(after(true), troubled);
    assert.deepEqual(after(false), ANSWERED);
  });

  it('is healthy only where nothing at all is against it', () => {
    const against = { statedReason: 'Parada.', unreachableReason: reason, trouble };
    const { statedReason, unreachableReason } = against;
    assert.equal(isHealthy(ANSWERED), true);
    for (const each of [{ statedReason }, { unreachableReason }, { trouble }, against]) {
      assert.equal(isHealthy({ ...ANSWERED, ...each }), false, Object.keys(each).join());
    }
  });
});

describe('the record of a channel', () => {
  const main = named(applied(LOJA).channels, 'main');
  const report = reportOf({ ...ANSWERED, trouble }, NOW + 5_000);

  it('has the trouble while it lasts', () => {
    const ready = withReadiness(main, reportOf(ANSWERED, NOW));
    assert.deepEqual(ready, {
      ...main,
      ...{ networkReady: true, networkReason: null, networkAnswered: true },
    });
    const troubled = withReadiness(ready, report);
    assert.deepEqual(troubled, { ...ready, networkTrouble: trouble });
    assert.deepEqual(withReadiness(troubled, reportOf(ANSWERED, NOW + 6_000)), ready);
  });

  it('is the same under a report on other settings', () => {
    assert.equal(withReadiness(main, { ...report, revision: 0 }), main);
    assert.equal(withReadiness(main, reportOf(NOTHING_KNOWN, NOW)), main);
  });
});

describe('section 2, Channel: ready, and the reason exactly where it is not', () => {
  const ready = { enabled: true, networkReady: true, networkReason: null };
  const table = [
    [{}, null],
    [{ enabled: false }, 'O canal está desativado.'],
    [{ networkReady: false }, 'O número não está conectado à rede.'],
    [{ networkReady: false, networkReason: 'Sessão expirada.' }, 'Sessão expirada.'],
    [{ networkReason: 'Sessão expirada.' }, null],
  ] as const;
  for (const [change, reason] of table) {
    it(JSON.stringify(change), () => {
      assert.deepEqual(readinessOf({ ...ready, ...change }), { ready: reason === null, reason });
    });
  }
});

describe('another number than the channel’s', () => {
  const OTHER = { ready: false, reason: 'A sessão é de outro número.', otherNumber: true } as const;
  const entry = named(applied(LOJA).channels, 'main');
  const reported = (state: NetworkState) => withReadiness(entry, reportOf(state, NOW));
  const from = initialState({ ...entry, networkAnswered: true });
  const held = afterStatement(from, OTHER);

  it('stops the queue, also that of a new owner', () => {
    const next = initialState(reported(held));
    assert.deepEqual([maySend(held), maySend(next)], [false, false]);
    assert.deepEqual([next.otherNumber, next.statedReason], [true, held.statedReason]);
  });

  it('under new settings stops it until the network answers', () => {
    const anew = { ...reported(held), networkReady: true, networkReason: null };
    const state = initialState(anew);
    assert.equal(maySend(state), false);
    const silent: Readiness = {
      ready: 'unknown',
      cause: 'timeout',
      fault: networkFault('timeout'),
    };
    const evidence = { now: NOW, sendsFail: false };
    assert.equal(maySend(afterStatus(state, silent, evidence)), false);
    const ready = afterStatus(state, { ready: true }, evidence);
    assert.equal(maySend(ready), true);
    assert.equal(reported(ready).networkOtherNumber, undefined);
  });

  it('is not ended by any other statement: the session that stopped may start again', () => {
    const stopped = afterStatement(held, STATED);
    assert.deepEqual([stopped.otherNumber, stopped.statedReason], [true, STATED.reason]);
    const next = initialState(reported(stopped));
    assert.deepEqual([maySend(next), next.otherNumber], [false, true]);
    const asked = afterStatus(next, { ready: true }, { now: NOW, sendsFail: false });
    assert.deepEqual([maySend(asked), asked.otherNumber], [true, false]);
    const anew = initialState({ ...reported(held), networkReady: true, networkReason: null });
    assert.equal(afterStatement(anew, STATED).otherNumber, false, 'other settings, their answer');
  });

  it('is none of a session that stopped as the channel’s own: a new owner may find out', () => {
    const stopped = afterStatement(from, STATED);
    assert.equal(stopped.otherNumber, false);
    assert.equal(maySend(initialState(reported(stopped))), true);
  });
});
