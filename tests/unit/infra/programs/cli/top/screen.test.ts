/** The window of `recado top` (D360). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { printed, widthOf } from '../../../../../../infra/programs/cli/top/lines.ts';
import { screenOf } from '../../../../../../infra/programs/cli/top/screen.ts';
import { snapshotOf } from '../../../../../../infra/programs/cli/top/snapshot.ts';
import { forAll } from '../../../../../support/property.ts';
import { processOf, readingOf, reportOf } from './reading-fixture.ts';

const NAMES = ['actors-1', 'actors-2', 'gateway-1'];
const processesAt = (calls: number) =>
  NAMES.map((id) => processOf(id, { calls, turns: calls * 2 }));
const reading = (seconds: number, calls: number) =>
  readingOf(seconds, {
    read: processesAt(calls),
    reports: [reportOf('actors-1', { org_a: 5, org_b: 3 })],
  });
const REFS = new Map([['org_a', 'loja\u001b[2J']]);
const snapshot = snapshotOf(reading(0, 100), reading(2, 400), REFS);

function textIn(columns: number, rows: number | null = null): string {
  return screenOf(snapshot, { columns, rows })
    .map((line) => printed(line, false))
    .join('\n');
}

test('a window of any size is kept to, line by line', () => {
  forAll([fc.integer({ min: 1, max: 250 }), fc.integer({ min: 1, max: 60 })], (columns, rows) => {
    const lines = screenOf(snapshot, { columns, rows });
    assert.ok(lines.length <= rows);
    for (const line of lines) assert.ok(widthOf(line) <= columns);
  });
});

test('numbers are right-aligned below their heads, and a narrow window has fewer columns', () => {
  const lines = textIn(80).split('\n');
  const [at = -1] = lines.flatMap((line, row) => (line.startsWith('PROCESSES') ? [row] : []));
  const [heads = '', row = ''] = lines.slice(at);
  assert.match(row, /^actors-1 /);
  for (const head of ['pid', 'cpu %', 'MiB', 'turns/s', 'depth']) {
    const end = heads.indexOf(head) + head.length;
    assert.match(row.slice(0, end), /[\d-]$/, head);
    assert.match(`${row} `[end] ?? '', / /, head);
  }
  const narrow = textIn(40)
    .split('\n')
    .find((line) => line.startsWith('PROCESSES'));
  assert.ok(narrow && heads.startsWith(narrow) && narrow.length < heads.length);
});

test('the state of the service is in the second line', () => {
  assert.equal(textIn(80).split('\n')[1], 'ready  actors 2  gateway 1');
  const away = readingOf(2, { missing: ['nats'], silent: ['actors-9'], agendas: null });
  const lines = screenOf(snapshotOf(reading(0, 100), away, REFS), { columns: 80, rows: 24 });
  const [, second] = lines.map((line) => printed(line, false));
  assert.equal(second, 'NOT READY, missing: nats; does not answer: actors-9  no process answers');
});

test('without colours there is no control character, and stored names bring none', () => {
  const control = /\p{Cc}/u;
  assert.doesNotMatch(textIn(120).replaceAll('\n', ''), control);
  const coloured = screenOf(snapshot, { columns: 120, rows: 40 })
    .map((line) => printed(line, true))
    .join('');
  assert.match(coloured, control);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours are what is taken away
  assert.doesNotMatch(coloured.replace(/\u001b\[[\d;]*m/g, ''), control);
  assert.match(coloured, /loja\\u001b\[2J/);
});
