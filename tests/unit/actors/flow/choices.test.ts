/** Buttons, rows, reactions and places of contacts in flows; the window, and typing. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ConversationState } from '../../../../actors/domain/conversation.ts';
import { beginRun } from '../../../../actors/domain/flow/arrival.ts';
import { flowForMessage, holds } from '../../../../actors/domain/flow/conditions.ts';
import { applyAnswer, decideCallEnd, decideDue } from '../../../../actors/domain/flow/decide.ts';
import type { FlowEntry } from '../../../../actors/domain/organization/state.ts';
import { begun, contextOf, flowOf, NOW, ORG } from '../../../support/actors/flow/flow-fixture.ts';

const WAY = {
  id: 'way',
  do: 'choose',
  cases: [{ when: { answer: 'pick', chosen: 'sim' }, next: 'yes' }],
  else: 'no',
};
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
    assert.deepEqual(
      [pressed.run?.answers, pressed.run?.chosen],
      [{ pick: 'Sim, quero' }, { pick: 'sim' }],
    );
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
    const steps = [
      WAIT,
      { ...WAY, cases: [{ when: { answer: 'pick', chosen: 'sim' }, next: 'call' }] },
      { id: 'call', do: 'http', url: 'https://x.example', saveAs: 'pick', next: 'way' },
      ...ENDS,
    ];
    const flow = flowOf(steps.filter(({ id }) => id !== 'yes'));
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

  it('has the name of an answer only', () => {
    const flow = flowOf([{ id: 'end', do: 'end' }]);
    const run = beginRun('run_1', flow, { now: NOW, org: ORG, steps: flow.steps });
    assert.ok(run);
    for (const answer of ['pick', 'toString', 'constructor', '__proto__', 'pick.x']) {
      assert.equal(holds({ answer, chosen: 'sim' }, run, contextOf(flow)), false, answer);
    }
  });
});

describe('the window as a condition', () => {
  const flow = flowOf([{ id: 'end', do: 'end' }]);
  const run = beginRun('run_1', flow, { now: NOW, org: ORG, steps: flow.steps });
  assert.ok(run);
  for (const [window, isOpen] of [
    ['open', true],
    ['undecided', true],
    ['closed', false],
  ] as const) {
    it(`${window} counts as ${isOpen ? 'open' : 'closed'}`, () => {
      const context = contextOf(flow, { window });
      assert.equal(holds({ window: 'open' }, run, context), isOpen);
      assert.equal(holds({ window: 'closed' }, run, context), !isOpen);
      assert.equal(holds({ not: { window: 'open' } }, run, context), !isOpen);
    });
  }
});

describe('typing', () => {
  it('is of the delay that asks for it, and no other', () => {
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
});

describe('triggers of buttons, places and reactions', () => {
  const entry = (ref: string, ...triggers: readonly object[]): FlowEntry => ({
    ...{ id: ref, ref, name: ref, enabled: true, channelId: null, isMain: ref === 'main' },
    triggers: triggers.map((each) => ({ ...each })),
    ...{ steps: [], updatedAt: 0 },
  });
  const flows = [
    entry('main', { on: 'first-message' }),
    entry('place', { on: 'location' }),
    entry('word', { on: 'keyword', keyword: 'comprar' }),
    entry('button', { on: 'button', id: 'buy' }),
    entry('thumb', { on: 'reaction', emoji: '👍' }),
    entry('heart', { on: 'reaction', emoji: '❤' }),
    entry('any', { on: 'reaction' }),
  ];
  const started = (message: object) =>
    flowForMessage(flows, { channelId: 'chn_1', text: null, first: false, ...message })?.ref ??
    null;

  const table: readonly (readonly [string, object, string | null])[] = [
    ['a button precedes its title as a keyword', { text: 'Comprar', chosen: 'buy' }, 'button'],
    ['another button is its title', { text: 'Comprar', chosen: 'x' }, 'word'],
    ['another button of no keyword is a message', { text: 'Oi', chosen: 'x' }, 'main'],
    ['an id that somebody types presses no button', { text: 'buy' }, 'main'],
    ['a place', { text: 'Rua A', isLocation: true }, 'place'],
    ['a place precedes a first message', { isLocation: true, first: true }, 'place'],
    ['a keyword precedes a place', { text: 'comprar', isLocation: true }, 'word'],
    ['a reaction', { reaction: '👍' }, 'thumb'],
    ['a reaction in a skin tone', { reaction: '👍🏽' }, 'thumb'],
    ['a reaction with a variation selector', { reaction: '❤️' }, 'heart'],
    ['another reaction', { reaction: '😂' }, 'any'],
    ['a reaction that is taken back', { reaction: '' }, null],
    ['a reaction is no first message', { reaction: '', first: true }, null],
  ];
  for (const [title, message, expected] of table) {
    it(`${title}: ${expected ?? 'nothing'}`, () => assert.equal(started(message), expected));
  }

  it('a reaction starts nothing where no flow waits for one', () => {
    const others = flows.filter(({ ref }) => !['thumb', 'heart', 'any'].includes(ref));
    const message = { channelId: 'chn_1', text: null, first: true, reaction: '👍' };
    assert.equal(flowForMessage(others, message), null);
  });

  it('a flow of the channel precedes one for any', () => {
    const own = { ...entry('own', { on: 'button', id: 'buy' }), channelId: 'chn_1' };
    const press = { text: 'x', first: false, chosen: 'buy' };
    assert.equal(flowForMessage([...flows, own], { ...press, channelId: 'chn_1' })?.ref, 'own');
    assert.equal(flowForMessage([...flows, own], { ...press, channelId: 'chn_2' })?.ref, 'button');
  });
});
