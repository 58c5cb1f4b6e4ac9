/** The search for an emoji, and the cells that keys lead to. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { buildAssets } from '../../../../../gateway/panel/assets.ts';
import { cellAt, foundEmoji } from '../../../../../gateway/panel/browser/emoji/search.ts';

const HEART = { unicode: '❤️', label: 'coração vermelho', tags: ['amor', 'emoji'], group: 0 };
const LETTER = { unicode: '💌', label: 'carta de amor', tags: ['coração'], group: 0 };
const PIZZA = { unicode: '🍕', label: 'pizza', tags: ['fatia'], group: 4 };
const ALL = [LETTER, HEART, PIZZA];

test('an emoji is found by beginnings of the words of its name, then of its search words', () => {
  const found = (written: string) => foundEmoji(ALL, written).map(({ unicode }) => unicode);
  assert.deepEqual(found('CORACAO'), ['❤️', '💌']);
  assert.deepEqual(found('verm cora'), ['❤️']);
  assert.deepEqual(found('amor cora'), ['💌', '❤️']);
  assert.deepEqual(found('oração'), []);
  assert.deepEqual(found('🍕 '), ['🍕']);
  assert.deepEqual(found('  '), []);
});

test('a key leads to a cell of the grid, and never out of it', () => {
  const at = (key: string, from: number) => cellAt(key, { from, columns: 7, count: 10 });
  assert.equal(at('ArrowRight', 6), 7);
  assert.equal(at('ArrowLeft', 0), null);
  assert.equal(at('ArrowDown', 2), 9);
  assert.equal(at('ArrowDown', 3), null);
  assert.equal(at('ArrowUp', 9), 2);
  assert.equal(at('Home', 5), 0);
  assert.equal(at('End', 5), 9);
  assert.equal(at('a', 5), null);
});

const PICKER_MAX_BYTES = 48 * 1024;
const SCRIPTS = /\/assets\/[\w-]+\.js/g;

test('the emoji are no part of the first load, without skin tones, and at most 48 kB', async () => {
  const require = createRequire(import.meta.url);
  const table = readFileSync(require.resolve('emojibase-data/pt/compact.json'), 'utf8');
  assert.match(table, /pele morena/);
  const { find } = await buildAssets();
  const textOf = (path: string) => Buffer.from(find(path, '')?.bytes ?? '').toString();
  const scripts: readonly string[] = textOf('/conversas').match(SCRIPTS) ?? [];
  const first = scripts.map(textOf).join();
  assert.doesNotMatch(first, /coração vermelho/);
  const [name = ''] = /picker-\w+\.js/.exec(first) ?? [];
  const imported = textOf(`/assets/${name}`).match(SCRIPTS) ?? [];
  const more = [`/assets/${name}`, ...imported].filter((path) => !scripts.includes(path));
  const whole = more.map(textOf).join();
  assert.match(whole, /coração vermelho/);
  assert.doesNotMatch(whole, /pele morena/);
  const bytes = more.map((path) => find(path, 'br')?.bytes.length ?? 0).reduce((a, b) => a + b);
  assert.ok(bytes <= PICKER_MAX_BYTES, `${bytes} bytes`);
});
