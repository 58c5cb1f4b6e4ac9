import test from 'node:test';
import { keptBy, provesToBite, provesToBiteText } from './bites.ts';
import { privateIdentifier, privateProse } from './private-words.ts';
import { nounSubject, presentOnly, sentenceLength } from './prose.ts';
import { parse, readTexts, type TextFile } from './source.ts';

const texts = readTexts();
/** The page of changes tells history: that is its purpose. */
const prose: readonly TextFile[] = [
  ...parse(texts),
  ...texts.filter(({ path }) => path.endsWith('.md') && path !== 'CHANGELOG.md'),
];
const LONG = `The store ${'very '.repeat(25)}slowly answers.`;

test('sentences begin with a noun', () => {
  keptBy(prose, nounSubject);
  provesToBite(nounSubject, {
    bad: [
      ['a.ts', '// What is stored stays.'],
      ['a.ts', '/** The sender.\n * Nobody waits for it. */'],
      ['a.ts', '/**\n * 1. Whoever asks is answered.\n */'],
      ['a.ts', '// What may the sender reach? It waits.'],
      ['a.ts', '// The sender waits\n// a while. Those who ask do not.'],
    ],
    good: [
      ['a.ts', '// The sender says what is stored.'],
      ['a.ts', "const text = '// What is stored';"],
    ],
  });
  provesToBiteText(nounSubject, {
    bad: [
      ['a.md', 'Text first. Who asks is answered.'],
      ['a.md', '| a | What is stored. |'],
      ['a.md', '1. Somebody asks.'],
    ],
    good: [['a.md', '## What it is\n\nWhat does a call cost?\n\n```\nWhat is code stays.\n```\n']],
  });
});

test('sentences have at most 25 words', () => {
  keptBy(prose, sentenceLength);
  provesToBite(sentenceLength, {
    bad: [
      ['a.ts', `// ${LONG}`],
      ['a.ts', `/**\n * ${LONG.replaceAll('very very', 'very\n * very')}\n */`],
    ],
    good: [
      ['a.ts', `// The store is slow. ${LONG.replaceAll('very ', '').repeat(5)}`],
      ['a.ts', `// A sentence names \`${'code '.repeat(30)}\`.`],
      ['a.ts', `// ${'very '.repeat(15)}\n\n// ${'very '.repeat(15)}`],
    ],
  });
  provesToBiteText(sentenceLength, {
    bad: [['a.md', LONG]],
    good: [['a.md', `| ${'very '.repeat(20)} | ${'very '.repeat(20)} |`]],
  });
});

test('no comment and no page tells history', () => {
  keptBy(prose, presentOnly);
  provesToBite(presentOnly, {
    bad: [
      ['a.ts', '// It had been slower.'],
      ['a.ts', '// Kept in memory since D115.'],
    ],
    good: [['a.ts', '// Kept in memory (D115). A contact that no longer waits is removed.']],
  });
});

test('private words for textbook mechanisms do not come back', () => {
  keptBy(parse(texts), privateIdentifier);
  keptBy(prose, privateProse);
  provesToBite(privateIdentifier, {
    bad: [
      ['a.ts', `const ${'des'}ks = 1;`],
      ['a.ts', `class A { #${'tra'}y = 1; }`],
      ['a.ts', `const ${'SLOW_LA'}NE = 1;`],
    ],
    good: [['a.ts', "const ends = 'desk'; const desktop = ends; const shell = 1;"]],
  });
  provesToBiteText(privateProse, {
    bad: [['a.md', `The ${'des'}k of a subscription.`]],
    good: [['a.md', 'The worker of `desk.ts`. Planes land.']],
  });
});
