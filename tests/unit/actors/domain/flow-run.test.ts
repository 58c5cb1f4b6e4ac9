/**
 * A run of a flow: its end, and its replay. A decision on anything but the last entry of its log
 * commits nothing. A repeated decision is the same, wherever a crash has cut the log.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type Appended,
  append,
  type ConversationState,
} from '../../../../actors/domain/conversation/conversation.ts';
import type { StartableFlow } from '../../../../actors/domain/flow/context.ts';
import { applyAnswer, decideCallEnd, decideDue } from '../../../../actors/domain/flow/decide.ts';
import { type Run, runEndedBy, timerOf } from '../../../../actors/domain/flow-run.ts';
import type { StoredMessage } from '../../../../shared/message.ts';
import {
  begun,
  contextOf,
  flowOf,
  NOW,
  ORG,
} from '../../../support/actors/conversation/flow/flow-fixture.ts';
import { outboundFixture } from '../../../support/actors/domain/message-fixture.ts';
import { withRuns } from '../../../support/property.ts';

const RUN: Run = {
  ...{ id: 'run_1', flowId: 'flw_1', flowName: 'Planos', versionId: 'ver_1' },
  ...{ stepId: 'ask', visit: 1, phase: { kind: 'ready' }, answers: {}, parsed: [] },
  ...{ hops: 0, dealId: null, startedAt: 100 },
};
const AFTER = { at: 200, run: null, status: 'open' } as const;
const ENDED = { id: 'run_1', flowId: 'flw_1', flowName: 'Planos', startedAt: 100, at: 200 };

test('a run that goes on, and none at all, are not ended', () => {
  assert.equal(runEndedBy(null, { state: AFTER }), null);
  const goesOn = { ...AFTER, run: { ...RUN, visit: 2 }, status: 'in_flow' } as const;
  assert.equal(runEndedBy(RUN, { state: goesOn }), null);
});

test('the last step of a run finishes it, also where the next run begins at once', () => {
  assert.deepEqual(runEndedBy(RUN, { state: AFTER }), { ...ENDED, stopped: false });
  const next = { ...AFTER, run: { ...RUN, id: 'run_2' }, status: 'in_flow' } as const;
  assert.deepEqual(runEndedBy(RUN, { state: next }), { ...ENDED, stopped: false });
});

test('an opt-out, a member and a join stop a run', () => {
  const resolved = { ...AFTER, run: RUN, status: 'resolved' } as const;
  const joined = { ...AFTER, joinedTo: 'cnv_2' };
  for (const decided of [{ state: AFTER, stopped: true }, { state: resolved }, { state: joined }]) {
    assert.deepEqual(runEndedBy(RUN, decided), { ...ENDED, stopped: true });
  }
});

const EVENTS_MAX = 60;

/** A random flow: each step leads anywhere, the last one ends. */
const flows: fc.Arbitrary<StartableFlow> = fc
  .array(
    fc.record({
      kind: fc.constantFrom('send', 'send', 'wait', 'gather', 'delay', 'choose', 'set', 'http'),
      to: fc.nat(9),
      other: fc.nat(9),
    }),
    { minLength: 1, maxLength: 9 },
  )
  .map((drawn) => {
    const name = (index: number) => `s${index % (drawn.length + 1)}`;
    const steps = drawn.map(({ kind, to, other }, index) => {
      const head = { id: `s${index}`, next: name(to) };
      switch (kind) {
        case 'send':
          return { ...head, do: 'send', text: `s${index} {{answers.a}}` };
        case 'wait':
          return { ...head, do: 'wait', timeout: '1h', saveAs: 'a', onTimeout: name(other) };
        case 'gather':
          return { ...head, do: 'wait', debounce: '5s', saveAs: 'a' };
        case 'delay':
          return { ...head, do: 'delay', for: '1m' };
        case 'choose': {
          const cases = [{ when: { answer: 'a', exists: true }, next: name(to) }];
          return { id: head.id, do: 'choose', cases, else: name(other) };
        }
        case 'set':
          return { ...head, do: 'set', fields: { passo: `s${index}` } };
        default:
          return { ...head, do: 'http', url: 'https://example.com', saveAs: 'b' };
      }
    });
    return flowOf([...steps, { id: `s${drawn.length}`, do: 'end' }]);
  });

type Event = { readonly does: 'due' | 'say' | 'call'; readonly now: number };

/** The entries of the log, and the fence that every append meets. */
class Log {
  readonly entries: { state: ConversationState; appended: Appended | null }[] = [];

  constructor(state: ConversationState) {
    this.entries.push({ state, appended: null });
  }

  get last(): ConversationState {
    const last = this.entries.at(-1);
    assert.ok(last);
    return last.state;
  }

  append(appended: Appended | null): boolean {
    if (!appended) return false;
    if (appended.state.seq !== this.last.seq + 1) return false;
    this.entries.push({ state: appended.state, appended });
    return true;
  }
}

function decide(state: ConversationState, flow: StartableFlow, event: Event): Appended | null {
  const context = contextOf(flow, { now: event.now });
  if (event.does === 'due') return decideDue(state, context);
  if (event.does === 'call') {
    return decideCallEnd(state, { visit: state.run?.visit ?? 0, body: '{"ok":true}' }, context);
  }
  const message = inbound(event.now);
  const after = append(state, message, event.now);
  const step = state.run ? flow.steps.get(state.run.stepId) : undefined;
  const arrival = { now: event.now, org: ORG, steps: flow.steps };
  const answered = applyAnswer(after, { step, text: 'sim', arrival });
  return { state: answered, message, queued: false, outbox: [] };
}

function inbound(createdAt: number): StoredMessage {
  const author = { kind: 'contact', label: 'Maria' } as const;
  const told = { direction: 'in', status: 'received', origin: 'contact' } as const;
  return outboundFixture({ ...told, text: 'sim', author, createdAt });
}

/** The next event: mostly one that is due, sometimes the contact writes out of turn. */
function eventFor(state: ConversationState, writes: boolean): Event {
  const at = timerOf(state);
  if (writes) return { does: 'say', now: state.at + 10 };
  if (state.run?.phase.kind === 'call') return { does: 'call', now: state.at + 10 };
  return at === null ? { does: 'say', now: state.at + 10 } : { does: 'due', now: at };
}

function said(log: Log): readonly (string | null)[] {
  return log.entries.flatMap(({ appended }) =>
    appended?.message?.direction === 'out' ? [appended.message.text] : [],
  );
}

test('replayed from any entry of its log, a run commits nothing twice and skips nothing', () => {
  const length = { minLength: EVENTS_MAX, maxLength: EVENTS_MAX };
  const crashes = fc.array(fc.tuple(fc.boolean(), fc.nat(20)), length);
  withRuns(300)([flows, crashes], (flow, drawn) => {
    const clean = new Log(begun(flow, NOW));
    const crashing = new Log(begun(flow, NOW));
    for (const [writes, back] of drawn) {
      if (!clean.last.run) break;
      const event = eventFor(clean.last, writes && back % 5 === 0);
      clean.append(decide(clean.last, flow, event));
      // A process that has died, or one that does not know yet, decides on what it remembers.
      const stale = crashing.entries.at(-2 - back)?.state;
      if (stale) {
        const decided = decide(stale, flow, event);
        assert.equal(crashing.append(decided), false, 'nothing is committed on a stale state');
      }
      const first = decide(crashing.last, flow, event);
      assert.deepEqual(decide(crashing.last, flow, event), first, 'decided again it is the same');
      crashing.append(first);
    }
    assert.deepEqual(said(crashing), said(clean));
    assert.deepEqual(crashing.last, clean.last);
    visitsFollow(clean);
  });
});

/** Each visit of a run is ended by exactly one entry, and the next one begins there. */
function visitsFollow(log: Log): void {
  let visit = 0;
  for (const { state } of log.entries) {
    if (!state.run) continue;
    const step = state.run.visit - visit;
    assert.ok(step === 0 || step === 1, `visit ${state.run.visit} comes after ${visit}`);
    visit = state.run.visit;
  }
}

test('a run is there exactly while the conversation is in flow', () => {
  withRuns(200)([flows], (flow) => {
    const log = new Log(begun(flow, NOW));
    for (let count = 0; count < EVENTS_MAX && log.last.run; count++) {
      log.append(decide(log.last, flow, eventFor(log.last, false)));
    }
    for (const { state } of log.entries) {
      assert.equal(state.run !== null, state.status === 'in_flow');
    }
  });
});
