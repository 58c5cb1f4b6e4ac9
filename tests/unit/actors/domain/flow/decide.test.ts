/** How a run of a flow waits, is moved, gathers choices and ends, by itself (docs/flows.md). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type {
  Appended,
  ConversationState,
} from '../../../../../actors/domain/conversation/conversation.ts';
import {
  applyAnswer,
  decideCallEnd,
  decideDue,
  decideStart,
  decideStop,
  skipReason,
} from '../../../../../actors/domain/flow/decide.ts';
import { type Run, timerOf, withoutEndedRun } from '../../../../../actors/domain/flow-run.ts';
import {
  begun,
  contextOf,
  flowOf,
  NOW,
  ORG,
} from '../../../../support/actors/conversation/flow/flow-fixture.ts';

const PICKED = { answer: 'pick', chosen: 'sim' };
const WAY = { id: 'way', do: 'choose', cases: [{ when: PICKED, next: 'yes' }], else: 'no' };
const ENDS = ['yes', 'no'].map((id) => ({ id, do: 'wait', next: null }));
const WAIT = { id: 'ask', do: 'wait', saveAs: 'pick', next: 'way' };

interface Said {
  readonly text: string;
  readonly chosen?: string;
  readonly now?: number;
}

function flowWith(more: object) {
  return flowOf([{ ...WAIT, ...more }, WAY, ...ENDS]);
}

function told(flow: ReturnType<typeof flowOf>, state: ConversationState, said: Said) {
  const { now = NOW, ...answer } = said;
  const arrival = { now, org: ORG, steps: flow.steps };
  return applyAnswer(state, { step: flow.steps.get(state.run?.stepId ?? ''), ...answer, arrival });
}

/** The step that a choice leads to. */
function chosenWay(flow: ReturnType<typeof flowOf>, state: ConversationState, now = NOW) {
  return decideDue(state, contextOf(flow, { now }))?.state.run?.stepId;
}

describe('a choice of the contact', () => {
  it('is known by its id, whatever its title', () => {
    const flow = flowWith({});
    const pressed = told(flow, begun(flow), { text: 'Sim, quero', chosen: 'sim' });
    const { answers, chosen } = pressed.run ?? {};
    assert.deepEqual([answers, chosen], [{ pick: 'Sim, quero' }, { pick: 'sim' }]);
    assert.equal(chosenWay(flow, pressed), 'yes');
    const other = told(flow, begun(flow), { text: 'Não', chosen: 'nao' });
    assert.equal(chosenWay(flow, other), 'no');
  });

  it('is not what somebody types, though it be the id', () => {
    const flow = flowWith({});
    const typed = told(flow, begun(flow), { text: 'sim' });
    assert.equal(typed.run?.chosen, undefined);
    assert.equal(chosenWay(flow, typed), 'no');
  });

  it('of gathered messages is the last one that was pressed', () => {
    const flow = flowWith({ debounce: '3s' });
    const said: readonly Said[] = [
      { text: 'Não', chosen: 'nao' },
      { text: 'Sim', chosen: 'sim' },
      { text: 'por favor' },
    ];
    const gathered = said.reduce((state, each) => told(flow, state, each), begun(flow));
    const now = NOW + 3_000;
    const after = decideDue(gathered, contextOf(flow, { now }))?.state;
    assert.equal(after?.run?.answers.pick, 'Não\nSim\npor favor');
    assert.deepEqual(after.run.chosen, { pick: 'sim' });
    assert.equal(chosenWay(flow, after, now), 'yes');
  });

  it('is forgotten with the texts that a person has answered', () => {
    const flow = flowWith({ debounce: '3s' });
    const pressed = told(flow, begun(flow), { text: 'Sim', chosen: 'sim' });
    const paused = { ...pressed, automationPausedUntil: NOW + 9_000 };
    const dropped = decideDue(paused, contextOf(flow, { now: NOW + 3_000 }))?.state;
    assert.ok(dropped);
    const open = { ...dropped, automationPausedUntil: null };
    const typed = told(flow, open, { text: 'oi', now: NOW + 10_000 });
    const after = decideDue(typed, contextOf(flow, { now: NOW + 13_000 }))?.state;
    assert.deepEqual([after?.run?.answers, after?.run?.chosen], [{ pick: 'oi' }, undefined]);
  });

  it('goes with its answer, and goes when that is given anew', () => {
    const call = { id: 'call', do: 'http', url: 'https://x.example', saveAs: 'pick', next: 'way' };
    const way = { ...WAY, cases: [{ when: PICKED, next: 'call' }] };
    const flow = flowOf([WAIT, way, call, ...ENDS.slice(1)]);
    const pressed = told(flow, begun(flow), { text: 'Sim', chosen: 'sim' });
    const calling = decideDue(pressed, contextOf(flow))?.state;
    assert.equal(calling?.run?.stepId, 'call');
    const end = { visit: calling.run.visit, body: '{}' };
    const ended = decideCallEnd(calling, end, contextOf(flow))?.state;
    assert.deepEqual([ended?.run?.chosen, ended?.run?.answers], [undefined, { pick: '{}' }]);
    assert.ok(ended);
    assert.equal(chosenWay(flow, ended), 'no');
  });

  it('is a variable of templates', () => {
    const flow = flowOf([WAIT, { id: 'way', do: 'send', text: '<{{chosen.pick}}>', next: null }]);
    const pressed = told(flow, begun(flow), { text: 'Sim', chosen: 'sim' });
    assert.equal(decideDue(pressed, contextOf(flow))?.message?.text, '<sim>');
    const typed = told(flow, begun(flow), { text: 'Sim' });
    assert.equal(decideDue(typed, contextOf(flow))?.message?.text, '<>');
  });
});

it('typing is of the delay that asks for it, and no other', () => {
  const steps = (typing: object) =>
    flowOf([
      { id: 'a', do: 'delay', for: '4s', ...typing, next: 'b' },
      { id: 'b', do: 'send', text: 'x', next: null },
    ]);
  const until = NOW + 4_000;
  const typing = { kind: 'delay', until, typing: true };
  assert.deepEqual(begun(steps({ typing: true })).run?.phase, typing);
  assert.deepEqual(begun(steps({ typing: false })).run?.phase, { kind: 'delay', until });
  assert.deepEqual(begun(steps({})).run?.phase, { kind: 'delay', until });
});

const waits = (more: object = {}) =>
  flowOf([
    { id: 'ask', do: 'wait', saveAs: 'size', next: 'again', ...more },
    { id: 'again', do: 'wait', saveAs: 'colour', next: 'end' },
    { id: 'end', do: 'wait', next: null },
  ]);

describe('choices of a run', () => {
  it('are kept for each answer', () => {
    const flow = waits();
    const first = told(flow, begun(flow), { text: 'Grande', chosen: 'g' });
    const second = told(flow, first, { text: 'Azul', chosen: 'blue' });
    assert.deepEqual(second.run?.chosen, { size: 'g', colour: 'blue' });
    const typed = told(flow, first, { text: 'Azul' });
    assert.deepEqual(typed.run?.chosen, { size: 'g' });
  });

  it('are no part of gathered texts without one', () => {
    const flow = waits({ debounce: '3s' });
    const gathering = { kind: 'answer', until: null, gatherUntil: NOW + 3_000 };
    const typed = told(flow, begun(flow), { text: 'Oi' });
    assert.deepEqual(typed.run?.phase, { ...gathering, gathered: 'Oi' });
    const pressed = told(flow, typed, { text: 'Grande', chosen: 'g' });
    assert.deepEqual(pressed.run?.phase, { ...gathering, gathered: 'Oi\nGrande', chosen: 'g' });
  });
});

describe('a run that is stopped', () => {
  const flow = waits();
  const state = begun(flow);

  it('has ended before its last step, in an open conversation', () => {
    const decided = decideStop(state, NOW + 1);
    assert.deepEqual([decided?.stopped, decided?.state.run], [true, null]);
    assert.deepEqual([decided?.state.status, decided?.state.seq], ['open', state.seq + 1]);
    assert.equal(decideStop({ ...state, run: null, status: 'open' }, NOW + 1), null);
  });
});

const END = { id: 'end', do: 'end' };
const LATER = NOW + 1_000;

function ends({ state }: Appended): void {
  assert.deepEqual([state.run, state.status], [null, 'open']);
}

describe('a run that waits', () => {
  const wait = { do: 'wait', saveAs: 'a', timeout: '1h', next: 'end', onTimeout: 'late' };
  const flow = flowOf([{ id: 'a', ...wait }, { id: 'late', do: 'end' }, END]);
  const answer = (state: ConversationState, text: string) =>
    told(flow, state, { text, now: LATER });

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
    const ask = { id: 'a', do: 'wait', saveAs: 'a', debounce: '5s', next: 'end' };
    const gathering = flowOf([ask, END]);
    const one = told(gathering, begun(gathering), { text: 'a', now: LATER });
    const two = told(gathering, one, { text: 'b', now: LATER + 4_000 });
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
    const monday = { id: 'a', do: 'delay', until: '09:00', weekdays: ['mon'], next: 'end' };
    assert.equal(timerOf(begun(flowOf([monday, END]))), Date.parse('2026-11-23T12:00:00Z'));
  });

  it('an opt-out ends it, and so does a step that is no more', () => {
    const context = contextOf(flow);
    const optedOut = { ...context, contact: { ...context.contact, optedOut: true } };
    for (const each of [optedOut, { ...context, steps: new Map() }]) {
      const stopped = decideDue(begun(flow), each);
      assert.ok(stopped?.stopped);
      ends(stopped);
    }
    assert.equal(decideDue({ ...begun(flow), run: null }, context), null);
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
    const known = { answers: { old: 'x', j: '{}' }, parsed: ['j'] };
    const run = { ...state.run, ...known, stepId, hops: 7, phase };
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
    for (const each of moved) assert.deepEqual([each?.state.run?.hops, each?.queued], [0, false]);
    assert.deepEqual(moved[1]?.state.run?.parsed, ['j', 'b']);
    const known = { ...call, run: call.run && { ...call.run, parsed: ['j', 'b'] } };
    const twice = decideCallEnd(known, { visit, body: '2' }, context);
    assert.deepEqual(twice?.state.run?.parsed, ['j', 'b']);
  });
});

describe('the bounds of a run', () => {
  const flow = flowOf([{ id: 'a', do: 'wait', next: 'a', saveAs: 'a' }]);

  it('it ends at its 10,000th step', () => {
    const state = begun(flow);
    const after = (visit: number) =>
      told(flow, { ...state, run: state.run && { ...state.run, visit } }, { text: 'x' });
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
    const names = ['id', 'channelId', 'status', 'assignedTo'].map((each) => `conversation.${each}`);
    const text = [...names, 'contact.phone', 'org.name'].map((name) => `{{${name}}}`).join(' ');
    const saying = flowOf([{ id: 'a', do: 'send', text, next: 'end' }, END]);
    const state = { ...begun(saying), assignedTo: 'ana' };
    const said = decideDue(state, contextOf(saying))?.message?.text;
    assert.equal(said, 'cnv_1 chn_1 in_flow ana 5511987654321 Loja');
  });
});

describe('a call to another system', () => {
  const bare = { id: 'a', do: 'http', url: 'https://example.com', saveAs: 'b', next: 'end' };
  const call = { ...bare, onError: 'x' };
  const flow = flowOf([call, { id: 'x', do: 'end' }, END]);
  const state = begun(flow);
  const visit = state.run?.visit ?? 0;
  const end = (body: string | null, of = visit) =>
    decideCallEnd(state, { visit: of, body }, contextOf(flow, { now: LATER }));

  it('its answer is kept as the value that it is', () => {
    const run = end('{"n":[7]}')?.state.run;
    assert.deepEqual([run?.stepId, run?.answers, run?.parsed], ['end', { b: '{"n":[7]}' }, ['b']]);
    assert.ok(run);
    const back: Run = { ...run, stepId: 'a', phase: { kind: 'call' } };
    const second = { visit: run.visit, body: '1' };
    const twice = decideCallEnd({ ...state, run: back }, second, contextOf(flow));
    assert.deepEqual([twice?.state.run?.parsed, twice?.state.run?.answers], [['b'], { b: '1' }]);
  });

  it('one that fails goes by `onError`, or on where there is none', () => {
    assert.equal(end(null)?.state.run?.stepId, 'x');
    const without = flowOf([bare, END]);
    const standing = begun(without);
    const failed = { visit: standing.run?.visit ?? 0, body: null };
    const ended = decideCallEnd(standing, failed, contextOf(without));
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
    const at = { phone: '5511987654321', optedOut: false, org: {}, now: LATER };
    assert.equal(skipReason(null, at), null);
    assert.equal(skipReason(null, { ...at, optedOut: true }), 'opted-out');
    assert.equal(skipReason(running, { ...at, optedOut: true }), 'opted-out');
    assert.equal(skipReason(running, at), 'running');
    assert.equal(skipReason(idle, at), null);
    assert.equal(skipReason({ ...idle, automationPausedUntil: LATER + 1 }, at), 'paused');
    assert.equal(skipReason({ ...idle, automationPausedUntil: LATER }, at), null);
  });

  it('D410: for a number of the organization’s own channels, in any spelling', () => {
    const ownNumbers = new Set(['5511987654321']);
    const at = { phone: '5511987654321', optedOut: false, org: { ownNumbers }, now: LATER };
    assert.equal(skipReason(null, at), 'own-number');
    assert.equal(skipReason(idle, { ...at, phone: '551187654321' }), 'own-number');
    assert.equal(skipReason(null, { ...at, phone: '5511987654322' }), null);
    assert.equal(skipReason(null, { ...at, phone: '' }), null, 'an unknown one is as any other');
  });

  it('a flow whose first step is gone ends at once', () => {
    const start = { runId: 'run_1', flow: { ...flow, firstStepId: 'gone' } };
    ends(decideStart(idle, start, { now: LATER, org: ORG, steps: flow.steps }));
  });
});
