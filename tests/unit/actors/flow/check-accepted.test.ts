/** Flows that `recado apply` takes, with content besides text. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isTag } from '../../../../actors/domain/flow/check.ts';
import { buttonsOf, end, listOf, problemsOf, say } from './problems-fixture.ts';

describe('recado apply', () => {
  it('takes a send of each content, with templates in its texts', () => {
    const long = `{{org.name}}${'x'.repeat(30)}`;
    const contents: readonly object[] = [
      { template: { name: 't', language: 'fil', body: { nome: '{{contact.name}}' } } },
      {
        template: {
          name: 't',
          language: 'pt_BR',
          header: { text: 'x' },
          buttons: [{ index: 9, value: '{{org.name}}' }],
        },
      },
      { interactive: { ...buttonsOf('a', 'b', 'c'), buttons: [{ id: 'a', title: long }] } },
      { interactive: { ...listOf(10), header: 'x', footer: 'y' } },
      {
        interactive: {
          type: 'url',
          text: 'x',
          title: 'y',
          url: 'https://x.example/{{contact.id}}',
        },
      },
      { interactive: { ...buttonsOf('a'), buttons: [{ id: '{{contact.nme}}', title: 'x' }] } },
      { reaction: { emoji: '' } },
      { location: { latitude: '{{org.name}}', longitude: -180 } },
      {
        contacts: [{ name: 'Ana', phones: ['123'], email: '{{contact.email}}', organization: 'x' }],
      },
      {
        text: 'x',
        reply: true,
        outsideWindow: 'refuse',
        fallbackTemplate: { name: 't', language: 'en' },
      },
    ];
    for (const content of contents) {
      const steps = [
        { id: 'a', do: 'send', ...content, next: 'end', onError: 'b' },
        { ...say, id: 'b' },
      ];
      assert.deepEqual(problemsOf([...steps, end]), [], JSON.stringify(content));
    }
  });

  it('takes the choice of a button that a step has', () => {
    const when = { answer: 'x', chosen: 'nao' };
    const steps = [
      { id: 'a', do: 'send', interactive: buttonsOf('sim', 'nao'), next: 'b' },
      { id: 'b', do: 'wait', saveAs: 'x', next: 'c' },
      { id: 'c', do: 'choose', cases: [{ when, next: 'end' }], else: 'end' },
      end,
    ];
    assert.deepEqual(problemsOf(steps), []);
  });

  it('takes triggers of buttons, places and reactions', () => {
    const triggers = [
      { on: 'button', id: 'a' },
      { on: 'location' },
      { on: 'reaction' },
      { on: 'reaction', emoji: '❤️' },
    ];
    assert.deepEqual(problemsOf([end], { triggers }), []);
    const [problem] = problemsOf([end], { triggers: [{ on: 'reaction', emoji: '' }] });
    assert.match(problem ?? '', /^triggers\.0\.emoji .*must not be empty/);
  });
});

it('a reference to a tag has its accents in a step, and need not in a condition', () => {
  const both = (name: string) => [isTag({ name, loose: true }, 'Café'), isTag({ name }, 'Café')];
  assert.deepEqual(both('CAFÉ'), [true, true]);
  assert.deepEqual(both('cafe'), [true, false]);
  assert.deepEqual(both('chá'), [false, false]);
});
