import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { stringify } from 'yaml';
import { LOJA } from '../../../../../support/actors/domain/organization-fixture.ts';
import { runHere, spawnRecado } from '../../../../../support/command-line.ts';
import { CLOUD } from '../../../../../support/example-file.ts';
import { type CliFixture, openCliFixture } from '../cli-fixture.ts';

const { files: _files, ...ORGANIZATION } = LOJA;
const [, SHOP] = LOJA.channels;

const WRONG = `orgs:
  - ref: loja
    timezone: America/Manaus
    timeZone: America/Sao_Paolo
    channels:
      - { ref: main, provider: clod, session: x, network: { acessToken: x } }
    keys:
      - { ref: k, name: K, scope: channel, channel: shpo }
    flows:
      - ref: welcome
        steps:
          - { id: hi, do: sned, next: done }
          - { id: bye, do: send, txt: x, next: dnoe }
          - { id: done, do: end }
  - ref: other
    subscriptions:
      - { ref: s, url: "https://crm.example.com/", events: [deal.win] }
  - name: Without ref
    members:
      - { ref: ana, emial: x }
      - { ref: rui, email: rui.example.com }
org: []
`;

const UNKNOWN = 'is not a known property; did you mean';
const CHANNELS = 'there are: main, shop';
const IANA = 'orgs.0.timeZone: must be an IANA time zone name; did you mean America/Sao_Paulo?';
/** Each sentence, and the text at whose first letter it says to stand. */
const PROBLEMS: readonly (readonly [sentence: string, text: string])[] = [
  [`orgs.0.timezone: ${UNKNOWN} timeZone?`, 'timezone'],
  [IANA, 'America/Sao_Paolo'],
  ['orgs.0.channels.0.provider: must be one of web, cloud; did you mean cloud?', 'clod'],
  ['orgs.0.channels.0.session: is not a known property; it stands in network', 'session: x'],
  [`orgs.0.channels.0.network.acessToken: ${UNKNOWN} accessToken?`, 'acessToken'],
  [`orgs.0.keys.0.channel: names no channel "shpo"; ${CHANNELS}; did you mean "shop"?`, 'shpo'],
  ['orgs.0.flows.0.steps.0.do: flow "welcome", step "hi", do: must be one of send, wait', 'sned'],
  [`txt: ${UNKNOWN} text?`, 'txt'],
  ['no step has the id "dnoe"; did you mean "done"?', 'dnoe'],
  ['orgs.1.name: is required for a new organization', 'ref: other'],
  ['task.created, task.completed', 'deal.win'],
  ['orgs.2.ref: is required', 'name: Without ref'],
  [`orgs.2.members.0.emial: ${UNKNOWN} email?`, 'emial'],
  ['orgs.2.members.1.email: must be an e-mail address, or empty', 'rui.example.com'],
  [`org: ${UNKNOWN} orgs?`, 'org: []'],
];

function placeOf(text: string): string {
  const before = WRONG.slice(0, WRONG.indexOf(text)).split('\n');
  return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}

const { verifyToken: _kept, ...network } = CLOUD;
const GREETING = { id: 'hi', do: 'send', text: 'Oi', next: 'x' };
const CHANGED = [
  {
    ref: 'loja',
    name: 'Loja Nova',
    members: [{ ref: 'ana', remove: true }],
    channels: [
      { ref: 'main', network: { ...network, accessToken: 'another' }, pace: { pairEvery: '7s' } },
      { ...SHOP, ref: 'third', network: { ...SHOP?.network, session: 'third' } },
    ],
    flows: [{ ref: 'welcome', steps: [GREETING, { id: 'x', do: 'end' }] }],
  },
  { ref: 'new', name: 'New' },
];

describe('recado apply, a provisioning file judged and compared', () => {
  let fixture: CliFixture;
  let stored: string;

  const recado = (words: readonly string[], input = '') => fixture.run(words, { input });

  before(async () => {
    fixture = await openCliFixture();
    const applied = await recado(['apply', '-'], stringify({ orgs: [ORGANIZATION] }));
    assert.equal(applied.code, 0, applied.stderr);
    stored = JSON.stringify([...fixture.states.values()]);
  });

  after(() => {
    assert.equal(JSON.stringify([...fixture.states.values()]), stored, 'nothing was changed');
    return fixture.close();
  });

  const write = async (name: string, text: string): Promise<string> => {
    await writeFile(join(fixture.folder, name), text);
    return name;
  };

  it('tells all problems of all organizations, each with its place and the nearest name', async () => {
    await write('wrong.yaml', WRONG);
    const ran = await recado(['apply', 'wrong.yaml']);
    assert.deepEqual([ran.code, ran.stdout], [2, '']);
    const lines = ran.stderr.trim().split('\n');
    for (const [sentence, text] of PROBLEMS) {
      const found = lines.filter((line) => line.includes(sentence));
      assert.equal(found.length, 1, `${sentence} in\n${ran.stderr}`);
      assert.ok(found[0]?.endsWith(`(wrong.yaml, ${placeOf(text)})`), found[0]);
    }
    assert.equal(lines.length, PROBLEMS.length, ran.stderr);
    assert.deepEqual(lines.toSorted(byLine), lines, 'in the order of the file');
  });

  it('--check changes nothing, says so, and takes its place anywhere', async () => {
    const orgs = [
      { ...ORGANIZATION, name: 'Other' },
      { ref: 'new', name: 'New' },
    ];
    const file = await write('check.yaml', stringify({ orgs }));
    for (const words of [
      ['apply', file, '--check'],
      ['apply', '--check', file],
      ['--check', 'apply', file],
    ]) {
      const ran = await recado(words);
      assert.deepEqual([ran.code, ran.stderr], [0, ''], words.join(' '));
      assert.equal(ran.stdout, 'check.yaml: no problem found (loja, new). Nothing was applied.\n');
    }
    const json = await recado(['--check', '--json', 'apply', file]);
    assert.deepEqual(JSON.parse(json.stdout), { ok: true, orgs: ['loja', 'new'] });
    const wrong = await recado(['--check', 'apply', '-'], '{"orgs":[{"ref":"x"}]}');
    const place = '(standard input, line 1, column 10)\n';
    const sentence = `orgs.0.name: is required for a new organization ${place}`;
    assert.deepEqual([wrong.code, wrong.stdout, wrong.stderr], [2, '', sentence]);
  });

  it('--diff shows what would change, and no secret', async () => {
    const file = await write('diff.yaml', stringify({ orgs: CHANGED }));
    const ran = await recado(['--diff', 'apply', file, '--json']);
    assert.equal(ran.code, 0, ran.stderr);
    const { changes, ...rest } = JSON.parse(ran.stdout);
    assert.deepEqual(rest, {});
    const row = (path: string) => changes.find((change: { path: string }) => change.path === path);
    assert.deepEqual(
      changes.map(({ org, path, change }: Record<string, string>) => `${org} ${change} ${path}`),
      [
        'loja change name',
        'loja remove members.ana',
        'loja change channels.main.network.accessToken',
        'loja change channels.main.pace.pairEvery',
        'loja add channels.third',
        'loja change flows.welcome.steps.hi.text',
        'loja change flows.welcome.steps.hi.next',
        'loja remove flows.welcome.steps.ask',
        'loja remove flows.welcome.steps.done',
        'loja add flows.welcome.steps.x',
        'new add ',
      ],
    );
    const [name, token] = ['name', 'channels.main.network.accessToken'];
    const changed = (path: string) => ({ org: 'loja', path, change: 'change' });
    const named = { list: null, ref: null, before: 'Loja Exemplo', after: 'Loja Nova' };
    assert.deepEqual(row(name), { ...changed(name), ...named });
    const hidden = { list: 'channels', ref: 'main', secret: true };
    assert.deepEqual(row(token), { ...changed(token), ...hidden });
    assert.ok(!ran.stdout.includes('another') && !ran.stdout.includes('sealed'));
  });

  it('--diff prints a line for each change, and says where there is none', async () => {
    const file = await write('lines.yaml', stringify({ orgs: CHANGED }));
    const people = await recado(['apply', file, '--diff']);
    assert.match(people.stdout, /^loja\n {2}~ name: "Loja Exemplo" → "Loja Nova"\n/);
    assert.match(people.stdout, /^ {2}~ channels\.main\.network\.accessToken: a secret$/m);
    assert.match(people.stdout, /\n11 changes\. Nothing was applied\.\n$/);
    const same = await recado(['apply', '-', '--diff'], stringify({ orgs: [ORGANIZATION] }));
    assert.equal(same.stdout, 'Nothing would change. Nothing was applied.\n');
  });

  it('half a file is refused where it breaks off, and told where it may be whole', async () => {
    const whole = stringify({ orgs: [ORGANIZATION] });
    const cut = whole.slice(0, whole.indexOf('accessToken: t') + 'accessTok'.length);
    const broken = await recado(['apply', await write('half.yaml', cut)]);
    assert.equal(broken.code, 2);
    const lines = cut.split('\n');
    const column = lines.at(-1)?.search(/\S/) ?? 0;
    assert.equal(
      broken.stderr,
      'Implicit map keys need to be followed by map values; the file ends there: is it whole? ' +
        `(half.yaml, line ${lines.length}, column ${column + 1})\n`,
    );
    const inside = whole.slice(0, whole.indexOf('Exemplo') + 3);
    const quiet = await recado(['apply', await write('cut.yaml', inside), '--check']);
    assert.equal(quiet.code, 0);
    assert.match(quiet.stderr, /cut\.yaml does not end with a line break: is it whole\?/);
    const json = JSON.stringify({ orgs: [ORGANIZATION] });
    const name = whole.slice(0, whole.indexOf('Loja Exemplo') - 2);
    for (const stdin of [json.slice(0, json.length / 2), name, '', '\n']) {
      const ran = await recado(['apply', '-'], stdin);
      assert.equal(ran.code, 2, stdin);
      assert.match(ran.stderr, /is it whole\? \(standard input|standard input is empty/);
    }
  });
});

function byLine(a: string, b: string): number {
  const [left = 0, right = 0] = [a, b].map((text) => Number(/line (\d+)/.exec(text)?.[1]));
  return left - right;
}

describe('recado apply, without a service', { concurrency: true }, () => {
  const given = { env: { DATA_DIR: import.meta.dirname } };

  it('--schema prints the JSON Schema, and --reference the page', async () => {
    const schema = await spawnRecado(['--schema', 'apply'], given);
    assert.equal(schema.code, 0, schema.stderr);
    assert.ok(JSON.parse(schema.stdout).definitions.Channel.properties.network);
    const page = await runHere(['apply', '--reference'], given);
    assert.match(page.stdout, /^# The provisioning file\n/);
    const none = await runHere(['apply'], given);
    const sentence = 'apply needs a file, or - for standard input\n';
    assert.deepEqual([none.code, none.stderr], [2, sentence]);
  });
});
