/** Hunts of mutants in two threads, each of which keeps what its hunts have in common loaded. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Imports } from '../../../infra/tools/mutation-score/imports.ts';
import { type Answered, type Order, workOff } from '../../../infra/tools/mutation-score/threads.ts';
import { type Mutant, switchedOff } from './mutant.ts';
import type { Hunt, Told } from './thread.ts';

export interface Hunts {
  /** By the mutants' names. */
  readonly answers: ReadonlyMap<string, Promise<Answered<Told>>>;
  readonly ended: Promise<unknown>;
}

const WORLDS = 'tests/faults/simulation/batch.ts';
const PROGRAM = new URL('./thread.ts', import.meta.url);
const CODE = '{actors,gateway,infra,shared,tests}/**/*.ts';
/** The runtime strips them, and loads nothing for them. */
const IMPORTS_OF_TYPES = /^(?:import|export) type [^;]* from [^;]*;/gm;
const DEADLINE_MS = 150_000;
/** Worlds of a hunt, counted from where it begins. */
const SEEDS = 400;
/** As many as `npm test` simulates: one in ten of them is slow. */
const SLOW_AMONG_SEEDS = 500;

/** The worlds that are searched for a mutant. */
export function worldsOf(caughtBy: 'simulation' | 'slow worlds', from = 1) {
  const slowOnly = caughtBy === 'slow worlds';
  const count = slowOnly ? SLOW_AMONG_SEEDS + 1 - from : SEEDS;
  // The first world is the one that finds it: a second thread would run another beside it.
  return { from, count, slowOnly, untilBroken: true, workers: 1 };
}

/** @param root the project's */
export function startHunts(root: string, mutants: readonly Mutant[]): Hunts {
  const messageFor = messagesIn(root);
  const answers = new Map<string, Promise<Answered<Told>>>();
  const orderOf = (mutant: Mutant): Order<Told> => {
    const { promise, resolve } = Promise.withResolvers<Answered<Told>>();
    answers.set(mutant.name, promise);
    return { message: messageFor(mutant), deadlineMs: DEADLINE_MS, done: resolve };
  };
  const ofTests = mutants.filter(({ caughtBy }) => typeof caughtBy === 'object').map(orderOf);
  const ofWorlds = mutants.filter(({ caughtBy }) => typeof caughtBy === 'string').map(orderOf);
  // A thread with both would compile for each what the other half of them runs.
  const ended = Promise.all([workOff(ofWorlds, 1, PROGRAM), workOff(ofTests, 1, PROGRAM)]);
  return { answers, ended };
}

function messagesIn(root: string): (mutant: Mutant) => Hunt {
  const paths = globSync(CODE, { cwd: root, exclude: ['**/node_modules'] });
  const texts = new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
  const loading = [...texts].map(([path, text]) => ({
    path,
    text: text.replace(IMPORTS_OF_TYPES, ''),
  }));
  const imports = new Imports(loading);
  return (mutant) => {
    const { file, caughtBy, from } = mutant;
    const isWorlds = typeof caughtBy === 'string';
    const by = isWorlds ? WORLDS : caughtBy.test;
    const dependents = new Set(imports.dependents(file, imports.closure(by)));
    const text = switchedOff(mutant, texts.get(file) ?? '');
    const worlds = isWorlds ? worldsOf(caughtBy, from) : null;
    return { planted: { file, text, dependents }, file: by, worlds };
  };
}
