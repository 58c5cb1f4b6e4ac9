/**
 * The parts of a run as processes that can be killed, stopped and restarted one by one. Each that
 * dies is started again as `npm start` would.
 */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createLog } from '../../../../infra/adapters/log/log.ts';
import { Child } from '../../../../infra/programs/service/supervisor/children/child.ts';
import { DeathReporter } from '../../../../infra/programs/service/supervisor/children/death-reporter.ts';
import { OrphanReaper } from '../../../../infra/programs/service/supervisor/children/orphan-reaper.ts';
import { spawnRecado } from '../../../support/command-line.ts';
import { processesNaming } from '../../../support/processes.ts';
import { waitFor } from '../../../support/wait-for.ts';
import type { Layout } from './plans.ts';

const STOP_ORDER = [
  { roles: ['subscriber'], graceMs: 300 },
  { roles: ['gateway'], graceMs: 5_200 },
  { roles: ['actors'], graceMs: 2_500 },
  { roles: ['network'], graceMs: 300 },
  { roles: ['nats', 'mongo'], graceMs: 1_000 },
];
const READY = { what: 'the service is ready' };

export class Parts {
  readonly #layout: Layout;
  readonly #children: ReadonlyMap<string, Child>;
  readonly #guard = new OrphanReaper(() => undefined);
  readonly #notices: DeathReporter;
  #told = true;

  private constructor(layout: Layout) {
    this.#layout = layout;
    this.#notices = new DeathReporter(
      layout.store.mongodbUrl,
      createLog({ level: 'silent', role: 'chaos' }),
    );
    const listener = {
      changed: () => this.#guard.watch(this.#pids()),
      died: (child: Child, { processId }: { readonly processId: string }) => {
        if (child.plan.role === 'actors' && this.#told) void this.#notices.markDead(processId);
      },
      refused: (_child: Child, sentence: string) => {
        throw new Error(sentence);
      },
    };
    this.#children = new Map(
      layout.parts.map(({ name, plan }) => [name, new Child(plan, listener)]),
    );
  }

  static async start(layout: Layout): Promise<Parts> {
    for (const name of ['tmp', 'data']) mkdirSync(join(layout.folder, name), { recursive: true });
    const parts = new Parts(layout);
    for (const child of parts.#children.values()) child.start();
    try {
      await waitFor(() => isReady(layout.baseUrl), READY);
      void parts.#notices.connect();
      return parts;
    } catch (cause) {
      await parts.stop();
      throw new Error(`the service did not start, see ${layout.folder}`, { cause });
    }
  }

  get names(): readonly string[] {
    return [...this.#children.keys()];
  }

  /** False while it is between two lives. */
  signal(name: string, signal: NodeJS.Signals): boolean {
    const pid = this.#children.get(name)?.pid ?? null;
    if (pid !== null) process.kill(pid, signal);
    return pid !== null;
  }

  /** Whether the next deaths of actors are told to the others, or found by their leases. */
  tellDeaths(told: boolean): void {
    this.#told = told;
  }

  async recado(args: readonly string[], input = ''): Promise<string> {
    return await runCommandLine(this.#layout, args, input);
  }

  /** Also fails when a process remains. */
  async stop(): Promise<void> {
    await this.#notices.close();
    for (const { roles, graceMs } of STOP_ORDER) {
      const mine = [...this.#children.values()].filter(({ plan }) => roles.includes(plan.role));
      await Promise.all(mine.map((child) => child.stop(graceMs)));
    }
    await this.#guard.close();
    await this.#layout.store.close();
    await Promise.all(this.#layout.links.map((link) => link.close()));
    const left = processesNaming(this.#layout.folder);
    for (const pid of left) process.kill(pid, 'SIGKILL');
    if (left.length > 0) throw new Error(`processes remained: ${left.join(', ')}`);
  }

  #pids(): readonly number[] {
    return [...this.#children.values()].flatMap(({ pid }) => pid ?? []);
  }
}

async function isReady(baseUrl: string): Promise<boolean> {
  try {
    const response = await fetch(`${baseUrl}/readyz`, { signal: AbortSignal.timeout(2_000) });
    await response.arrayBuffer();
    return response.status === 200;
  } catch (error) {
    // The server does not listen yet, or is paused.
    if (error instanceof Error) await pause(50);
    return false;
  }
}

async function runCommandLine(
  { env, folder }: Layout,
  args: readonly string[],
  input: string,
): Promise<string> {
  const { code, stdout, stderr } = await spawnRecado(args, { env: { ...env }, input });
  if (code === 0) return stdout;
  throw new Error(`recado ${args[0]} failed, see ${folder}: ${stderr}`);
}
