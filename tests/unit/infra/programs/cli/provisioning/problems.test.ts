import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { internalRefusal } from '../../../../../../infra/adapters/outbound/operator-refusals.ts';
import { problemsIn } from '../../../../../../infra/programs/cli/provisioning/problems.ts';
import { readSource } from '../../../../../../infra/programs/cli/provisioning/source.ts';
import { BadInput } from '../../../../../../infra/programs/cli/service/failure.ts';
import { ROOT } from '../../../../../../infra/tools/source.ts';
import { readFile } from '../../../../../../shared/provisioning/file.ts';

const page = readFileSync(join(ROOT, 'docs/provisioning.md'), 'utf8');

/** The page's own example with three mistakes in it, checked as `apply` does. */
async function problemsOfThePage(): Promise<readonly string[]> {
  const [, example = ''] = /^```yaml\n([\s\S]*?)^```/m.exec(page) ?? [];
  const text = example
    .replace('timeZone:', 'timezone:')
    .replace('next: done, onTimeout', 'next: dnoe, onTimeout')
    .replace('crm.example.com/', 'crm.lan:8443/');
  const folder = await mkdtemp(join(tmpdir(), 'recado-page-'));
  try {
    await writeFile(join(folder, 'loja.yaml'), text);
    const place = { cwd: folder, calledFrom: undefined, stdin: process.stdin };
    const source = await readSource('loja.yaml', place);
    const refusal = internalRefusal({ host: 'crm.lan', port: 8443 });
    const problem = { code: 'foreign', params: { text: refusal } } as const;
    const refused = { path: 'orgs.0.subscriptions.0.url', problem };
    return problemsIn(source, [...readFile(source.raw).issues, refused]).message.split('\n');
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe('the problems that the page shows', () => {
  it('are those of its example, mistaken as they say', async () => {
    const [, shown = ''] = /^```\n(orgs\.0\.timezone[\s\S]*?)\n```$/m.exec(page) ?? [];
    assert.deepEqual(shown.split('\n'), await problemsOfThePage());
  });
});

/** The position of `path` in `text`: `line:column`. */
async function placeIn(text: string, path: string, part: 'key' | 'value'): Promise<string> {
  const stdin = Readable.from([text]);
  const source = await readSource('-', { cwd: tmpdir(), calledFrom: undefined, stdin });
  const position = source.locate(path, part);
  return position ? `${position.line}:${position.column}` : 'nowhere';
}

describe('the place of a problem', () => {
  it('is that of the value, of the name, or of what holds what is missing', async () => {
    const text =
      'orgs:\r\n  - ref: a\r\n    name:   x\r\n    timeZone:\r\n    limits: { perKey: 0 }\r\n';
    for (const [path, part, place, what] of [
      ['orgs.0.name', 'value', '3:13', 'a value'],
      ['orgs.0.name', 'key', '3:5', 'a name'],
      ['orgs.0.timeZone', 'value', '4:5', 'an empty value'],
      ['orgs.0.limits.perKey', 'value', '5:23', 'a value in braces'],
      ['orgs.0.country', 'value', '2:5', 'a missing one'],
      ['orgs.7.name', 'value', '1:1', 'an item that is not there'],
      ['', 'value', '1:1', 'the file'],
    ] as const) {
      assert.equal(await placeIn(text, path, part), place, what);
    }
  });

  it('is found behind names with dots in them, in JSON, and through an alias', async () => {
    const dots = 'orgs:\n  - flows:\n      - steps:\n          - fields:\n              a.b: x\n';
    assert.equal(await placeIn(dots, 'orgs.0.flows.0.steps.0.fields.a.b', 'value'), '5:20');
    assert.equal(await placeIn('{"orgs":[{"ref":"a","name":1}]}', 'orgs.0.name', 'value'), '1:28');
    const alias = 'orgs:\n  - limits: &some { perKey: 0 }\n  - limits: *some\n';
    assert.equal(await placeIn(alias, 'orgs.1.limits.perKey', 'value'), '2:29');
  });
});

/** The message about a text that cannot be read. */
async function refused(text: string): Promise<string> {
  try {
    await placeIn(text, '', 'value');
  } catch (error) {
    if (error instanceof BadInput) return error.message;
    throw error;
  }
  return 'nothing';
}

describe('a text that is no provisioning file', () => {
  it('is told where, once for each place', async () => {
    const place = (line: number, column: number) =>
      `(standard input, line ${line}, column ${column})`;
    for (const [text, sentence] of [
      ['a: 1\na: 2\n', `Map keys must be unique ${place(2, 1)}`],
      ['a: 1\n---\nb: 2\n', `The file holds several documents ${place(2, 1)}`],
      ['a: *x\n', `Nothing before has the anchor x ${place(1, 4)}`],
      ['a: &a\n  b: *a\n', `The alias a lies inside of what it names ${place(2, 6)}`],
      ['# nothing\n', 'standard input is empty: it must hold orgs'],
    ] as const) {
      assert.equal(await refused(text), sentence);
    }
    const tens = (of: string) => `[${Array(10).fill(of).join(',')}]`;
    const laughs = `a: &a ${tens('x')}\nb: &b ${tens('*a')}\nc: &c ${tens('*b')}\nd: ${tens('*c')}\n`;
    assert.equal(await refused(laughs), 'standard input repeats what its aliases name too often');
    const many = `a: &a x\nb: [${Array(10_000).fill('*a').join(',')}]\n`;
    assert.equal(await refused(many), `There are more than 100 aliases ${place(2, 305)}`);
    const missing = `a: [${Array(10_000).fill('*x').join(',')}]\n`;
    assert.equal((await refused(missing)).match(/Nothing before has/g)?.length, 101);
  });

  it('is never half of one in silence, wherever the file was cut', async () => {
    const [, whole = ''] = /^```yaml\n([\s\S]*?)^```/m.exec(page) ?? [];
    const at = { cwd: tmpdir(), calledFrom: undefined };
    for (let length = 0; length < whole.length; length += 7) {
      const cut = whole.slice(0, length);
      try {
        const source = await readSource('-', { ...at, stdin: Readable.from([cut]) });
        const { issues } = readFile(source.raw);
        const isTold = source.isTruncated || issues.length > 0;
        assert.ok(isTold || cut.endsWith('\n'), JSON.stringify(cut.slice(-40)));
      } catch (error) {
        if (!(error instanceof BadInput)) throw error;
        assert.match(error.message, /standard input(, line \d+, column \d+\)| is empty)/);
      }
    }
  });
});
