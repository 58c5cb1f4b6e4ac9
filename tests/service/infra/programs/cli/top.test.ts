/** `recado top` against the running service (D360). */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import * as v from 'valibot';
import { partitionName, partitionOf } from '../../../../../shared/wire/subjects.ts';
import { freshPhone } from '../../../../support/api.ts';
import { killHard } from '../../../../support/kills.ts';
import { environment, type Launched, launch, outputOf, ROOT } from '../../../../support/launch.ts';
import { runs } from '../../../../support/processes.ts';
import { useOrganizations, useStack } from '../../../../support/stack-hooks.ts';
import { waitUntil } from '../../../../support/wait-for.ts';

const MAIN = 'infra/programs/cli/main.ts';
const [ENTER, LEAVE] = ['\u001b[?1049h', '\u001b[?1049l'];
const FRAME = '\u001b[H';

const stack = useStack();
const { loud, calm } = useOrganizations(stack, { loud: {}, calm: {} });

const loads = { turns: v.number(), busy: v.number() };
const SnapshotSchema = v.strictObject({
  at: v.pipe(v.string(), v.isoTimestamp()),
  seconds: v.number(),
  url: v.nullable(v.string()),
  missing: v.array(v.string()),
  silent: v.array(v.string()),
  requests: v.record(v.string(), v.pipe(v.number(), v.minValue(0))),
  rates: v.record(v.string(), v.pipe(v.number(), v.minValue(0))),
  latencies: v.record(
    v.string(),
    v.strictObject({ p50: v.nullable(v.number()), p99: v.nullable(v.number()) }),
  ),
  backlog: v.nullable(
    v.array(
      v.strictObject({
        ...{ agenda: v.string(), waiting: v.number(), more: v.boolean() },
        oldestDueSeconds: v.number(),
      }),
    ),
  ),
  processes: v.array(
    v.strictObject({
      ...{ role: v.string(), id: v.string(), pid: v.nullable(v.number()) },
      ...{ cpuPercent: v.nullable(v.number()), memoryBytes: v.number(), loopDelayP99: v.number() },
      ...{ requests: v.nullable(v.number()), turns: v.nullable(v.number()) },
      ...{ sharePercent: v.number(), depth: v.number() },
    }),
  ),
  partitions: v.array(v.strictObject({ partition: v.string(), process: v.string(), ...loads })),
  organizations: v.array(v.strictObject({ id: v.string(), ref: v.nullable(v.string()), ...loads })),
});
type Snapshot = v.InferOutput<typeof SnapshotSchema>;

/** Ten sends of one organization for one of the other, until the work ends. */
async function underLoad<T>(work: Promise<T>): Promise<T> {
  let isOver = false;
  const load = async () => {
    for (let sent = 0; !isOver; sent++) {
      const { key, main } = sent % 11 === 10 ? calm : loud;
      await stack.send(key, { channelId: main, phone: freshPhone(), text: 'oi' });
    }
  };
  const loading = load();
  return await work.finally(async () => {
    isOver = true;
    await loading;
  });
}

test('one interval tells who makes the load, where, and how much it is', async () => {
  const measured = async () => {
    const snapshot = await stack.ask('top', '--once', '--every', '1');
    const read = v.parse(SnapshotSchema, snapshot);
    return read.rates.accepted && read.rates.sent && read.organizations.length > 1 ? read : null;
  };
  const snapshot = await underLoad(waitUntil('the load is seen', measured));
  const [first, second] = snapshot.organizations;
  assert.deepEqual([first?.id, first?.ref], [loud.id, loud.ref]);
  assert.ok((first?.turns ?? 0) > (second?.turns ?? 0));
  const number = partitionOf('channel', loud.main);
  const [partition] = snapshot.partitions;
  assert.equal(partition?.partition, partitionName({ kind: 'conversation', number }));
  const owner = snapshot.processes.find(({ id }) => id === partition?.process);
  assert.deepEqual([owner?.role, owner?.pid], ['actors', stack.pid('actors')]);
  assert.ok((owner?.turns ?? 0) > 0);
  assert.equal(owner?.sharePercent, 100);
  assert.ok((snapshot.requests['2xx'] ?? 0) >= (snapshot.rates.accepted ?? 0));
  assert.ok((snapshot.rates.events ?? 0) > 0);
  for (const [what, { p50, p99 }] of Object.entries(snapshot.latencies)) {
    assert.ok(p50 !== null && p99 !== null && p50 <= p99, what);
  }
  assert.deepEqual(snapshot.missing, []);
  assert.equal(snapshot.url, stack.baseUrl);
  assert.deepEqual(
    snapshot.backlog?.map(({ agenda }) => agenda),
    ['sends', 'deliveries', 'scheduled', 'timers', 'reminders'],
  );
});

test('without a terminal it prints one interval as text, and no control character', async () => {
  const { code, stdout, stderr } = await stack.spawnRecado(['top', '--every', '0.5']);
  assert.equal(code, 0, stderr);
  for (const title of ['REQUESTS', 'LATENCY ms', 'BACKLOG', 'PROCESSES', 'PARTITIONS']) {
    assert.ok(stdout.includes(title), `${title} in ${stdout}`);
  }
  assert.doesNotMatch(stdout.replaceAll('\n', ''), /\p{Cc}/u);
  for (const line of stdout.split('\n')) assert.ok([...line].length <= 100, line);
});

test('a wrong interval is refused', async () => {
  for (const every of ['0', '-1', 'x', '1e9']) {
    assert.equal((await stack.recado(['top', '--once', '--every', every])).code, 2, every);
  }
});

function snapshotsOf(program: Launched): readonly Snapshot[] {
  const lines = program.output().split('\n').slice(0, -1);
  return lines.map((line) => v.parse(SnapshotSchema, JSON.parse(line)));
}

test('it goes on while actors, gateway and NATS server are killed, and no rate is negative', async () => {
  const every = ['top', '--json', '--every', '0.5'];
  const program = launch([MAIN, ...every], { DATA_DIR: stack.dataDir });
  try {
    await program.until(() => snapshotsOf(program).length > 1, 'two intervals are told');
    for (const role of ['actors', 'gateway', 'nats']) {
      const killed = stack.pid(role);
      await killHard(stack, role);
      const seen = snapshotsOf(program).length;
      const isWhole = ({ missing, silent, processes, seconds }: Snapshot) => {
        const pids = processes.map(({ pid }) => pid);
        const roles = new Set(processes.map((each) => each.role));
        const there = missing.length === 0 && silent.length === 0 && seconds > 0;
        return there && roles.has('actors') && roles.has('gateway') && !pids.includes(killed);
      };
      const found = () => snapshotsOf(program).slice(seen).some(isWhole);
      await program.until(found, `the service is whole again after ${role}`);
    }
  } finally {
    assert.equal(await program.stop(), 0);
  }
});

const HAS_SCRIPT = spawnSync('script', ['--version']).status === 0;

interface Terminal {
  readonly pid: number;
  readonly device: string;
  output(): string;
  type(keys: string): void;
  readonly ended: Promise<unknown>;
}

/** `recado top` in a pseudo-terminal of 100 columns and 30 rows. */
async function inTerminal(settings: Readonly<Record<string, string>> = {}): Promise<Terminal> {
  const command = `stty cols 100 rows 30; echo "at $$ $(tty) "; exec "$NODE" ${MAIN} top --every 0.5`;
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    cwd: ROOT,
    env: {
      ...{ ...environment(), DATA_DIR: stack.dataDir, NODE: process.execPath },
      ...{ SHELL: '/bin/sh', ...settings },
    },
  });
  const output = outputOf(child);
  const ended = once(child, 'close').then(() => child.exitCode);
  const place = await waitUntil('the shell tells its place', () =>
    /at (?<pid>\d+) (?<device>\/\S+) /.exec(output()),
  );
  const { pid, device = '' } = place.groups ?? {};
  await waitUntil('it shows the processes', () => output().includes('PROCESSES'));
  return { pid: Number(pid), device, output, type: (keys) => child.stdin.write(keys), ended };
}

/** The screen of before is back, and nothing follows it. */
function assertRestored(output: string): void {
  assert.ok(output.includes(ENTER));
  const rest = output.slice(output.lastIndexOf(FRAME));
  assert.match(rest, /\?25h/, 'the cursor is back');
  assert.ok(rest.trimEnd().endsWith(LEAVE), JSON.stringify(rest.slice(-200)));
}

for (const [what, end] of [
  ['q', ({ type }) => type('q')],
  ['Ctrl-C', ({ type }) => type('\u0003')],
  ['SIGINT', ({ pid }) => process.kill(pid, 'SIGINT')],
  ['SIGTERM', ({ pid }) => process.kill(pid, 'SIGTERM')],
] as const satisfies readonly (readonly [string, (terminal: Terminal) => unknown])[]) {
  test(`a terminal has its screen back after ${what}`, { skip: !HAS_SCRIPT }, async () => {
    const terminal = await inTerminal();
    end(terminal);
    assert.equal(await terminal.ended, 0);
    assertRestored(terminal.output());
    assert.equal(runs(terminal.pid), false);
  });
}

test('the window follows the size of its terminal', { skip: !HAS_SCRIPT }, async () => {
  const terminal = await inTerminal({ NO_COLOR: '1' });
  assert.equal(spawnSync('stty', ['-F', terminal.device, 'cols', '30', 'rows', '6']).status, 0);
  const lastFrame = () => terminal.output().split(FRAME).slice(1, -1).at(-1) ?? '';
  const frame = await waitUntil('a small frame', () => {
    const lines = lastFrame()
      .replace(/\p{Cc}\[[?\d]*[A-Za-z]/gu, '')
      .split('\n');
    return lines.length === 6 ? lines : null;
  });
  for (const line of frame) assert.ok(line.replaceAll('\r', '').length <= 30, line);
  terminal.type('q');
  assert.equal(await terminal.ended, 0);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a colour begins with one
  assert.doesNotMatch(terminal.output(), /\u001b\[[\d;]*m/, 'NO_COLOR');
});
