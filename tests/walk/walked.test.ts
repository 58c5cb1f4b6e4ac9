import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Phase, Ran } from './phases.ts';
import { walked } from './walked.ts';

const ROOT = '/project';
const PATH = ['gateway/serve.ts', 'gateway/execute.ts', 'actors/host.ts'];

function ran(phase: Phase, file: string, [at, atMs = 0]: [at: number, atMs?: number]): Ran {
  return { phase, file: pathToFileURL(`${ROOT}/${file}`).href, at, name: `f${at}`, atMs };
}

function files(records: readonly Ran[], phase: Phase = 'send') {
  return walked(records, phase, { root: ROOT, path: (file) => PATH.indexOf(file) });
}

test('a file with a function that runs for the request alone is walked through', () => {
  const idle = [ran('idle', 'actors/host.ts', [1])];
  const one = [...idle, ran('send', 'actors/host.ts', [1]), ran('send', 'actors/host.ts', [2])];
  assert.deepEqual(files(one), [{ file: 'actors/host.ts', functions: ['f2'] }]);
});
test('a file whose functions all run at rest too is not', () => {
  assert.deepEqual(
    files([ran('idle', 'actors/host.ts', [1]), ran('send', 'actors/host.ts', [1])]),
    [],
  );
});
test('what another request passes is not counted', () => {
  assert.deepEqual(files([ran('inbound', 'actors/host.ts', [1])]), []);
});
test('files stand in the order of their samples, and within one of the imports', () => {
  const records = [
    ran('send', 'actors/host.ts', [1, 7]),
    ran('send', 'gateway/execute.ts', [1, 5]),
    ran('send', 'gateway/serve.ts', [2, 9]),
    ran('send', 'gateway/serve.ts', [1, 5]),
  ];
  assert.deepEqual(
    files(records).map(({ file }) => file),
    PATH,
  );
});
