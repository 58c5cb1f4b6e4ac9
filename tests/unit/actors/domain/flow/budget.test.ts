/**
 * The budget of a step holds for the sum of its entries, whatever the step does, and in units that
 * every machine counts alike. The steps of a run add up. Beyond either limit the run ends with its
 * reason.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { requestOf } from '../../../../../actors/domain/flow/call.ts';
import { decideCallEnd, decideDue } from '../../../../../actors/domain/flow/decide.ts';
import { runEndedBy } from '../../../../../actors/domain/flow-run.ts';
import { FLOW_RUN_UNITS_MAX } from '../../../../../shared/limits.ts';
import { Budget } from '../../../../../shared/liquid/budget.ts';
import { renderTemplate } from '../../../../../shared/liquid/template.ts';
import {
  begun,
  contextOf,
  flowOf,
} from '../../../../support/actors/conversation/flow/flow-fixture.ts';
import { end, problemsOf } from '../organization/problems-fixture.ts';

/** Within the budget alone, and beyond it a few times. */
const SHARE = '{% for i in (1..4000) %}{% endfor %}';
const SHARES = Array.from({ length: 6 }, () => SHARE);
const named = (of: (at: number) => string) =>
  Object.fromEntries(SHARES.map((each, at) => [of(at), each]));
const many = SHARES.join('');

function decided(step: object, spent = 0) {
  const flow = flowOf([
    { id: 'one', ...step },
    { id: 'end', do: 'end' },
  ]);
  const state = begun(flow);
  assert.ok(state.run);
  const before = { ...state, run: { ...state.run, spent } };
  return { before, decision: decideDue(before, contextOf(flow, { budget: new Budget(spent) })) };
}

function reasonOf({ before, decision }: ReturnType<typeof decided>) {
  assert.ok(decision);
  const ended = runEndedBy(before.run, decision);
  return { reason: ended?.reason, stopped: ended?.stopped, run: decision.state.run };
}

const OVER = { reason: 'over_budget', stopped: true, run: null };
const next = 'end';
const cards = SHARES.slice(0, 5).map((name) => ({ name, phones: ['+55 11 4000-1000', SHARE] }));
const rows = SHARES.map((title, at) => ({ id: `r${at}`, title, description: SHARE }));

describe('a step whose entries are beyond the budget together ends its run', () => {
  const steps: Readonly<Record<string, object>> = {
    set: { do: 'set', fields: named((at) => `f${at}`), next },
    'task, title and notes': { do: 'task', title: many, notes: many, next },
    deal: { do: 'deal', action: 'create', title: many, next },
    'handoff, whose note is left out else': { do: 'handoff', note: many },
    text: { do: 'send', text: many, next },
    list: {
      ...{ do: 'send', next },
      interactive: { type: 'list', text: 'a', button: 'b', sections: [{ rows }] },
    },
    cards: { do: 'send', contacts: cards, next },
    place: {
      ...{ do: 'send', next },
      location: { latitude: many, longitude: many, name: SHARE, address: SHARE },
    },
    template: { do: 'send', template: { name: 'a', language: 'pt_BR', body: SHARES }, next },
    'a fallback, which is left out else': {
      ...{ do: 'send', text: 'oi', next },
      fallbackTemplate: { name: 'a', language: 'pt_BR', body: SHARES },
    },
  };
  for (const [name, step] of Object.entries(steps)) {
    it(name, () => assert.deepEqual(reasonOf(decided(step)), OVER));
  }

  it('choose, with more conditions than a step may judge', () => {
    const twenty = (condition: object) => ({ any: Array.from({ length: 20 }, () => condition) });
    const when = twenty(twenty(twenty({ tag: 'none' })));
    const cases = Array.from({ length: 3 }, () => ({ when, next }));
    assert.deepEqual(reasonOf(decided({ do: 'choose', cases, else: next })), OVER);
  });

  it('http: url, headers and body', () => {
    for (const part of [{ url: many }, { headers: named((at) => `x-${at}`) }, { body: many }]) {
      const flow = flowOf([
        { id: 'one', do: 'http', url: 'https://a.example', ...part, next: null },
      ]);
      const state = begun(flow);
      const { run } = state;
      const step = flow.steps.get('one');
      const context = contextOf(flow);
      assert.ok(run && step?.do === 'http');
      requestOf(state, { run, step, context }, 'X-Recado');
      assert.ok(context.budget.exceeded, JSON.stringify(part));
    }
  });
});

describe('the budget of a run', () => {
  const cheap = { do: 'send', text: 'Olá {{contact.name}}', next };

  it('is what its steps have spent, and ends the run beyond it', () => {
    const { spent = 0 } = decided(cheap).decision?.state.run ?? {};
    assert.ok(spent > 0 && spent < 20, `a usual message spends ${spent}`);
    assert.equal(decided(cheap, 1_000).decision?.state.run?.spent, 1_000 + spent);
    assert.equal(decided(cheap, FLOW_RUN_UNITS_MAX - spent).decision?.state.run?.stepId, 'end');
    assert.deepEqual(reasonOf(decided(cheap, FLOW_RUN_UNITS_MAX - spent + 1)), OVER);
  });

  it("includes the request of an http step, which the call's end reports", () => {
    const flow = flowOf([
      { id: 'one', do: 'http', url: 'https://a.example', next: 'end' },
      { id: 'end', do: 'end' },
    ]);
    const end = { visit: 1, body: '{}', spent: 7 };
    assert.equal(decideCallEnd(begun(flow), end, contextOf(flow))?.state.run?.spent, 7);
  });

  it('a template that fails ends the run with that reason', () => {
    for (const step of [
      { do: 'set', fields: { a: '{{ 1 | sample }}' }, next },
      { ...cheap, text: '{{ 1 | sample }}' },
    ]) {
      assert.deepEqual(reasonOf(decided(step)), { ...OVER, reason: 'template_failed' });
    }
  });
});

describe('units', () => {
  const scope = (budget: Budget) => ({
    ...{ contact: {}, conversation: {}, org: { name: '', timeZone: 'UTC' }, chosen: {}, budget },
    ...{
      answers: { list: Array.from({ length: 4_000 }, (_, n) => n) },
      now: '2026-01-02T03:04:05Z',
    },
  });
  const table: readonly (readonly [what: string, source: string])[] = [
    ['rounds of a loop', '{% for i in (1..30000) %}{% endfor %}'],
    ['rounds of a table', '{% tablerow i in (1..30000) %}{% endtablerow %}'],
    ['a range that nobody reads', '{% assign a = (1..1100000) %}'],
    ['output', `{% for i in (1..200) %}${'x'.repeat(6_000)}{% endfor %}`],
    [
      'output of a capture',
      `{% capture a %}{% for i in (1..200) %}${'x'.repeat(6_000)}{% endfor %}{% endcapture %}`,
    ],
    ['output of a list', '{% for i in (1..80) %}{{ answers.list }}{% endfor %}'],
    ['items that filters read', '{% for i in (1..6) %}{{ answers.list | sum }}{% endfor %}'],
    [
      'expressions for each item',
      "{% for i in (1..6) %}{{ answers.list | has_exp: 'x', 'x > 9999' }}{% endfor %}",
    ],
    ['dates', "{% for i in (1..600) %}{{ 'now' | date: '%d' }}{% endfor %}"],
  ];
  for (const [what, source] of table) {
    it(`${what} are spent, the same at every rendering`, (t) => {
      // On a slow machine the second line, of time, would come first.
      t.mock.method(performance, 'now', () => 0);
      const once = () => {
        const budget = new Budget();
        assert.ok('failed' in renderTemplate(source, scope(budget)));
        assert.ok(budget.exceeded);
        return budget.spent;
      };
      assert.equal(once(), once());
    });
  }

  it('a step of an older flow with 1,250 usual fields stays within the budget', () => {
    const fields = Object.fromEntries(
      Array.from({ length: 1_250 }, (_, at) => [`f${at}`, '{{contact.name}}']),
    );
    assert.equal(decided({ do: 'set', fields, next }).decision?.state.run?.stepId, 'end');
  });
});

describe('a step holds at most 100 entries', () => {
  const fieldsOf = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`f-${at}`, 'x']));
  const table: readonly (readonly [field: string, of: (count: number) => object])[] = [
    ['fields', (count) => ({ do: 'set', fields: fieldsOf(count) })],
    ['headers', (count) => ({ do: 'http', url: 'https://a.example', headers: fieldsOf(count) })],
  ];
  for (const [field, of] of table) {
    it(`${field} beyond them are a problem of the flow, and a stored flow is read all the same`, () => {
      const stepsOf = (count: number) => [{ id: 'one', ...of(count), next: 'end' }, end];
      assert.deepEqual(problemsOf(stepsOf(100)), []);
      assert.deepEqual(problemsOf(stepsOf(101)), [
        `steps.0.${field} flow "f", step "one", ${field}: a step holds at most 100 entries`,
      ]);
      assert.equal(flowOf(stepsOf(1_250)).steps.size, 2);
    });
  }
});
