import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PICTURES } from '../../infra/tools/shots/pictures.ts';
import { ROOT } from '../../infra/tools/source.ts';

const FOLDER = join(ROOT, 'docs', 'pictures');
const MAX_BYTES = 300_000;
const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
/** A picture with its description, as Markdown or, for a narrow one, as HTML. */
const SHOWN =
  /!\[[^\]]{10,}\]\((?:docs\/)?pictures\/(?<name>[^)]+)\)|<img alt="[^"]{10,}" src="pictures\/(?<narrow>[^"]+)"/g;
const PAGES = ['README.md', 'docs/panel.md'];

test('every picture of the list is there, a PNG, and small', () => {
  const names = PICTURES.map(({ name }) => `${name}.png`);
  assert.deepEqual(readdirSync(FOLDER).toSorted(), names.toSorted());
  for (const name of names) {
    const bytes = readFileSync(join(FOLDER, name));
    assert.deepEqual(bytes.subarray(0, PNG.length), PNG, name);
    assert.ok(bytes.length <= MAX_BYTES, `${name} has ${bytes.length} bytes`);
  }
});

test('the pages show every picture of the list, each with its description', () => {
  const shown = PAGES.flatMap((page) => {
    const text = readFileSync(join(ROOT, page), 'utf8');
    return [...text.matchAll(SHOWN)].map(({ groups }) => groups?.name ?? groups?.narrow);
  });
  assert.deepEqual(
    [...new Set(shown)].toSorted(),
    PICTURES.map(({ name }) => `${name}.png`).toSorted(),
  );
});
