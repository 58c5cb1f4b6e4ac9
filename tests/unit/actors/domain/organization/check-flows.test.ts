/** Problems that `recado apply` finds in flows, each with flow, step and field (docs/flows.md). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isTag } from '../../../../../actors/domain/organization/check-flows.ts';
import { buttonsOf, end, listOf, problemsOf, say } from './problems-fixture.ts';

type Row = readonly [title: string, given: object, problem: string];

const TAGGED = { when: { tag: 'x' }, next: 'end' };

/** A step between its id and the end, or all steps; the path of the one problem and some words. */
const STEPS: readonly Row[] = [
  ['an unknown step', [{ id: 'a', do: 'fly' }], 'steps.0.do "a", do: must be one of send'],
  ['a dead end', [{ id: 'a', do: 'send', text: 'x' }], 'steps.0.next dead end'],
  ['a step that nothing leads to', [end, { id: 'b', do: 'end' }], 'steps.1.id "b", id: no way'],
  ['a step that is not there', [{ ...say, next: 'z' }], 'steps.0.next no step has the id "z"'],
  [
    'a loop without a wait',
    [{ ...say, next: 'b' }, { id: 'b', do: 'choose', cases: [TAGGED], else: 'a' }, end],
    'steps.1.else back to step "a" without a wait',
  ],
  [
    'a template that cannot be read',
    { do: 'send', text: 'Olá {{contact.name' },
    'steps.0.text flow "f", step "a", text: is no template',
  ],
  [
    'a filter that does not exist',
    { do: 'set', fields: { x: '{{ org.name | shout }}' } },
    'steps.0.fields.x undefined filter: shout',
  ],
  [
    'a template that reads files',
    { do: 'send', text: '{% include "/etc/passwd" %}' },
    'steps.0.text tag "include" not found',
  ],
  ['a property that is not known', { ...say, txt: 'x' }, 'steps.0.txt not a known property'],
  ['a send without content', { do: 'send' }, 'steps.0 text or file'],
  ['a duration that is none', { do: 'delay', for: 'soon' }, 'steps.0.for duration'],
  [
    'a delay for and until',
    { do: 'delay', for: '1h', until: '09:00' },
    'steps.0 either for or until',
  ],
  [
    'a timeout branch without a timeout',
    { do: 'wait', onTimeout: 'end' },
    'steps.0 onTimeout needs a timeout',
  ],
  [
    'a condition of two subjects',
    choosing({ tag: 'x', optIn: true }),
    'steps.0.cases.0.when exactly one of answer',
  ],
  [
    'a choice without a default',
    [{ id: 'a', do: 'choose', cases: [TAGGED] }, end],
    'steps.0.else is required',
  ],
  [
    'a member whom nobody knows',
    { do: 'assign', member: 'zoe' },
    'steps.0.member names no member "zoe"; there are none',
  ],
  ['a flow that is not there', [{ id: 'a', do: 'start', flow: 'g' }], 'steps.0.flow no flow'],
  ['an opt-out that goes on', { do: 'opt', optIn: false }, 'steps.0 opting out ends the flow'],
  [
    'a lost deal without its reason',
    { do: 'deal', action: 'close', status: 'lost' },
    'steps.0 lostReason',
  ],
  [
    'contents that do not go together',
    { do: 'send', text: 'x', location: { latitude: 1, longitude: 2 } },
    'steps.0.text does not go with location',
  ],
  [
    'a reaction that quotes',
    { do: 'send', reaction: { emoji: '👍' }, reply: true },
    'steps.0.reply does not go with reaction',
  ],
  [
    'a template in place of a template',
    { do: 'send', template: templateOf({}), fallbackTemplate: templateOf({}) },
    'steps.0.fallbackTemplate does not go with template',
  ],
  [
    'a variable of a template in place of a text',
    { do: 'send', text: 'x', fallbackTemplate: templateOf({ body: ['{{contact.nme}}'] }) },
    'steps.0.fallbackTemplate.body.0 did you mean "contact.name"',
  ],
  [
    'a card without a phone',
    { do: 'send', contacts: [{ name: 'Ana', phones: [] }] },
    'steps.0.contacts.0.phones at least one phone',
  ],
  [
    'a template that cannot be read inside of a list',
    { do: 'send', contacts: [{ name: '{{org.name', phones: ['123'] }] },
    'steps.0.contacts.0.name is no template',
  ],
  [
    'typing for longer than it is shown',
    [{ id: 'a', do: 'delay', for: '26s', typing: true, next: 'b' }, { ...say, id: 'b' }, end],
    'steps.0 typing needs a for of at most 25s',
  ],
  [
    'typing before no message',
    { do: 'delay', for: '5s', typing: true },
    'steps.0.typing needs a next step that sends',
  ],
  [
    'a button that no step has',
    pressing('sin'),
    'steps.2.cases.0.when.chosen names no button or row "sin"; there are: sim, nao; did you mean "sim"?',
  ],
  [
    'a choice of a field',
    choosing({ field: 'x', chosen: 'sim' }),
    'steps.0.cases.0.when chosen goes with an answer',
  ],
  [
    'a way on after an error that leads nowhere',
    { ...say, onError: 'z' },
    'steps.0.onError no step has the id "z"',
  ],
  [
    'a loop through an error',
    [{ ...say, onError: 'b' }, { ...say, id: 'b', onError: 'a' }, end],
    'steps.1.onError back to step "a" without a wait',
  ],
];

/** Contents of a send step by their property, which the paths begin with. */
const CONTENTS: Readonly<Record<string, readonly Row[]>> = {
  template: [
    ['a language that is none', templateOf({ language: 'Português' }), 'language pt_BR'],
    ['a value that is no text', templateOf({ body: [77] }), 'body numbers in quotes'],
    [
      'a header of both',
      templateOf({ header: { text: 'x', file: 'y' } }),
      'header either text or file',
    ],
    [
      'a variable’s Liquid',
      templateOf({ body: { id: '{{contact.nme}}' } }),
      'body.id did you mean "contact.name"',
    ],
    [
      'Liquid in the name of a template',
      templateOf({ name: '{{contact.name}}' }),
      'name is sent as it is written',
    ],
    [
      'a file in a header',
      templateOf({ header: { file: 'logo' } }),
      'header.file names no file "logo"',
    ],
  ],
  interactive: [
    ['four buttons', buttonsOf('a', 'b', 'c', 'd'), 'buttons at most 3 buttons'],
    ['buttons of one id', buttonsOf('a', 'a'), 'buttons must not repeat an id'],
    [
      'a title that is too long',
      { ...buttonsOf('a'), buttons: [{ id: 'a', title: 'x'.repeat(21) }] },
      'buttons.0.title at most 20 characters',
    ],
    ['an unknown form', { type: 'carousel', text: 'x' }, 'type one of buttons, list, url'],
    ['a form that is left out', { text: 'x' }, 'type is required: one of buttons, list, url'],
    [
      'a property of another form',
      { ...buttonsOf('a'), sections: [] },
      'sections not a known property',
    ],
    ['eleven rows', listOf(11), 'sections at most 10 rows in all'],
    [
      'sections without a title',
      { ...listOf(1), sections: [...listOf(1).sections, { rows: [{ id: 'z', title: 'z' }] }] },
      'sections have titles',
    ],
    [
      'a variable inside of a button',
      { ...buttonsOf('a'), footer: '{{contact.nme}}' },
      'footer did you mean "contact.name"',
    ],
  ],
  reaction: [['a reaction of two', { emoji: '👍👍' }, 'emoji must be one emoji']],
  location: [
    ['degrees that are none', { latitude: 91, longitude: 0 }, 'latitude -90 to 90'],
    [
      'a variable in the name of a place',
      { latitude: 1, longitude: 2, name: '{{contact.nme}}' },
      'name did you mean "contact.name"',
    ],
  ],
};

function templateOf(more: object) {
  return { name: 't', language: 'en', ...more };
}

function choosing(when: object) {
  return [{ id: 'a', do: 'choose', cases: [{ when, next: 'end' }], else: 'end' }, end];
}

/** A choice by one button of "sim" and "nao". */
function pressing(chosen: string) {
  const cases = [{ when: { answer: 'x', chosen }, next: 'end' }];
  return [
    { id: 'a', do: 'send', interactive: buttonsOf('sim', 'nao'), next: 'b' },
    { id: 'b', do: 'wait', saveAs: 'x', next: 'c' },
    { id: 'c', do: 'choose', cases, else: 'end' },
    end,
  ];
}

function stepsOf(given: object): readonly unknown[] {
  return Array.isArray(given) ? given : [{ id: 'a', next: 'end', ...given }, end];
}

function findsOnly(given: object, expected: string): void {
  const [path = '', ...words] = expected.split(' ');
  const [problem = '', ...others] = problemsOf(stepsOf(given));
  assert.deepEqual(others, [], problem);
  assert.ok(problem.startsWith(`${path} `), problem);
  assert.ok(problem.includes(words.join(' ')), problem);
  assert.match(problem, /flow "f", step "/);
}

describe('recado apply checks flows wholly', () => {
  for (const [title, given, problem] of STEPS) {
    it(`finds ${title}`, () => findsOnly(given, problem));
  }
  for (const [name, rows] of Object.entries(CONTENTS)) {
    for (const [title, content, problem] of rows) {
      it(`finds ${title}`, () => {
        findsOnly({ do: 'send', [name]: content }, `steps.0.${name}.${problem}`);
      });
    }
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
      [[{ id: 'a', do: 'handoff', note: bad }], 'note'],
    ];
    for (const [given, field] of table) findsOnly(given, `steps.0.${field} is no template`);
  });

  it('finds headers of the service, its connection and its proxies', () => {
    const own = [
      ...['Host', 'Cookie', 'Content-Length', 'Connection', 'Keep-Alive', 'Proxy-Authorization'],
      ...['TE', 'Trailer', 'Transfer-Encoding', 'Upgrade', 'X-Forwarded-For', 'x-forwarded-host'],
      ...['Forwarded', 'Sec-Fetch-Site', 'X-Recado-Org', 'X-Request-Id', 'Idempotency-Key'],
      ...['X-Loja-Event', 'x-loja-delivery', 'X-LOJA-SIGNATURE'],
    ];
    const withHeader = (name: string) => {
      return { do: 'http', url: 'https://x.example', headers: { [name]: 'x' } };
    };
    for (const name of own) {
      findsOnly(withHeader(name), `steps.0.headers.${name} is a header that a step does not set`);
    }
    for (const name of ['Authorization', 'X-Loja-Token', 'Accept', 'X-Api-Key', 'Trailers-Of']) {
      assert.deepEqual(problemsOf(stepsOf(withHeader(name))), [], name);
    }
  });

  it('says nothing of a flow that goes away', () => {
    const steps = stepsOf({ do: 'assign', member: 'zoe' });
    assert.deepEqual(problemsOf(steps, { remove: true }), []);
  });

  it('finds triggers that start nothing', () => {
    const triggers = [
      { on: 'sunrise' },
      { on: 'keyword' },
      { on: 'tag', tag: 'a', match: 'exact' },
      { on: 'reaction', emoji: '' },
    ];
    const paths = problemsOf([end], { triggers }).map((each) => each.split(' ')[0]);
    const fields = ['0.on', '1.keyword', '2.match', '3.emoji'];
    assert.deepEqual(
      paths,
      fields.map((each) => `triggers.${each}`),
    );
  });

  it('finds what a web channel never sends, where it is the only one of the flow', () => {
    const template = { name: 't', language: 'en' };
    const steps = [
      { id: 'a', do: 'send', template, next: 'b' },
      { id: 'b', do: 'send', interactive: buttonsOf('a'), next: 'c' },
      { ...say, id: 'c', fallbackTemplate: template },
      end,
    ];
    const [first, second, ...others] = problemsOf(steps, { channel: 'shop' });
    assert.match(first ?? '', /^steps\.0\.template flow "f", step "a", template: a web channel/);
    assert.match(second ?? '', /^steps\.1\.interactive .* sends no interactive message$/);
    assert.deepEqual(others, []);
    for (const channel of [null, 'main']) assert.deepEqual(problemsOf(steps, { channel }), []);
  });
});

describe('recado apply takes', () => {
  it('a send of each content, with templates in its texts', () => {
    const long = `{{org.name}}${'x'.repeat(30)}`;
    const link = { type: 'url', text: 'x', title: 'y', url: 'https://x.example/{{contact.id}}' };
    const fallbackTemplate = { name: 't', language: 'en' };
    const contents: readonly object[] = [
      { template: { name: 't', language: 'fil', body: { nome: '{{contact.name}}' } } },
      { template: templateOf({ header: { text: 'x' }, buttons: [{ index: 9, value: long }] }) },
      { interactive: { ...buttonsOf('a', 'b', 'c'), buttons: [{ id: 'a', title: long }] } },
      { interactive: { ...listOf(10), header: 'x', footer: 'y' } },
      { interactive: link },
      { interactive: { ...buttonsOf('a'), buttons: [{ id: '{{contact.nme}}', title: 'x' }] } },
      { reaction: { emoji: '' } },
      { location: { latitude: '{{org.name}}', longitude: -180 } },
      { contacts: [{ name: 'Ana', phones: ['123'], email: long, organization: 'x' }] },
      { text: 'x', reply: true, outsideWindow: 'refuse', fallbackTemplate },
    ];
    for (const content of contents) {
      const send = { id: 'a', do: 'send', ...content, next: 'end', onError: 'b' };
      assert.deepEqual(problemsOf([send, { ...say, id: 'b' }, end]), [], JSON.stringify(content));
    }
  });

  it('the choice of a button that a step has', () => {
    assert.deepEqual(problemsOf(pressing('nao')), []);
  });

  it('triggers of buttons, places and reactions', () => {
    const reactions = [{ on: 'reaction' }, { on: 'reaction', emoji: '❤️' }];
    const triggers = [{ on: 'button', id: 'a' }, { on: 'location' }, ...reactions];
    assert.deepEqual(problemsOf([end], { triggers }), []);
  });

  it('a loop through a wait, and one through a delay', () => {
    for (const step of [{ do: 'wait' }, { do: 'delay', for: '1d' }]) {
      const loop = { id: 'b', next: 'a', ...step };
      assert.deepEqual(problemsOf([{ ...say, next: 'b' }, loop]), []);
    }
  });
});

it('a reference to a tag has its accents in a step, and need not in a condition', () => {
  const both = (name: string) => [isTag({ name, loose: true }, 'Café'), isTag({ name }, 'Café')];
  assert.deepEqual(both('CAFÉ'), [true, true]);
  assert.deepEqual(both('cafe'), [true, false]);
  assert.deepEqual(both('chá'), [false, false]);
});
