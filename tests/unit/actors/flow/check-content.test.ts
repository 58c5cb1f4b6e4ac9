/** Problems that `recado apply` finds in what flows send besides text, each at its field. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buttonsOf, end, listOf, problemsOf, say } from './problems-fixture.ts';

/** Title, content, the path inside of the step and some words of the one problem. */
const CONTENTS: readonly (readonly [string, object, string, RegExp])[] = [
  [
    'a language that is none',
    { template: { name: 't', language: 'Português' } },
    'template.language',
    /pt_BR/,
  ],
  [
    'a value that is no text',
    { template: { name: 't', language: 'en', body: [77] } },
    'template.body',
    /numbers in quotes/,
  ],
  [
    'a header of both',
    { template: { name: 't', language: 'en', header: { text: 'x', file: 'y' } } },
    'template.header',
    /either text or file/,
  ],
  [
    'four buttons',
    { interactive: buttonsOf('a', 'b', 'c', 'd') },
    'interactive.buttons',
    /at most 3 buttons/,
  ],
  [
    'buttons of one id',
    { interactive: buttonsOf('a', 'a') },
    'interactive.buttons',
    /must not repeat an id/,
  ],
  [
    'a title that is too long',
    { interactive: { ...buttonsOf('a'), buttons: [{ id: 'a', title: 'x'.repeat(21) }] } },
    'interactive.buttons.0.title',
    /at most 20 characters/,
  ],
  [
    'an unknown form',
    { interactive: { type: 'carousel', text: 'x' } },
    'interactive.type',
    /one of buttons, list, url/,
  ],
  [
    'a form that is left out',
    { interactive: { text: 'x' } },
    'interactive.type',
    /is required: one of buttons, list, url/,
  ],
  [
    'a property of another form',
    { interactive: { ...buttonsOf('a'), sections: [] } },
    'interactive.sections',
    /not a known property/,
  ],
  ['eleven rows', { interactive: listOf(11) }, 'interactive.sections', /at most 10 rows in all/],
  [
    'sections without a title',
    {
      interactive: {
        ...listOf(1),
        sections: [...listOf(1).sections, { rows: [{ id: 'z', title: 'z' }] }],
      },
    },
    'interactive.sections',
    /have titles/,
  ],
  ['a reaction of two', { reaction: { emoji: '👍👍' } }, 'reaction.emoji', /must be one emoji/],
  [
    'degrees that are none',
    { location: { latitude: 91, longitude: 0 } },
    'location.latitude',
    /-90 to 90/,
  ],
  [
    'a card without a phone',
    { contacts: [{ name: 'Ana', phones: [] }] },
    'contacts.0.phones',
    /at least one phone/,
  ],
  [
    'a variable inside of a button',
    { interactive: { ...buttonsOf('a'), footer: '{{contact.nme}}' } },
    'interactive.footer',
    /did you mean "contact.name"/,
  ],
  [
    'a variable in the name of a place',
    { location: { latitude: 1, longitude: 2, name: '{{contact.nme}}' } },
    'location.name',
    /did you mean "contact.name"/,
  ],
  [
    'a variable of a template in its place',
    { text: 'x', fallbackTemplate: { name: 't', language: 'en', body: ['{{contact.nme}}'] } },
    'fallbackTemplate.body.0',
    /did you mean "contact.name"/,
  ],
  [
    'a template that cannot be read inside of a list',
    { contacts: [{ name: '{{org.name', phones: ['123'] }] },
    'contacts.0.name',
    /is no template/,
  ],
  [
    "a template variable's Liquid, whatever its name",
    { template: { name: 't', language: 'en', body: { id: '{{contact.nme}}' } } },
    'template.body.id',
    /did you mean "contact.name"/,
  ],
  [
    'Liquid in the name of a template',
    { template: { name: '{{contact.name}}', language: 'en' } },
    'template.name',
    /is sent as it is written/,
  ],
  [
    'a file in a header',
    { template: { name: 't', language: 'en', header: { file: 'logo' } } },
    'template.header.file',
    /names no file "logo"/,
  ],
];

/** Title, steps, the path and some words of the one problem. */
const TABLE: readonly (readonly [string, readonly unknown[], string, RegExp])[] = [
  [
    'contents that do not go together',
    [{ id: 'a', do: 'send', text: 'x', location: { latitude: 1, longitude: 2 }, next: 'end' }, end],
    'steps.0.text',
    /does not go with location/,
  ],
  [
    'a reaction that quotes',
    [{ id: 'a', do: 'send', reaction: { emoji: '👍' }, reply: true, next: 'end' }, end],
    'steps.0.reply',
    /does not go with reaction/,
  ],
  [
    'a template in place of a template',
    [
      {
        ...{ id: 'a', do: 'send', next: 'end' },
        template: { name: 't', language: 'pt_BR' },
        fallbackTemplate: { name: 't', language: 'pt_BR' },
      },
      end,
    ],
    'steps.0.fallbackTemplate',
    /does not go with template/,
  ],
  [
    'typing for longer than it is shown',
    [{ id: 'a', do: 'delay', for: '26s', typing: true, next: 'b' }, { ...say, id: 'b' }, end],
    'steps.0',
    /typing needs a for of at most 25s/,
  ],
  [
    'typing before no message',
    [{ id: 'a', do: 'delay', for: '5s', typing: true, next: 'end' }, end],
    'steps.0.typing',
    /needs a next step that sends/,
  ],
  [
    'a button that no step has',
    [
      { id: 'a', do: 'send', interactive: buttonsOf('sim', 'nao'), next: 'b' },
      { id: 'b', do: 'wait', saveAs: 'x', next: 'c' },
      {
        id: 'c',
        do: 'choose',
        cases: [{ when: { answer: 'x', chosen: 'sin' }, next: 'end' }],
        else: 'end',
      },
      end,
    ],
    'steps.2.cases.0.when.chosen',
    /names no button or row "sin"; there are: sim, nao; did you mean "sim"\?/,
  ],
  [
    'a choice of a field',
    [
      {
        id: 'c',
        do: 'choose',
        cases: [{ when: { field: 'x', chosen: 'sim' }, next: 'end' }],
        else: 'end',
      },
      end,
    ],
    'steps.0.cases.0.when',
    /chosen goes with an answer/,
  ],
  [
    'a way on after an error that leads nowhere',
    [{ ...say, onError: 'z' }, end],
    'steps.0.onError',
    /no step has the id "z"/,
  ],
  [
    'a loop through an error',
    [{ ...say, next: 'end', onError: 'b' }, { ...say, id: 'b', next: 'end', onError: 'a' }, end],
    'steps.1.onError',
    /back to step "a" without a wait/,
  ],
];

function assertOnly(problems: readonly string[], path: string, words: RegExp): void {
  assert.equal(problems.length, 1, problems.join('\n'));
  assert.ok(problems[0]?.startsWith(`${path} `), problems[0]);
  assert.match(problems[0] ?? '', words);
  assert.match(problems[0] ?? '', /flow "f", step "/);
}

describe('recado apply checks what a flow sends', () => {
  for (const [title, content, path, words] of CONTENTS) {
    it(`finds ${title}`, () => {
      const steps = [{ id: 'a', do: 'send', ...content, next: 'end' }, end];
      assertOnly(problemsOf(steps), `steps.0.${path}`, words);
    });
  }

  for (const [title, steps, path, words] of TABLE) {
    it(`finds ${title}`, () => assertOnly(problemsOf(steps), path, words));
  }

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
