/** How a run waits, is moved and ends, by itself (docs/flows.md). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Appended, ConversationState } from '../../../../actors/domain/conversation.ts';
import {
  applyAnswer,
  decideCallEnd,
  decideDue,
  decideStart,
  decideStop,
  skipReason,
} from '../../../../actors/domain/flow/decide.ts';
import { timerOf, withoutEndedRun } from '../../../../actors/domain/flow/run.ts';
import { begun, contextOf, flowOf, NOW, ORG } from '../../../support/actors/flow/flow-fixture.ts';

const END = { id: 'end', do: 'end' };
const LATER = NOW + 1_000;

function ends({ state }: Appended): void {
  assert.deepEqual([state.run, state.status], [null, 'open']);
}

describe('a run that waits', () => {
  const wait = { do: 'wait', saveAs: 'a', timeout: '1h', next: 'end', onTimeout: 'late' };
  const flow = flowOf([{ id: 'a', ...wait }, { id: 'late', do: 'end' }, END]);
  const answer = (state: ConversationState, text: string, now = LATER) => {
    const step = flow.steps.get('a');
    return applyAnswer(state, { step, text, arrival: { now, org: ORG, steps: flow.steps } });
  };

  it('is moved by the contact’s message, which it keeps', () => {
    const { run } = answer(begun(flow), 'sim');
    assert.deepEqual([run?.stepId, run?.answers, run?.hops], ['end', { a: 'sim' }, 0]);
  });

  it('keeps 4,096 characters of an answer at most, as people count them', () => {
    const kept = (text: string) =>
      Array.from(answer(begun(flow), text).run?.answers.a ?? '').length;
    for (const unit of ['x', '👍']) {
      for (const [said, length] of [
        [4_095, 4_095],
        [4_096, 4_096],
        [4_097, 4_096],
      ] as const) {
        assert.equal(kept(unit.repeat(said)), length, `${said} ${unit}`);
      }
    }
  });

  it('within a pause no message moves it, and no time does', () => {
    const paused = { ...begun(flow), automationPausedUntil: LATER + 1 };
    assert.equal(answer(paused, 'sim'), paused);
    const context = (now: number) => contextOf(flow, { now });
    assert.equal(decideDue(paused, context(LATER)), null);
    assert.equal(timerOf({ ...paused, automationPausedUntil: NOW + 7_200_000 }), NOW + 7_200_000);
    assert.equal(timerOf(paused), NOW + 3_600_000);
  });

  it('goes another way at its time-out, not a moment earlier', () => {
    const state = begun(flow);
    assert.equal(timerOf(state), NOW + 3_600_000);
    assert.equal(decideDue(state, contextOf(flow, { now: NOW + 3_599_999 })), null);
    const late = decideDue(state, contextOf(flow, { now: NOW + 3_600_000 }));
    assert.equal(late?.state.run?.stepId, 'late');
    const { onTimeout: _, ...same } = wait;
    const plain = flowOf([{ id: 'a', ...same }, END]);
    const next = decideDue(begun(plain), contextOf(plain, { now: NOW + 3_600_000 }));
    assert.equal(next?.state.run?.stepId, 'end');
  });

  it('gathers what comes within the debounce, each message anew; a person’s answer drops it', () => {
    const gathering = flowOf([
      { id: 'a', do: 'wait', saveAs: 'a', debounce: '5s', next: 'end' },
      END,
    ]);
    const step = gathering.steps.get('a');
    const arrival = (now: number) => ({ now, org: ORG, steps: gathering.steps });
    const one = applyAnswer(begun(gathering), { step, text: 'a', arrival: arrival(LATER) });
    const two = applyAnswer(one, { step, text: 'b', arrival: arrival(LATER + 4_000) });
    assert.equal(timerOf(two), LATER + 9_000);
    assert.equal(decideDue(two, contextOf(gathering, { now: LATER + 8_999 })), null);
    const due = decideDue(two, contextOf(gathering, { now: LATER + 9_000 }));
    assert.deepEqual(due?.state.run?.answers, { a: 'a\nb' });
    const paused = { ...two, automationPausedUntil: LATER + 60_000 };
    const dropped = decideDue(paused, contextOf(gathering, { now: LATER + 9_000 }));
    const kept = { kind: 'answer', until: null, gathered: null, gatherUntil: null };
    assert.deepEqual(dropped?.state.run?.phase, kept);
    assert.equal(dropped?.state.seq, two.seq + 1);
    assert.equal(dropped && decideDue(dropped.state, contextOf(gathering, { now: LATER })), null);
  });

  it('a delay ends at its time', () => {
    const delay = flowOf([{ id: 'a', do: 'delay', for: '1m', next: 'end' }, END]);
    const state = begun(delay);
    assert.equal(timerOf(state), NOW + 60_000);
    assert.equal(decideDue(state, contextOf(delay, { now: NOW + 59_999 })), null);
    const due = decideDue(state, contextOf(delay, { now: NOW + 60_000 }));
    assert.equal(due?.state.run?.stepId, 'end');
    const until = flowOf([
      { id: 'a', do: 'delay', until: '09:00', weekdays: ['mon'], next: 'end' },
      END,
    ]);
    assert.equal(timerOf(begun(until)), Date.parse('2026-11-23T12:00:00Z'));
  });

  it('an opt-out ends it, and so does a step that is no more', () => {
    const contact = { ...contextOf(flow).contact, optedOut: true };
    const stopped = decideDue(begun(flow), contextOf(flow, { contact }));
    assert.ok(stopped);
    ends(stopped);
    const gone = decideDue(begun(flow), { ...contextOf(flow), steps: new Map() });
    assert.ok(gone);
    ends(gone);
    assert.equal(decideDue({ ...begun(flow), run: null }, contextOf(flow)), null);
    assert.equal(decideStop({ ...begun(flow), run: null }, NOW), null);
  });
});

describe('what moves a run', () => {
  const steps = [
    { id: 'a', do: 'wait', saveAs: 'a', timeout: '1h', next: 'b' },
    { id: 'b', do: 'http', url: 'https://example.com', saveAs: 'b', next: 'c' },
    { id: 'c', do: 'delay', for: '1m', next: 'end' },
    END,
  ];
  const flow = flowOf(steps);
  const at = (stepId: string, phase: object): ConversationState => {
    const state = begun(flow);
    assert.ok(state.run);
    const run = {
      ...state.run,
      stepId,
      hops: 7,
      answers: { old: 'x', j: '{}' },
      parsed: ['j'],
      phase,
    };
    return { ...state, run } as unknown as ConversationState;
  };
  const waiting = at('a', { kind: 'answer', until: LATER, gathered: null, gatherUntil: null });
  const arrival = { now: LATER, org: ORG, steps: flow.steps };
  const context = contextOf(flow, { now: LATER });

  it('an answer is kept as text beside the others, and the count of flows begins anew', () => {
    const { run } = applyAnswer(waiting, { step: flow.steps.get('a'), text: 'sim', arrival });
    assert.deepEqual([run?.answers, run?.parsed], [{ old: 'x', j: '{}', a: 'sim' }, ['j']]);
    assert.equal(run?.hops, 0);
    const plain = flowOf([{ id: 'a', do: 'wait', next: 'end' }, END]);
    const silent = applyAnswer(waiting, { step: plain.steps.get('a'), text: 'sim', arrival });
    assert.deepEqual([silent.run?.hops, silent.run?.answers], [0, { old: 'x', j: '{}' }]);
  });

  it('so it does after a time-out, a call that ends or fails, and a delay', () => {
    const call = at('b', { kind: 'call' });
    const visit = call.run?.visit ?? 0;
    const moved = [
      decideDue(waiting, context),
      decideCallEnd(call, { visit, body: '1' }, context),
      decideCallEnd(call, { visit, body: null }, context),
      decideDue(at('c', { kind: 'delay', until: LATER }), context),
    ];
    assert.deepEqual(
      moved.map((each) => [each?.state.run?.hops, each?.queued]),
      moved.map(() => [0, false]),
    );
    assert.deepEqual(moved[1]?.state.run?.parsed, ['j', 'b']);
    const again = at('b', { kind: 'call' });
    const known = { ...again, run: again.run && { ...again.run, parsed: ['j', 'b'] } };
    assert.deepEqual(decideCallEnd(known, { visit, body: '2' }, context)?.state.run?.parsed, [
      'j',
      'b',
    ]);
  });
});

describe('the bounds of a run', () => {
  const flow = flowOf([{ id: 'a', do: 'wait', next: 'a', saveAs: 'a' }]);

  it('it ends at its 10,000th step', () => {
    const state = begun(flow);
    assert.ok(state.run);
    const step = flow.steps.get('a');
    const arrival = { now: LATER, org: ORG, steps: flow.steps };
    const after = (visit: number) =>
      applyAnswer(
        { ...state, run: state.run && { ...state.run, visit } },
        { step, text: 'x', arrival },
      );
    assert.equal(after(9_999).run?.visit, 10_000);
    assert.deepEqual([after(10_000).run, after(10_000).status], [null, 'open']);
  });

  it('its entries never go back in time', () => {
    const state = { ...begun(flow), at: LATER + 9 };
    assert.equal(decideStop(state, LATER)?.state.at, LATER + 9);
    assert.equal(decideStop(state, LATER + 10)?.state.at, LATER + 10);
  });

  it('it ends when its conversation leaves the flow, and only then', () => {
    const state = begun(flow);
    assert.equal(withoutEndedRun(state), state);
    for (const status of ['open', 'resolved'] as const) {
      assert.equal(withoutEndedRun({ ...state, status }).run, null);
    }
    const idle = { ...state, run: null };
    assert.equal(withoutEndedRun(idle), idle);
  });

  it('templates see conversation, contact, organization and answers', () => {
    const text =
      '{{conversation.id}} {{conversation.channelId}} {{conversation.status}} {{conversation.assignedTo}} {{contact.phone}} {{org.name}}';
    const saying = flowOf([{ id: 'a', do: 'send', text, next: 'end' }, END]);
    const state = { ...begun(saying), assignedTo: 'ana' };
    const said = decideDue(state, contextOf(saying))?.message?.text;
    assert.equal(said, 'cnv_1 chn_1 in_flow ana 5511987654321 Loja');
  });
});

describe('a call to another system', () => {
  const call = {
    id: 'a',
    do: 'http',
    url: 'https://example.com',
    saveAs: 'b',
    next: 'end',
    onError: 'x',
  };
  const flow = flowOf([call, { id: 'x', do: 'end' }, END]);
  const state = begun(flow);
  const visit = state.run?.visit ?? 0;
  const end = (body: string | null, of = visit) =>
    decideCallEnd(state, { visit: of, body }, contextOf(flow, { now: LATER }));

  it('its answer is kept as the value that it is', () => {
    const run = end('{"n":[7]}')?.state.run;
    assert.deepEqual([run?.stepId, run?.answers, run?.parsed], ['end', { b: '{"n":[7]}' }, ['b']]);
    const again = run && {
      ...state,
      run: { ...state.run, ...run, stepId: 'a', phase: { kind: 'call' } },
    };
    const twice = decideCallEnd(
      again as ConversationState,
      { visit: run?.visit ?? 0, body: '1' },
      contextOf(flow),
    );
    assert.deepEqual([twice?.state.run?.parsed, twice?.state.run?.answers], [['b'], { b: '1' }]);
  });

  it('one that fails goes by `onError`, or on where there is none', () => {
    assert.equal(end(null)?.state.run?.stepId, 'x');
    const { onError: _, ...plain } = call;
    const without = flowOf([plain, END]);
    const begunThere = begun(without);
    const ended = decideCallEnd(
      begunThere,
      { visit: begunThere.run?.visit ?? 0, body: null },
      contextOf(without),
    );
    assert.deepEqual([ended?.state.run?.stepId, ended?.state.run?.answers], ['end', {}]);
  });

  it('one that the run no longer stands at is nothing, and it is not due by itself', () => {
    assert.equal(end('{}', visit + 1), null);
    assert.equal(decideDue(state, contextOf(flow, { now: LATER })), null);
    const other = { ...contextOf(flow), steps: flowOf([{ id: 'a', do: 'end' }]).steps };
    const stopped = decideCallEnd(state, { visit, body: '{}' }, other);
    assert.equal(stopped?.state.run, null);
  });
});

describe('decisions, Behaviour: a start is skipped', () => {
  const flow = flowOf([{ id: 'a', do: 'wait', next: 'end' }, END]);
  const running = begun(flow);
  const idle = { ...running, run: null };

  it('for a contact who has opted out, where a flow runs, and within a pause', () => {
    const at = { optedOut: false, now: LATER };
    assert.equal(skipReason(null, at), null);
    assert.equal(skipReason(null, { ...at, optedOut: true }), 'opted-out');
    assert.equal(skipReason(running, { ...at, optedOut: true }), 'opted-out');
    assert.equal(skipReason(running, at), 'running');
    assert.equal(skipReason(idle, at), null);
    assert.equal(skipReason({ ...idle, automationPausedUntil: LATER + 1 }, at), 'paused');
    assert.equal(skipReason({ ...idle, automationPausedUntil: LATER }, at), null);
  });

  it('a flow whose first step is gone ends at once', () => {
    const started = decideStart(
      idle,
      { runId: 'run_1', flow: { ...flow, firstStepId: 'gone' } },
      { now: LATER, org: ORG, steps: flow.steps },
    );
    ends(started);
  });
});
