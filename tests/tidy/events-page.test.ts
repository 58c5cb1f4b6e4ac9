import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ROOT } from './source.ts';

const page = readFileSync(join(ROOT, 'docs', 'events.md'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'recado-page-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const BODY = '{"event":"deal.created","data":{"id":"d_1"}}';
const SERVICE = 'sha256=e8cbabf5ee00731d9d593b0c449759cfee8b81a9b8dc081a192685cfd6bc17cc';
const STANDARD = 'v1,72pGLDW0K4N4gdgFlhxXL9NQcMFKOIMZ97zyaA++zSg=';
const AT = 1763668800;

function snippet(language: string): string {
  const [, code] = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(page) ?? [];
  assert.ok(code, `the page has no ${language}`);
  return code;
}

/** Runs the page's code, then ours; every line printed must be the language's "true". */
function judge(file: string, code: string, command: readonly string[]): string[] {
  const path = join(folder, file);
  writeFileSync(path, code);
  const [program = '', ...args] = command;
  const ran = spawnSync(program, [...args, path], { encoding: 'utf8' });
  assert.equal(ran.status, 0, ran.stderr);
  return ran.stdout.trim().split('\n');
}

const has = (program: string): boolean => spawnSync(program, ['--version']).status === 0;
const quoted = [SECRET, BODY, SERVICE, STANDARD].map((each) => JSON.stringify(each));
const [secret, body, service, standard] = quoted;

test('section 6: the page shows the signatures of its test vector', () => {
  for (const each of [SECRET, BODY, SERVICE, STANDARD, String(AT)]) assert.ok(page.includes(each));
  assert.equal(`sha256=${createHmac('sha256', SECRET).update(BODY).digest('hex')}`, SERVICE);
});

test('section 6: the TypeScript of the page verifies', () => {
  const code = `${snippet('ts')}
const body = Buffer.from(${body});
const headers = { id: 'dlv_01', timestamp: '${AT}', signature: ${standard} };
const older = { ...headers, signature: 'v1,AAAA ' + headers.signature };
console.log(verifyService(${secret}, body, ${service}));
console.log(!verifyService(${secret}, Buffer.from('{}'), ${service}));
console.log(verifyStandard(${secret}, body, headers, ${AT + 10}));
console.log(verifyStandard(${secret}, body, older, ${AT + 10}));
console.log(!verifyStandard(${secret}, body, headers, ${AT + 301}));
console.log(!verifyStandard(${secret}, Buffer.from('{}'), headers, ${AT}));
`;
  assert.deepEqual(judge('a.ts', code, [process.execPath]), Array(6).fill('true'));
});

test('section 6: the Python of the page verifies', { skip: !has('python3') }, () => {
  const code = `${snippet('python')}
body = ${body}.encode()
print(verify_service(${secret}, body, ${service}))
print(not verify_service(${secret}, b"{}", ${service}))
print(verify_standard(${secret}, body, "dlv_01", "${AT}", ${standard}, ${AT + 10}))
print(verify_standard(${secret}, body, "dlv_01", "${AT}", "v1,AAAA " + ${standard}, ${AT + 10}))
print(not verify_standard(${secret}, body, "dlv_01", "${AT}", ${standard}, ${AT + 301}))
print(not verify_standard(${secret}, b"{}", "dlv_01", "${AT}", ${standard}, ${AT}))
`;
  assert.deepEqual(judge('a.py', code, ['python3']), Array(6).fill('True'));
});

test('section 6: the PHP of the page verifies', { skip: !has('php') }, () => {
  const code = `${snippet('php')}
$body = '${BODY}';
echo json_encode(verify_service(${secret}, $body, ${service})), "\\n";
echo json_encode(!verify_service(${secret}, '{}', ${service})), "\\n";
echo json_encode(verify_standard(${secret}, $body, 'dlv_01', '${AT}', ${standard}, ${AT + 10})), "\\n";
echo json_encode(!verify_standard(${secret}, $body, 'dlv_01', '${AT}', ${standard}, ${AT + 301})), "\\n";
echo json_encode(!verify_standard(${secret}, '{}', 'dlv_01', '${AT}', ${standard}, ${AT})), "\\n";
`;
  assert.deepEqual(judge('a.php', code, ['php']), Array(5).fill('true'));
});
