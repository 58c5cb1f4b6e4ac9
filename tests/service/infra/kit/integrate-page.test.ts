/** docs/integrate.md: each of its commands is run, in the page's order. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../../../../infra/programs/service/supervisor/ports.ts';
import { freshPhone } from '../../../support/api.ts';
import { type Launched, outputOf, whileRuns } from '../../../support/launch.ts';
import { useOrganizations, useStack } from '../../../support/stack-hooks.ts';
import { record } from '../../../support/stand-ins/server.ts';
import { sentTo } from '../adapters/media/media-fixture.ts';

const PAGE = readFileSync(resolve(import.meta.dirname, '../../../../docs/integrate.md'), 'utf8');
const BLOCKS = new Map(
  [...PAGE.matchAll(/```sh\n# (\w+)\n([\s\S]*?)```/g)].map(([, name = '', text = '']) => [
    name,
    text,
  ]),
);
const SECRET = /RECADO_SECRET=(\S+)/.exec(BLOCKS.get('settings') ?? '')?.[1] ?? '';
const PROJECT = 'hello-recado';

let folder: string;
let env: NodeJS.ProcessEnv;
const left = new Set<string>(BLOCKS.keys());
const running: Shell[] = [];

const stack = useStack();
const MEMBERS = [{ ref: 'admin', name: 'Admin' }];
/** A number at two messages a second: a campaign waits. */
const PACE = { perSecond: 2, pairBurst: 100, pairEvery: '1ms' };
const { demo } = useOrganizations(stack, { demo: { pace: PACE, more: { members: MEMBERS } } });
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'recado-integrate-'));
  env = {
    ...{ PATH: [dirname(process.execPath), process.env.PATH].join(delimiter), HOME: folder },
    ...{ RECADO_URL: stack.baseUrl, RECADO_KEY: demo.key, RECADO_SECRET: SECRET },
    RECEIVER_PORT: String(await freePort('127.0.0.1')),
  };
  left.delete('settings');
});
after(async () => {
  for (const { pid } of running) endGroup(pid);
  await Promise.all(running.map(({ ended }) => ended));
  rmSync(folder, { recursive: true, force: true });
});

/** The process and its children have a group of their own. */
type Shell = Pick<Launched, 'pid' | 'output' | 'ended' | 'hasEnded'>;

/** Runs the command of that name in the project; the installation makes the project. */
function shell(name: string): Shell {
  const cwd = name === 'install' ? folder : join(folder, PROJECT);
  const script = BLOCKS.get(name);
  assert.ok(script !== undefined, `the page has ${name}`);
  left.delete(name);
  const child = spawn('bash', ['-euc', script], {
    ...{ cwd, env, detached: true },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  assert.ok(child.pid !== undefined, name);

  const ended = new Promise<number | null>((settle) => child.once('close', settle));
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return { pid: child.pid, output: outputOf(child), ended, hasEnded };
}

/** As Ctrl-C in a terminal. */
function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGINT');
  } catch (cause) {
    assert.ok(cause instanceof Error && 'code' in cause && cause.code === 'ESRCH', 'it has ended');
  }
}

async function run(name: string): Promise<string> {
  const { ended, output } = shell(name);
  assert.equal(await ended, 0, output());
  return output();
}

/** Leaves it running until the end of the file. */
async function leave(name: string, sign: RegExp): Promise<Shell> {
  const started = shell(name);
  running.push(started);
  await until(started, sign);
  return started;
}

function until(program: Shell, sign: RegExp): Promise<unknown> {
  return whileRuns(program, () => sign.test(program.output()), `${sign} is printed`);
}

test('an event is verified in each of the three ways, and every command is run', async () => {
  await run('install');
  const receiver = await leave('receiver', /listening/);
  assert.equal(await run('forged'), '400\n');
  assert.match(receiver.output(), /refused The request has no signature\./);
  await leave('listen', /Connected to/);
  await run('provoke');
  await until(receiver, /verified task\.created .*Ligar para Maria/);
  const curl = await leave('curl', /retry: 1000/);
  const stream = shell('stream');
  running.push(stream);
  // Its first line comes with the first event after it has connected.
  const isHeard = async () => {
    await run('provoke');
    return /heard dlv_\w+ task\.created/.test(stream.output());
  };
  await whileRuns(stream, isHeard, 'the stream is heard');
  await until(curl, /id: \d+\.dlv_\w+\nevent: task\.created\ndata: \{/);
  await assertAssigned();
  left.delete('webhook');
  const [, file = ''] = /<<YAML\n([\s\S]*?)YAML/.exec(BLOCKS.get('webhook') ?? '') ?? [];
  const given = file
    .replace('ref: demo', `ref: ${demo.ref}`)
    .replaceAll(/\$(\w+)/g, (_, name: string) => String(env[name]));
  const applied = await stack.recado(['apply', '-'], given);
  assert.equal(applied.code, 0, applied.stderr);
  const before = verifiedIn(receiver);
  await run('provoke');
  // One comes over `listen`, one from the service itself.
  await whileRuns(receiver, () => verifiedIn(receiver) >= before + 2, 'the webhook arrives');
});

/** The stream of the recipe begins with its first connection: it may miss what was written before. */
async function assertAssigned(): Promise<void> {
  const assigning = shell('assign');
  running.push(assigning);
  left.delete('written');
  const [, command = ''] = /recado -- (.*)/.exec(BLOCKS.get('written') ?? '') ?? [];
  const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(
    ([, quoted, plain]) => quoted ?? plain,
  );
  const args = words.map((word) => (word === 'demo' ? demo.ref : (word ?? '')));
  const isAssigned = async () => {
    const { code, stderr } = await stack.recado(args);
    assert.equal(code, 0, stderr);
    return /^assigned cnv_[\w-]+ to Admin$/m.test(assigning.output());
  };
  await whileRuns(assigning, isAssigned, 'the conversation is assigned');
}

test('a voice message is answered once its file has come, and once it is lost', async () => {
  // The file is not there at first.
  await using bridge = await record(() =>
    bridge.arrived.length <= 2 ? 503 : { headers: { 'content-type': 'audio/ogg' }, body: 'voz' },
  );
  const answering = shell('voice');
  running.push(answering);
  const write = (from: string, url: string) =>
    stack.network.control('POST /inbound', {
      ...{ channelId: demo.shop, from },
      media: { kind: 'audio', mimeType: 'audio/ogg; codecs=opus', url },
    });
  const answersTo = async (from: string) => (await sentTo(stack, from)).map(({ text }) => text);
  // A stream hears what comes after its first connection.
  const answered = async () => {
    const from = freshPhone();
    await write(from, `${bridge.url}/bucket/voz.ogg`);
    const heard = async () => (await answersTo(from)).length > 0;
    return (await within(5_000, heard)) && from;
  };
  const phone = await whileRuns(answering, answered, 'a voice message is heard');
  assert.deepEqual(await answersTo(phone), ['Ouvi 3 bytes.']);
  const lost = freshPhone();
  await write(lost, `${stack.sandboxUrl}/media/0`);
  const isAnswered = async () => (await answersTo(lost)).length > 0;
  await whileRuns(answering, isAnswered, 'the lost one is answered');
  assert.deepEqual(await answersTo(lost), ['Não consegui ouvir. Pode escrever?']);
});

test('an assistant hands over to a person', async () => {
  const token = 'given-token-of-an-assistant-0123456789';
  const key = { ref: 'robot', name: 'Robô', scope: 'account', assistant: true, token };
  const members = [{ ref: 'admin', name: 'Admin' }];
  await stack.apply({ orgs: [{ ref: demo.ref, keys: [key], members }] });
  env = { ...env, RECADO_ASSISTANT_KEY: token };
  const assistant = shell('assistant');
  running.push(assistant);
  const isHandedOver = async () => {
    const text = 'Quero falar com uma pessoa';
    await stack.network.inbound({ channelId: demo.main, from: freshPhone(), text });
    return /^handed over cnv_[\w-]+$/m.test(assistant.output());
  };
  await whileRuns(assistant, isHandedOver, 'the conversation is handed over');
});

test('a campaign waits behind the pace of its number, and what waits is cancelled', async () => {
  const printed = await run('campaign');
  const [, waited = '', cancelled = ''] = /^(\d+) wait\n(\d+) cancelled$/m.exec(printed) ?? [];
  assert.ok(Number(waited) > 0 && Number(cancelled) > 0, printed);
});

test('every command of the page is run', () => {
  assert.deepEqual([...left], []);
});

/** Whether it comes to pass in that time. */
async function within(ms: number, happens: () => Promise<boolean>): Promise<boolean> {
  for (const end = Date.now() + ms; Date.now() < end; await setTimeout(100)) {
    if (await happens()) return true;
  }
  return false;
}

function verifiedIn({ output }: Shell): number {
  return output().match(/^verified /gm)?.length ?? 0;
}
