/** Problems that `recado apply` finds in flows, each with flow, step and field (docs/flows.md). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { end, problemsOf } from './problems-fixture.ts';

/** Title, steps, the path and some words of the one problem. */
const TABLE: readonly (readonly [string, readonly unknown[], string, RegExp])[] = [
  ['an unknown step', [{ id: 'a', do: 'fly' }], 'steps.0.do', /"a", do: must be one of send/],
  ['a dead end', [{ id: 'a', do: 'send', text: 'x' }], 'steps.0.next', /dead end/],
  [
    'a step that nothing leads to',
    [end, { id: 'b', do: 'end' }],
    'steps.1.id',
    /step "b", id: no way/,
  ],
  [
    'a step that is not there',
    [{ id: 'a', do: 'send', text: 'x', next: 'z' }],
    'steps.0.next',
    /no step has the id "z"/,
  ],
  [
    'a loop without a wait',
    [
      { id: 'a', do: 'send', text: 'x', next: 'b' },
      { id: 'b', do: 'choose', cases: [{ when: { tag: 'x' }, next: 'end' }], else: 'a' },
      end,
    ],
    'steps.1.else',
    /back to step "a" without a wait/,
  ],
  [
    'a template that cannot be read',
    [{ id: 'a', do: 'send', text: 'Olá {{contact.name', next: 'end' }, end],
    'steps.0.text',
    /flow "f", step "a", text: is no template/,
  ],
  [
    'a filter that does not exist',
    [{ id: 'a', do: 'set', fields: { x: '{{ org.name | shout }}' }, next: 'end' }, end],
    'steps.0.fields.x',
    /undefined filter: shout/,
  ],
  [
    'a template that reads files',
    [{ id: 'a', do: 'send', text: '{% include "/etc/passwd" %}', next: 'end' }, end],
    'steps.0.text',
    /tag "include" not found/,
  ],
  [
    'a property that is not known',
    [{ id: 'a', do: 'send', txt: 'x', text: 'x', next: 'end' }, end],
    'steps.0.txt',
    /not a known property/,
  ],
  [
    'a send without content',
    [{ id: 'a', do: 'send', next: 'end' }, end],
    'steps.0',
    /text or file/,
  ],
  [
    'a duration that is none',
    [{ id: 'a', do: 'delay', for: 'soon', next: 'end' }, end],
    'steps.0.for',
    /duration/,
  ],
  [
    'a delay for and until',
    [{ id: 'a', do: 'delay', for: '1h', until: '09:00', next: 'end' }, end],
    'steps.0',
    /either for or until/,
  ],
  [
    'a timeout branch without a timeout',
    [{ id: 'a', do: 'wait', next: 'end', onTimeout: 'end' }, end],
    'steps.0',
    /onTimeout needs a timeout/,
  ],
  [
    'a condition of two subjects',
    [
      {
        id: 'a',
        do: 'choose',
        cases: [{ when: { tag: 'x', optIn: true }, next: 'end' }],
        else: 'end',
      },
      end,
    ],
    'steps.0.cases.0.when',
    /exactly one of answer/,
  ],
  [
    'a choice without a default',
    [{ id: 'a', do: 'choose', cases: [{ when: { tag: 'x' }, next: 'end' }] }, end],
    'steps.0.else',
    /is required/,
  ],
  [
    'a member whom nobody knows',
    [{ id: 'a', do: 'assign', member: 'zoe', next: 'end' }, end],
    'steps.0.member',
    /names no member "zoe"; there are none/,
  ],
  ['a flow that is not there', [{ id: 'a', do: 'start', flow: 'g' }], 'steps.0.flow', /no flow/],
  [
    'an opt-out that goes on',
    [{ id: 'a', do: 'opt', optIn: false, next: 'end' }, end],
    'steps.0',
    /opting out ends the flow/,
  ],
  [
    'a lost deal without its reason',
    [{ id: 'a', do: 'deal', action: 'close', status: 'lost', next: 'end' }, end],
    'steps.0',
    /lostReason/,
  ],
];

describe('recado apply checks flows wholly', () => {
  for (const [title, steps, path, words] of TABLE) {
    it(`finds ${title}`, () => {
      const problems = problemsOf(steps);
      assert.equal(problems.length, 1, problems.join('\n'));
      assert.ok(problems[0]?.startsWith(`${path} `), problems[0]);
      assert.match(problems[0] ?? '', words);
      assert.match(problems[0] ?? '', /flow "f", step "/);
    });
  }

  it('finds templates wherever a step has one', () => {
    const bad = '{{contact.name';
    const table: readonly (readonly [object, string])[] = [
      [{ do: 'set', fields: { a: 'ok', b: bad } }, 'fields.b'],
      [{ do: 'deal', action: 'create', title: bad }, 'title'],
      [{ do: 'task', title: bad }, 'title'],
      [{ do: 'task', title: 'T', notes: bad }, 'notes'],
      [{ do: 'http', url: `https://x.example/${bad}` }, 'url'],
      [{ do: 'http', url: 'https://x.example', headers: { A: bad } }, 'headers.A'],
      [{ do: 'http', url: 'https://x.example', body: bad }, 'body'],
    ];
    for (const [step, field] of table) {
      const [problem, ...others] = problemsOf([{ id: 'a', next: 'end', ...step }, end]);
      assert.deepEqual(others, [], problem);
      assert.ok(problem?.startsWith(`steps.0.${field} `), problem);
      assert.match(problem ?? '', /is no template/);
    }
    const [note] = problemsOf([{ id: 'a', do: 'handoff', note: bad }]);
    assert.match(note ?? '', /^steps\.0\.note .*is no template/);
  });

  it('says nothing of a flow that goes away', () => {
    assert.deepEqual(
      problemsOf([{ id: 'a', do: 'assign', member: 'zoe', next: 'end' }, end], { remove: true }),
      [],
    );
  });

  it('finds triggers that start nothing', () => {
    const triggers = [
      { on: 'sunrise' },
      { on: 'keyword' },
      { on: 'tag', tag: 'a', match: 'exact' },
    ];
    const paths = problemsOf([end], { triggers }).map((each) => each.split(' ')[0]);
    assert.deepEqual(paths, ['triggers.0.on', 'triggers.1.keyword', 'triggers.2.match']);
  });

  it('takes a loop through a wait, and one through a delay', () => {
    const loop = (step: object) => [{ id: 'a', do: 'send', text: 'x', next: 'b' }, step];
    assert.deepEqual(problemsOf(loop({ id: 'b', do: 'wait', next: 'a' })), []);
    assert.deepEqual(problemsOf(loop({ id: 'b', do: 'delay', for: '1d', next: 'a' })), []);
  });
});
