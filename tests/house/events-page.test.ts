import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ROOT } from '../../infra/tools/source.ts';

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

/** Each of them is a header that is missing, cut short, of another form or not ASCII. */
const ODD_SERVICE = [
  null,
  '',
  'sha256',
  'sha256=',
  SERVICE.slice('sha256='.length),
  SERVICE.slice(0, -1),
  `${SERVICE}0`,
  `${SERVICE}\n`,
  ` ${SERVICE}`,
  SERVICE.toUpperCase(),
  SERVICE.replace('256', '1'),
  `${SERVICE}, ${SERVICE}`,
  `${SERVICE.slice(0, -1)}é`,
  `sha256=${'é'.repeat(64)}`,
  '💥'.repeat(20),
];
const ODD_TIMESTAMPS = [
  ...[null, '', 'abc', 'NaN', 'Infinity', '1e9', '-1', '0', '9'.repeat(400), '0x691f0000'],
  ...[`${AT}.0`, ` ${AT}`, `${AT}\n`, `+${AT}`, `${AT}_0`, `${AT}abc`, `${AT}000`],
  String(AT).replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
];
const ODD_SIGNATURES = [
  ...[null, '', ' ', 'v1', 'v1,', 'v1,=', ',', STANDARD.slice(3), `v1a,${STANDARD.slice(3)}`],
  ...[STANDARD.replace('v1,', 'v2,'), STANDARD.replace(',', ' '), STANDARD.replace(',', ',,')],
  ...[STANDARD.slice(0, -1), `${STANDARD}!`, `${STANDARD}\n`, STANDARD.replace('=', '')],
  ...[`v1,${'é'.repeat(22)}`, `v1,${'é'.repeat(44)}`, 'v1,AAAA v1,BBBB', '💥'],
];
const ODD = {
  service: ODD_SERVICE,
  standard: [
    ...[null, '', 'dlv_02', 'dlv_01 ', 'é', '💥'].map((id) => [id, String(AT), STANDARD]),
    ...ODD_TIMESTAMPS.map((timestamp) => ['dlv_01', timestamp, STANDARD]),
    ...ODD_SIGNATURES.map((signature) => ['dlv_01', String(AT), signature]),
  ],
};
const ODD_FILE = join(folder, 'odd.json');
writeFileSync(ODD_FILE, JSON.stringify(ODD));
const ODD_COUNT = ODD.service.length + ODD.standard.length;
const oddFile = JSON.stringify(ODD_FILE);
/** Half of a surrogate pair, which PHP reads in no JSON. */
const HALF = String.raw`"\ud800"`;

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
import { readFileSync } from 'node:fs';
const odd = JSON.parse(readFileSync(${oddFile}, 'utf8'));
for (const each of [...odd.service, undefined, ${HALF}, [${service}, ${service}]]) {
  console.log(verifyService(${secret}, body, each) === false);
}
for (const [id, timestamp, signature] of [...odd.standard, [], [${HALF}, '${AT}', ${HALF}]]) {
  const some = { id: id ?? undefined, timestamp: timestamp ?? undefined };
  const all = { ...some, signature: signature ?? undefined };
  console.log(verifyStandard(${secret}, body, all, ${AT}) === false);
}
console.log(verifyStandard(${secret}, body, {}, ${AT}) === false);
`;
  const judged = judge('a.ts', code, [process.execPath]);
  assert.deepEqual(judged, Array(6 + ODD_COUNT + 6).fill('true'));
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
import json
odd = json.load(open(${oddFile}, encoding="utf-8"))
for each in odd["service"] + [b"sha256=", 1, ${HALF}]:
    print(verify_service(${secret}, body, each) is False)
for each in odd["standard"] + [[None, None, None], [${HALF}, "${AT}", ${HALF}]]:
    print(verify_standard(${secret}, body, *each, ${AT}) is False)
`;
  assert.deepEqual(judge('a.py', code, ['python3']), Array(6 + ODD_COUNT + 5).fill('True'));
});

test('section 6: the PHP of the page verifies', { skip: !has('php') }, () => {
  const code = `${snippet('php')}
$body = '${BODY}';
echo json_encode(verify_service(${secret}, $body, ${service})), "\\n";
echo json_encode(!verify_service(${secret}, '{}', ${service})), "\\n";
echo json_encode(verify_standard(${secret}, $body, 'dlv_01', '${AT}', ${standard}, ${AT + 10})), "\\n";
echo json_encode(!verify_standard(${secret}, $body, 'dlv_01', '${AT}', ${standard}, ${AT + 301})), "\\n";
echo json_encode(!verify_standard(${secret}, '{}', 'dlv_01', '${AT}', ${standard}, ${AT})), "\\n";
$odd = json_decode(file_get_contents(${oddFile}), true);
foreach ([...$odd['service'], "\\xff"] as $each) {
    echo json_encode(verify_service(${secret}, $body, $each) === false), "\\n";
}
foreach ([...$odd['standard'], [null, null, null], ["\\xff", '${AT}', "\\xff"]] as $each) {
    echo json_encode(verify_standard(${secret}, $body, ...[...$each, ${AT}]) === false), "\\n";
}
`;
  assert.deepEqual(judge('a.php', code, ['php']), Array(5 + ODD_COUNT + 3).fill('true'));
});
