/** Code of the pages, made from values and from signatures. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { pythonLiteral, typescriptLiteral } from '../../../../gateway/docs/literals.ts';
import { VERIFICATION } from '../../../../gateway/docs/verification.ts';

const folder = mkdtempSync(join(tmpdir(), 'recado-code-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const has = (program: string): boolean => spawnSync(program, ['--version']).status === 0;

/** Names that an object literal would take for something else are no fields of ours. */
const VALUES = fc.jsonValue({ stringUnit: 'grapheme' }).filter((value) => {
  return !JSON.stringify(value).includes('"__proto__"');
});
const HARD = [`it's "so" \\ \n\t\u2028\u0000`, { 'a-b': [null, true, { c: [] }], $d: {}, é: -0.5 }];

test('a literal of TypeScript is the value that it was made from', () => {
  const read = (text: string) => JSON.stringify(runInNewContext(`(${text})`));
  for (const value of HARD) assert.equal(read(typescriptLiteral(value)), JSON.stringify(value));
  fc.assert(
    fc.property(VALUES, (value) => {
      assert.equal(read(typescriptLiteral(value)), JSON.stringify(value));
    }),
  );
});

test('a literal of Python is the value that it was made from', { skip: !has('python3') }, () => {
  const values = [...HARD, ...fc.sample(VALUES, 100)];
  const lines = values.map((value) => `print(json.dumps(${pythonLiteral(value)}))`);
  const file = join(folder, 'literals.py');
  writeFileSync(file, ['import json', ...lines].join('\n'));
  const { stdout, stderr } = spawnSync('python3', [file], { encoding: 'utf8' });
  const read = stdout.trimEnd().split('\n');
  assert.equal(read.length, values.length, stderr);
  for (const [index, value] of values.entries()) {
    assert.deepEqual(JSON.parse(read[index] ?? ''), JSON.parse(JSON.stringify(value)));
  }
});

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const BODY = '{"event":"deal.created","data":{"title":"Ação"}}';

function signatureAt(timestamp: string | number): string {
  const key = Buffer.from(SECRET.slice(6), 'base64');
  const signed = createHmac('sha256', key).update(`dlv_01.${timestamp}.${BODY}`);
  return `v1,${signed.digest('base64')}`;
}

type Case = readonly [wanted: boolean, timestamp: string, signature: string, body: string];

/** Made when they are judged: a slow machine may run this file minutes after it was loaded. */
function casesNow(): readonly Case[] {
  const now = Math.floor(Date.now() / 1000);
  const good = signatureAt(now);
  return [
    [true, String(now), good, BODY],
    [true, String(now), `v1,AAAA ${good}`, BODY],
    [false, String(now), good, `${BODY} `],
    [false, String(now), 'v1,AAAA', BODY],
    [false, String(now), '', BODY],
    [false, String(now), 'v1,é 💥', BODY],
    [false, String(now - 400), signatureAt(now - 400), BODY],
    [false, '', signatureAt(''), BODY],
    [false, `${now}.5`, signatureAt(`${now}.5`), BODY],
  ];
}

function codeIn(language: string): string {
  return VERIFICATION.find((each) => each.language === language)?.text ?? assert.fail(language);
}

function judge(file: string, code: string, program: string): void {
  const cases = casesNow();
  writeFileSync(join(folder, file), code);
  writeFileSync(join(folder, 'cases.json'), JSON.stringify(cases));
  const { stdout, stderr } = spawnSync(program, [file], { cwd: folder, encoding: 'utf8' });
  assert.equal(stderr, '');
  const wanted = cases.map(([isGenuine]) => String(isGenuine));
  assert.deepEqual(stdout.trimEnd().split('\n'), wanted);
}

test('section 6: the TypeScript of the page knows a genuine event', () => {
  const code = `${codeIn('TypeScript')}
import { readFileSync } from 'node:fs';
for (const [, timestamp, signature, body] of JSON.parse(readFileSync('cases.json', 'utf8'))) {
  const headers = { 'webhook-id': 'dlv_01', 'webhook-timestamp': timestamp };
  const given = { get: (name) => ({ ...headers, 'webhook-signature': signature })[name] ?? null };
  console.log(isGenuine('${SECRET}', given, Buffer.from(body)));
}
`;
  judge('verify.ts', code, process.execPath);
});

test('section 6: the Python of the page knows a genuine event', { skip: !has('python3') }, () => {
  const code = `${codeIn('Python')}

import json

for _, timestamp, signature, body in json.load(open("cases.json", encoding="utf-8")):
    headers = {"webhook-id": "dlv_01", "webhook-timestamp": timestamp}
    headers["webhook-signature"] = signature
    print(str(is_genuine("${SECRET}", headers, body.encode())).lower())
`;
  judge('verify.py', code, 'python3');
});
