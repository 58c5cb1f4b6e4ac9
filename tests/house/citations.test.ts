import assert from 'node:assert/strict';
import test from 'node:test';
import { parse, readTexts } from '../../infra/tools/source.ts';
import { keptBy, provesToBite, provesToBiteText } from './bites.ts';
import {
  anchorsOf,
  PAGES,
  unanchored,
  unanchoredOnPage,
  unresolved,
  unresolvedOnPage,
  untested,
} from './citations.ts';

const texts = readTexts();
const sources = parse(texts);
const pages = texts.filter(({ path }) => path.endsWith('.md'));
const anchors = anchorsOf(pages);
const KNOWN: ReadonlySet<string> = new Set(['C4', 'C4.2', 'I7', 'D5']);

test('every citation in a comment or on a page has its anchor', () => {
  keptBy(sources, unresolved(new Set(anchors)));
  keptBy(pages, unresolvedOnPage(new Set(anchors)));
  provesToBite(unresolved(KNOWN), {
    bad: [
      ['a.ts', '/** One page (C4.3). */'],
      ['a.ts', '// No commit on a stale read (I8).'],
      ['a.ts', '/**\n * Waits (C4.2,\n * D6).\n */'],
    ],
    good: [
      ['a.ts', '/** One page (C4, C4.2; I7): decisions: D5. */'],
      ['a.ts', "const b = 'C9 and (I12)';"],
      ['a.ts', '// `wamid.C1`, /I64/ and `D99`'],
    ],
  });
  provesToBiteText(unresolvedOnPage(KNOWN), {
    bad: [
      ['a.md', 'as D6 has it'],
      ['a.md', '| C4.20 | a fact |'],
    ],
    good: [
      ['a.md', 'as [D5](decisions.md) has it (C4.2)'],
      ['a.md', '```\nC9\n```\nand `I12`'],
    ],
  });
});

test('no comment and no page cites what has no anchor', () => {
  keptBy(sources, unanchored);
  keptBy(pages, unanchoredOnPage);
  const bad = [
    'One page (contract section 4).',
    'Contract, section 2: the order.',
    "As the contract's section 7 shows it.",
    'As the contract: POST /messages.',
    'Its scope (contract 5).',
    'As data (sections 3 and 4).',
    'In order (invariant 2).',
    'Attempts (invariants 1 and 4).',
    'Renewed (design: Ownership).',
    'Served (fixed interfaces: Health).',
    'Interfaces, Networks: carried raw.',
    'Parked (decisions: Deliveries).',
  ];
  const good = [
    'The contract bounds it (C8); rule 2 above.',
    'decisions: D5',
    'RFC 9110, section 5',
    'An invariant of 10 rows.',
  ];
  provesToBite(unanchored, {
    bad: [
      ...bad.map((each) => ['a.ts', `/** ${each} */`] as const),
      ['a.ts', '/**\n * One page (contract\n * section 4).\n */'],
    ],
    good: [
      ...good.map((each) => ['a.ts', `/** ${each} */`] as const),
      ['a.ts', "test('section 4: a page (contract section 4)', run);"],
    ],
  });
  provesToBiteText(unanchoredOnPage, {
    bad: bad.map((each) => ['a.md', each]),
    good: good.map((each) => ['a.md', each]),
  });
});

test('each anchor stands once, and each page has some', () => {
  const doubled = anchors.filter((anchor, index) => anchors.indexOf(anchor) !== index);
  assert.deepEqual(doubled, []);
  for (const letter of Object.keys(PAGES)) {
    assert.ok(anchors.filter((anchor) => anchor.startsWith(letter)).length > 10, letter);
  }
});

test('every invariant names tests that exist', () => {
  const files = new Set(texts.map(({ path }) => path));
  const page = pages.filter(({ path }) => path === PAGES.I);
  assert.equal(page.length, 1);
  keptBy(page, untested(files));
  provesToBiteText(untested(new Set(['tests/a.test.ts', 'tests/b.ts'])), {
    bad: [
      ['a.md', '| I1 | It holds. | |'],
      ['a.md', '| I1 | It holds. | `tests/a.test.ts`, `tests/c.test.ts` |'],
      ['a.md', '| I1 | It holds. | `tests/b.ts` |'],
    ],
    good: [['a.md', '| no. | invariant | tests |\n| I1 | It holds. | `tests/a.test.ts` |']],
  });
});
