/**
 * All growing state has a row in `docs/limits.md`, and no row names a thing that does not exist.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { provesToBite } from './bites.ts';
import { collectionsIn, growingIn, isServed } from './growing.ts';
import { type Finding, parse, ROOT, readTexts, type Source } from './source.ts';

const PAGE = 'docs/limits.md';
const COLLECTIONS = '## Collections';
const CELLS = 5;

interface Row {
  readonly line: number;
  readonly cells: readonly string[];
}

function rowsOf(page: string): readonly Row[] {
  const lines = page.split('\n').map((text, index) => ({ text, line: index + 1 }));
  return lines
    .filter(({ text }) => text.startsWith('| ') && !text.startsWith('| subject'))
    .map(({ text, line }) => ({ line, cells: text.slice(2, -2).split(' | ') }));
}

function namesIn(cell = ''): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
}

/** Names that the program gives: a container, a read, or a collection. */
function isProgrammed(name: string): boolean {
  return name.includes('#') || name.includes(' find ') || /^[a-z]+[A-Za-z.]*$/.test(name);
}

function unnamed(known: ReadonlySet<string>): (source: Source) => readonly Finding[] {
  return (source) => {
    const names = [...growingIn(source), ...collectionsIn(source)];
    return names
      .filter((name) => !known.has(name))
      .map((name) => ({ path: source.path, line: 1, message: `${name} has no row in ${PAGE}` }));
  };
}

const page = readFileSync(join(ROOT, PAGE), 'utf8');
const rows = rowsOf(page);
const named = new Set(rows.flatMap(({ cells }) => namesIn(cells[1])));
const texts = readTexts();
const served = parse(texts.filter(isServed));

test('whatever may grow has a row with its bound', () => {
  const missing = served.flatMap(unnamed(named)).map(({ message }) => message);
  assert.deepEqual([...new Set(missing)], []);
});

test('every row names what is there, and says all of it', () => {
  const there = new Set(served.flatMap((each) => [...growingIn(each), ...collectionsIn(each)]));
  const gone = [...named].filter((name) => isProgrammed(name) && !there.has(name));
  assert.deepEqual(gone, []);
  const code = served.map(({ text }) => text).join('\n');
  const lost = [...named].filter((name) => {
    if (isProgrammed(name)) return false;
    return name.includes('/') ? !existsSync(join(ROOT, name)) : !code.includes(name);
  });
  assert.deepEqual(lost, []);
  const short = rows.filter(({ cells }) => cells.length !== CELLS || cells.some((each) => !each));
  assert.deepEqual(short, []);
});

test('every row has its test', () => {
  const paths = new Set(texts.map(({ path }) => path));
  const untested = rows.filter(({ cells }) => {
    const tests = namesIn(cells[4]);
    return tests.length === 0 || tests.some((path) => !paths.has(path));
  });
  assert.deepEqual(
    untested.map(({ line, cells }) => `${line}: ${cells[4]}`),
    [],
  );
});

test('the page has its parts', () => {
  assert.ok(page.includes(COLLECTIONS) && rows.length > 0);
});

test('a container, a collection and a read without a limit are found', () => {
  provesToBite(unnamed(new Set(['actors/known.ts#kept'])), {
    bad: [
      ['actors/a.ts', 'class A { readonly #b = new Map<string, string>(); }'],
      ['actors/a.ts', 'class A { readonly #b: Map<string, string>; }'],
      ['actors/a.ts', 'class A { #b: readonly string[] = []; }'],
      ['actors/a.ts', 'class A { readonly #b: string[] = []; }'],
      ['actors/a.ts', 'class A { readonly #b = new GenerationalCache<string, string>(1); }'],
      ['actors/a.ts', 'class A { #b = new Uint8Array(8); }'],
      ['actors/a.ts', 'const b = new Set<string>();'],
      ['actors/a.ts', 'class A { readonly #b: Things = new Map(); }'],
      ['actors/a.ts', 'class A { #b; constructor() { this.#b = new Map(); } }'],
      ['actors/a.ts', 'class A extends Map<string, string> {}'],
      ['actors/a.ts', 'class A { readonly #b = { waiting: new Map<string, string>() }; }'],
      ['actors/a.ts', 'const b = (): C => new GenerationalCache(1);'],
      ['actors/a.ts', 'interface A { readonly b: Map<string, string>; }'],
      ['actors/a.ts', 'interface A { readonly b: string[]; }'],
      ['actors/a.ts', 'function a() { const b = new Map(); return () => b.get(c); }'],
      ['actors/a.ts', "const b = await store.find('contacts', {});"],
      ['infra/a.ts', 'const b = await this.#rows().find({}).toArray();'],
      ['infra/a.ts', 'const b = await files.aggregate([]).toArray();'],
      ['actors/a.ts', "f({ insert: 'things', document });"],
      ['actors/a.ts', "const B = 'things'; f({ update: B, filter });"],
      ['infra/a.ts', "db.collection('things');"],
      ['infra/adapters/mongo/indexes.ts', 'const INDEXES = { things: [{ keys: { a: 1 } }] };'],
    ],
    good: [
      ['actors/known.ts', 'class A { readonly #kept = new Map<string, string>(); }'],
      ['actors/a.ts', 'class A { readonly #b: ReadonlyMap<string, string> = c; }'],
      ['actors/a.ts', "const B: ReadonlySet<string> = new Set(['c']);"],
      ['actors/a.ts', 'interface A { readonly b: readonly string[]; }'],
      ['actors/a.ts', 'function a() { const b = new Map(); return b.size; }'],
      ['actors/a.ts', 'const b = rows.find((row) => row.id === id);'],
      ['actors/a.ts', 'const b = await store.find(c, {}, { limit: 5 });'],
    ],
  });
});
