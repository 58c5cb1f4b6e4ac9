import assert from 'node:assert/strict';
import test from 'node:test';
import { parse, readTexts } from '../../infra/tools/source.ts';
import { keptBy, provesToBite, readsEveryModule } from './bites.ts';
import {
  decreedTypes,
  defaultExport,
  emptyCatch,
  environment,
  lostCause,
  needlessExceptions,
  synchronousDomain,
  timeAndChance,
} from './purity.ts';

const sources = parse(readTexts());

test('the rules of purity read every module', (context) => {
  readsEveryModule(context, sources);
});

test('the environment is read in one place', () => {
  keptBy(sources, environment);
  provesToBite(environment, {
    bad: [
      ['infra/nats/a.ts', 'const b = process.env.B;'],
      ['gateway/main.ts', 'f(process.env);'],
    ],
    good: [['infra/config/a.ts', 'f(process.env);']],
  });
});

test('time and chance come through ports', () => {
  keptBy(sources, timeAndChance);
  provesToBite(timeAndChance, {
    bad: [
      ['actors/a.ts', 'const b = Date.now();'],
      ['actors/a.ts', 'const b = new Date();'],
      ['actors/domain/a.ts', 'const b = Math.random();'],
      ['gateway/a.ts', 'const b = performance.now();'],
      ['gateway/a.ts', 'setTimeout(b, 1);'],
      ['shared/a.ts', 'setInterval(b, 1);'],
    ],
    good: [
      ['actors/a.ts', 'const b = new Date(at).toISOString();'],
      ['infra/a/b.ts', 'const b = Date.now();'],
      ['actors/main.ts', 'setTimeout(b, 1);'],
    ],
  });
});

test('the domain does not wait', () => {
  keptBy(sources, synchronousDomain);
  provesToBite(synchronousDomain, {
    bad: [
      ['actors/domain/a.ts', 'export async function b() {}'],
      ['actors/domain/a.ts', 'export const b = async () => 1;'],
    ],
    good: [
      ['actors/domain/a.ts', 'export function b() {}'],
      ['actors/a.ts', 'export async function b() {}'],
    ],
  });
});

test('types are not decreed', () => {
  keptBy(sources, decreedTypes);
  provesToBite(decreedTypes, {
    bad: [
      ['actors/a.ts', 'const b = c as D;'],
      ['shared/a.ts', 'let b: any;'],
      ['gateway/a.ts', 'const b = c!;'],
    ],
    good: [
      ['actors/a.ts', "const b = ['c'] as const;"],
      ['infra/a/b.ts', 'const b = c as D;'],
      ['tests/a.ts', 'const b = c as D;'],
    ],
  });
});

test('no exception is kept for longer than it is needed', () => {
  assert.deepEqual(needlessExceptions(sources), []);
  assert.ok(needlessExceptions([]).length > 0);
});

test('nothing is exported by default', () => {
  keptBy(sources, defaultExport);
  provesToBite(defaultExport, {
    bad: [
      ['a.ts', 'export default 1;'],
      ['a.ts', 'export default function b() {}'],
      ['a.ts', 'export default class B {}'],
    ],
    good: [['a.ts', 'switch (b) { default: c(); }']],
  });
});

test('no catch is empty, and what is thrown on has its cause', () => {
  keptBy(sources, emptyCatch);
  keptBy(sources, lostCause);
  provesToBite(emptyCatch, {
    bad: [
      ['a.ts', 'try { b(); } catch {}'],
      ['a.ts', 'try { b(); } catch (c) { /* nothing */ }'],
    ],
    good: [['a.ts', 'try { b(); } catch { return null; }']],
  });
  provesToBite(lostCause, {
    bad: [['a.ts', "try { b(); } catch (c) { throw new Error('d'); }"]],
    good: [
      ['a.ts', "try { b(); } catch (cause) { throw new Error('d', { cause }); }"],
      ['a.ts', 'try { b(); } catch (c) { throw c; }'],
      ['a.ts', "try { b(); } catch { f(() => { throw new Error('d'); }); }"],
    ],
  });
});
