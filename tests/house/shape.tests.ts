import assert from 'node:assert/strict';
import test from 'node:test';
import { keptBy, provesToBite, provesToBiteText } from './bites.ts';
import {
  FILE_LINES_MAX,
  FILE_LINES_MEDIAN_MAX,
  FUNCTION_LINES_MAX,
  fileLength,
  fileName,
  functionLength,
  functionName,
  header,
  lineLength,
  medianLines,
  parameterCount,
} from './shape.ts';
import { parse, readTexts } from './source.ts';

const texts = readTexts();
const sources = parse(texts);
const lines = (count: number): string => 'a();\n'.repeat(count);

test(`no file of code is longer than ${FILE_LINES_MAX} lines`, () => {
  keptBy(sources, fileLength);
  provesToBite(fileLength, {
    bad: [['a.ts', lines(FILE_LINES_MAX + 1)]],
    good: [['a.ts', lines(FILE_LINES_MAX)]],
  });
});

test(`half of the files have at most ${FILE_LINES_MEDIAN_MAX} lines`, () => {
  assert.ok(medianLines(sources) <= FILE_LINES_MEDIAN_MAX);
  const three = parse([10, 200, 300].map((count) => ({ path: 'a.ts', text: lines(count) })));
  assert.equal(medianLines(three), 200);
});

test('comments keep to the columns', () => {
  keptBy(sources, lineLength);
  provesToBite(lineLength, {
    bad: [['a.ts', `// ${'word '.repeat(20)}`]],
    good: [
      ['a.ts', `// ${'word '.repeat(10)}`],
      ['a.ts', `// https://example.com/${'a'.repeat(100)}`],
    ],
  });
});

test(`no function is longer than ${FUNCTION_LINES_MAX} lines`, () => {
  keptBy(sources, functionLength);
  provesToBite(functionLength, {
    bad: [
      ['a.ts', `function b() {\n${lines(FUNCTION_LINES_MAX)}}`],
      ['a.ts', `const b = () => {\n${lines(FUNCTION_LINES_MAX)}};`],
      ['a.ts', `class A {\n  #b() {\n${lines(FUNCTION_LINES_MAX)}}\n}`],
      ['tests/a.ts', `test('b', () => {\n${lines(FUNCTION_LINES_MAX)}});`],
    ],
    good: [
      ['a.ts', `function b() {\n${lines(FUNCTION_LINES_MAX - 2)}}`],
      ['tests/a.ts', `describe('b', () => {\n${lines(FUNCTION_LINES_MAX)}});`],
    ],
  });
});

test('no function takes more than three positional parameters', () => {
  keptBy(sources, parameterCount);
  provesToBite(parameterCount, {
    bad: [
      ['a.ts', 'function b(c, d, e, f) {}'],
      ['a.ts', 'const b = (c, d, e, f) => c;'],
      ['a.ts', 'class A { constructor(c, d, e, f) {} }'],
    ],
    good: [['a.ts', 'function b(c, d, { e, f }) {}']],
  });
});

test('names say what a thing is or does', () => {
  keptBy(sources, functionName);
  keptBy(texts, fileName);
  provesToBite(functionName, {
    bad: [
      ['a.ts', 'function handleMessage() {}'],
      ['a.ts', 'const processAnswer = () => 1;'],
      ['a.ts', 'class A { doSend() {} }'],
      ['a.ts', 'const a = { handle() {} };'],
      ['a.ts', 'function stringUtils() {}'],
      ['a.ts', 'function webhook() {}'],
    ],
    good: [['a.ts', 'function done() {}\nconst processIdentity = () => 1;']],
  });
  provesToBiteText(fileName, {
    bad: [
      ['shared/utils.ts', ''],
      ['shared/phone-helper.ts', ''],
      ['shared/common.ts', ''],
      ['shared/phoneNumber.ts', ''],
      ['shared/Phone.ts', ''],
      ['shared/phone_number.ts', ''],
    ],
    good: [
      ['shared/phone-number.ts', ''],
      ['tests/phone-number.test.ts', ''],
      ['README.md', ''],
    ],
  });
});

test('a domain or runtime file opens with what it is', () => {
  keptBy(sources, header);
  provesToBite(header, {
    bad: [['actors/domain/a.ts', "import { b } from './b.ts';"]],
    good: [
      ['actors/domain/a.ts', '/** What it is. */\n'],
      ['actors/channel/a.ts', "import { b } from './b.ts';"],
    ],
  });
});
