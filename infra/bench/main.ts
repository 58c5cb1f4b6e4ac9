/**
 * `npm run bench`: POST /api/v1/messages with everything on, against the floor of the same parts
 * (uWebSockets.js → NATS by the client library's request → one worker that group-commits one
 * journaled insert), in alternating rounds of one run. Only ratios and medians are worth quoting.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment } from '../config/process-config.ts';
import { freePort } from '../supervisor/ports.ts';
import { type LoadResult, runLoad } from './load.ts';

const CONNECTIONS = [1, 16, 64, 128, 256];
const ROUNDS = 3;
const SECONDS = 4;
const PHONES = 2_000;
const TOKEN = 'bench-token-0123456789-0123456789';

const FILE = {
  orgs: [
    {
      ref: 'bench',
      name: 'Bench',
      limits: { perKey: 1e9, perOrg: 1e9 },
      channels: [
        {
          ref: 'main',
          label: 'Bench',
          provider: 'cloud',
          phone: '+55 11 4000-1000',
          enabled: true,
          network: {
            baseUrl: 'sandbox',
            phoneNumberId: '9001',
            accessToken: 'bench',
            appSecret: 'bench',
            verifyToken: 'bench',
          },
        },
      ],
      keys: [{ ref: 'bench', name: 'Bench', scope: 'account', token: TOKEN }],
    },
  ],
};

const children: ChildProcess[] = [];
const folder = mkdtempSync(join(tmpdir(), 'recado-bench-'));

/** Resolves at the first line of output that holds `sign`. */
function start(args: readonly string[], sign: string, env = environment()): Promise<void> {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (text: string) => {
    if (text.includes(sign)) resolve();
  });
  child.on('exit', (code) => reject(new Error(`${args[0]} ended with ${code}`)));
  return promise;
}

function requestTo(host: string, path: string, body: (n: number) => object) {
  return (n: number): string => {
    const text = JSON.stringify(body(n));
    return `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function show(result: readonly LoadResult[], pick: (result: LoadResult) => number): number {
  return Math.round(median(result.map(pick)) * 10) / 10;
}

function rowOf(connections: number, recado: readonly LoadResult[], floor: readonly LoadResult[]) {
  return {
    connections,
    'recado /s': show(recado, (r) => r.perSecond),
    'floor /s': show(floor, (r) => r.perSecond),
    ratio:
      Math.round(
        (100 * median(recado.map((r) => r.perSecond))) / median(floor.map((r) => r.perSecond)),
      ) / 100,
    'recado p50 ms': show(recado, (r) => r.p50Ms),
    'floor p50 ms': show(floor, (r) => r.p50Ms),
    'recado p99 ms': show(recado, (r) => r.p99Ms),
    'floor p99 ms': show(floor, (r) => r.p99Ms),
    refused: recado.reduce((sum, r) => sum + r.refused, 0),
  };
}

async function run(): Promise<void> {
  const env = { ...environment(), DATA_DIR: join(folder, 'data'), PORT: '0', LOG_LEVEL: 'info' };
  await start(['infra/supervisor/main.ts', '--no-demo'], 'is ready at', env);
  const runFile = JSON.parse(readFileSync(join(folder, 'data', 'run.json'), 'utf8'));
  const applied = JSON.parse(
    execFileSync(process.execPath, ['infra/cli/main.ts', 'apply', '-'], {
      env,
      input: JSON.stringify(FILE),
    }).toString(),
  );
  const channelId: string = applied.orgs.bench.channels.main.id;
  const floorPort = await freePort('127.0.0.1');
  await start(['infra/bench/floor-worker.ts', runFile.natsUrl, runFile.mongodbUrl], 'working');
  await start(['infra/bench/floor-gateway.ts', runFile.natsUrl, `${floorPort}`], 'listening');
  const { port } = new URL(runFile.baseUrl);
  const body = (n: number): object => ({
    channelId,
    phone: `+55 11 9${String(n % PHONES).padStart(4, '0')}-1000`,
    text: `Mensagem de número ${n}`,
  });
  const sides = {
    recado: { port: Number(port), request: requestTo('recado', '/api/v1/messages', body) },
    floor: { port: floorPort, request: requestTo('floor', '/', body) },
  };
  for (const side of Object.values(sides)) {
    await runLoad({ ...side, host: '127.0.0.1', connections: 64, seconds: 6 });
  }
  const table = [];
  for (const connections of CONNECTIONS) {
    const results: Record<string, LoadResult[]> = { recado: [], floor: [] };
    for (let round = 0; round < ROUNDS; round++) {
      for (const [name, side] of Object.entries(sides)) {
        const options = { ...side, host: '127.0.0.1', connections, seconds: SECONDS };
        results[name]?.push(await runLoad(options));
      }
    }
    table.push(rowOf(connections, results.recado ?? [], results.floor ?? []));
  }
  console.table(table);
}

try {
  await run();
} finally {
  await Promise.all(
    children.toReversed().map((child) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      child.once('exit', () => resolve());
      child.removeAllListeners('exit').once('exit', () => resolve());
      child.kill('SIGTERM');
      return promise;
    }),
  );
  rmSync(folder, { recursive: true, force: true });
}
