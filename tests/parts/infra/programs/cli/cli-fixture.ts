/**
 * Fixture of the command line: a real NATS server, and behind it the pure decisions about
 * organizations, kept in memory.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { decideOrganization } from '../../../../../actors/domain/organization/decide.ts';
import { organizationChanges } from '../../../../../actors/domain/organization/written.ts';
import type { OrganizationState } from '../../../../../actors/domain/organization.ts';
import { systemClock } from '../../../../../infra/adapters/clock/clock.ts';
import { createIds } from '../../../../../infra/adapters/ids/ids.ts';
import { connectBus } from '../../../../../infra/adapters/nats/bus.ts';
import { PARTITIONS } from '../../../../../shared/limits.ts';
import type { Answer, CommandOf, IncomingAsk } from '../../../../../shared/ports/bus.ts';
import type { Log } from '../../../../../shared/ports/log.ts';
import { parseOrganizationCommand } from '../../../../../shared/provisioning/commands.ts';
import type { RetryDeliveries } from '../../../../../shared/wire/subscription-commands.ts';
import { contextAt, NOW } from '../../../../support/actors/domain/organization-fixture.ts';
import {
  runHere,
  type Surroundings,
  spawnRecado,
  withoutNotices,
} from '../../../../support/command-line.ts';
import type { Ran } from '../../../../support/run-program.ts';

const ROOT = resolve(import.meta.dirname, '../../../../..');
const SALT = Buffer.alloc(32, 7);

/** A contact's name that a terminal would obey: clipboard, title, hidden text, a turned line. */
export const HOSTILE = 'Ana\u001b]52;c;cm0=\u0007\u009d0;x\u009c\u001b[8m\u202e\r\u007f';

const quiet = (): void => undefined;
const log: Log = { debug: quiet, info: quiet, warn: quiet, error: quiet };

interface Given {
  readonly input?: string;
  readonly env?: NodeJS.ProcessEnv;
}

interface Retry extends RetryDeliveries {
  /** Of the subscription. */
  readonly key: string;
}

export interface CliFixture {
  readonly folder: string;
  readonly states: ReadonlyMap<string, OrganizationState>;
  /** Commands to subscriptions, as they arrived. */
  readonly retries: Retry[];
  /** Runs `recado …args` in this process. */
  run(args: readonly string[], given?: Given): Promise<Ran>;
  /** Like `run`, as a process of its own. */
  spawn(args: readonly string[], given?: Given): Promise<Ran>;
  close(): Promise<void>;
}

/** Nothing of a service around this process reaches the command. */
export function surroundings(folder: string): Surroundings & { readonly cwd: string } {
  const { NATS_URL: _nats, MONGODB_URL: _mongo, INIT_CWD: _cwd, ...rest } = process.env;
  return { env: { ...rest, DATA_DIR: folder }, cwd: folder };
}

async function startNats(): Promise<{ server: ChildProcess; url: string }> {
  const binary = join(ROOT, '.runtime/bin/nats-server');
  const server = spawn(binary, ['-a', '127.0.0.1', '-p', '-1'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  for await (const line of createInterface({ input: server.stderr })) {
    const [, address] = /Listening for client connections on (\S+)/.exec(line) ?? [];
    if (address !== undefined) {
      server.stderr.resume();
      return { server, url: `nats://${address}` };
    }
  }
  throw new Error('the NATS server did not start');
}

function json(status: number, value: unknown): Answer {
  return { status, body: JSON.stringify(value) };
}

type Queries = Readonly<Record<string, (payload: Record<string, unknown>) => Answer>>;

function queriesOf(states: ReadonlyMap<string, OrganizationState>): Queries {
  return {
    installation: () => json(200, { salt: SALT.toString('base64') }),
    organizations: () => {
      const listed = [...states.values()].map(({ id, ref, name }) => ({ id, ref, name }));
      return json(200, listed);
    },
    'key-owner': ({ keyId }) => {
      const owner = [...states.values()].find(({ keys }) => keys.some(({ id }) => id === keyId));
      return owner ? json(200, { orgId: owner.id }) : json(404, { error: 'There is no such key.' });
    },
    deliveries: (payload) => json(200, { data: [{ id: 'dlv_1', event: 'deal.won', ...payload }] }),
    contacts: () => json(200, { data: [{ id: 'con_1', name: HOSTILE }], total: 1 }),
    contact: () => json(404, { error: `There is no ${HOSTILE}.` }),
    delivery: ({ id }) =>
      String(id).startsWith('dlv_')
        ? json(200, { id, subscriptionId: 'sub_1', body: '{"event":"deal.won"}' })
        : json(404, { error: 'There is no such delivery.' }),
  };
}

/** Decides on the organizations as their actor does, without a store. */
function decider(states: Map<string, OrganizationState>) {
  const context = { ...contextAt(NOW), ids: createIds(SALT) };
  const made = new Set<string>();
  return (key: string, command: CommandOf): Answer => {
    const parsed = parseOrganizationCommand(command);
    if (!parsed) return json(500, { error: 'not a command' });
    const state = states.get(key) ?? null;
    const { status, body, next, checked, tags } = decideOrganization(state, parsed, context);
    if (next) states.set(key, next);
    const add = tags.add.filter((tag) => !made.has(`${key} ${tag}`));
    if (parsed.type === 'apply' && !parsed.check) for (const tag of add) made.add(`${key} ${tag}`);
    const changes = checked && organizationChanges(state, checked.after, { add, remove: [] });
    return json(status, Object.assign({}, body, changes));
  };
}

export async function openCliFixture(): Promise<CliFixture> {
  const folder = await mkdtemp(join(tmpdir(), 'recado-cli-'));
  const { server, url } = await startNats();
  const bus = await connectBus({ natsUrl: url, clock: systemClock, log, processId: 'stage' });
  const states = new Map<string, OrganizationState>();
  const retries: Retry[] = [];
  const decide = decider(states);
  for (let number = 0; number < PARTITIONS; number++) {
    bus.own(
      { kind: 'organization', number },
      { ask: (ask) => ask.answer(decide(ask.address.key, ask.command)), nudge: quiet },
    );
    const retry = ({ command, address, answer }: IncomingAsk) => {
      if (command.type !== 'retry') return;
      retries.push({ ...command, key: address.key });
      answer(json(200, { retried: 2 }));
    };
    bus.own({ kind: 'subscription', number }, { ask: retry, nudge: quiet });
  }
  for (const [resource, answer] of Object.entries(queriesOf(states))) {
    bus.answerQueries(resource, async (payload) => answer(Object(payload)));
  }
  const runFile = JSON.stringify({ natsUrl: url, mongodbUrl: 'mongodb://127.0.0.1:1' });
  await writeFile(join(folder, 'run.json'), runFile);
  const around = ({ input = '', env }: Given = {}): Surroundings => {
    const base = surroundings(folder);
    return { ...base, env: { ...base.env, ...env }, input };
  };
  return {
    ...{ folder, states, retries },
    run: async (args, given) => withoutNotices(await runHere(args, around(given))),
    spawn: async (args, given) => withoutNotices(await spawnRecado(args, around(given))),
    async close() {
      await bus.close();
      server.kill();
      if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}
