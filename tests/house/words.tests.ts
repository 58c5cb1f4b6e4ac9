import test from 'node:test';
import { keptBy, provesToBite, provesToBiteText } from './bites.ts';
import { parse, readTexts } from './source.ts';
import { commentedOutCode, machinePath, makingOf, registryHost, unfinished } from './words.ts';

const texts = readTexts();

test('no registry or mirror is written down', () => {
  keptBy(texts, registryHost);
  provesToBiteText(registryHost, {
    bad: [
      ['a.md', `https://registry.${'npm'}js.org/yaml`],
      ['a.mjs', `deb http://deb.${'deb'}ian.org/debian trixie main`],
    ],
    good: [['a.md', 'npm ci takes the registry from the machine; Debian 13 is newer']],
  });
});

test('no path of one machine is written down', () => {
  keptBy(texts, machinePath);
  provesToBiteText(machinePath, {
    bad: [
      ['a.md', `cd /${'home'}/ana/recado`],
      ['a.ts', `'/${'work'}/main'`],
      ['a.ts', `'/${'Users'}/ana'`],
    ],
    good: [['a.md', 'DATA_DIR/run.json, ./data, /api/v1/messages, shared/work/x']],
  });
});

test('the project speaks of what it is, not of how it came about', () => {
  keptBy(texts, makingOf);
  provesToBiteText(makingOf, {
    bad: [
      ['a.md', `written by an ${'assis'}tant`],
      ['a.ts', `// a ${'coll'}eague mends this`],
    ],
    good: [['a.md', 'the session of the network; an issue of the contract']],
  });
});

test('nothing is left unfinished', () => {
  keptBy(texts, unfinished);
  provesToBiteText(unfinished, {
    bad: [
      ['a.ts', `// ${'TO'}DO: mend`],
      ['a.md', `${'FIX'}ME`],
    ],
    good: [['a.ts', '// todos os contatos']],
  });
});

test('no code is commented out', () => {
  keptBy(parse(texts), commentedOutCode);
  provesToBite(commentedOutCode, {
    bad: [
      ['a.ts', '// const b = 1;'],
      ['a.ts', '/* if (b) {\n  c();\n} */'],
      ['a.ts', '//   await this.#b(c);'],
      ['a.ts', '// state.seq = 3;'],
      ['a.ts', '/**\n * }\n */'],
    ],
    good: [
      ['a.ts', '// The wait is over; what follows is another matter.'],
      ['a.ts', "const b = '// const b = 1;';"],
      ['a.ts', '/** `sending` shows as `queued`. */'],
    ],
  });
});
