/** The mutation score of files of the source: what the tests notice of small faults in them. */
import { join } from 'node:path';
import { parse, ROOT, type TextFile } from '../source.ts';
import { refusedBy } from './compiler.ts';
import type { Equivalent } from './equivalents/equivalent.ts';
import { Imports } from './imports.ts';
import { type Mutation, mutated, mutatedLines, oneLine, type Verdict } from './mutation.ts';
import { mutationsOf } from './operators.ts';
import type { Results } from './results.ts';
import { surveyTests } from './survey.ts';
import { keyOf, tryAll } from './trials.ts';

/** Of this process: several may measure at once. */
const COMPILED = join(ROOT, '.runtime', 'mutation-score', `compiled-${process.pid}`);
const PROGRAM = 'infra/tools/mutation-score/thread.ts';

export interface Scoring {
  readonly files: readonly TextFile[];
  /** Paths of the files to mutate. */
  readonly targets: readonly string[];
  readonly equivalents: readonly Equivalent[];
  readonly results: Results;
  readonly threads: number;
  readonly onVerdict?: (mutation: Mutation, verdict: Verdict) => void;
}

export interface FileScore {
  readonly file: string;
  readonly counted: number;
  readonly killed: number;
  readonly equivalent: number;
  readonly invalid: number;
}

export interface Score {
  readonly byFile: readonly FileScore[];
  readonly survivors: readonly Mutation[];
  /** Entries that name no surviving mutation. */
  readonly stale: readonly Equivalent[];
}

export async function scoreOf(scoring: Scoring): Promise<Score> {
  const { files, results, targets, threads, onVerdict } = scoring;
  const imports = new Imports(files);
  const version = imports.digest(PROGRAM);
  const base = { imports, results, threads, version };
  const sources = parse(files.filter(({ path }) => targets.includes(path)));
  const mutations = sources.flatMap(mutationsOf);
  const refused = await refusals(base, mutations);
  const tests = await surveyTests(base, imports.pureTests(targets), targets);
  const valid = mutations.filter((each) => !refused.has(each));
  const verdicts = await tryAll({ ...base, tests, ...(onVerdict && { onVerdict }) }, valid);
  const survivors = valid.filter((each) => isMissed(verdicts.get(each)));
  const { missed, named, stale } = compare(scoring, imports, survivors);
  const byFile = targets.map((file) => {
    const of = (some: Iterable<Mutation>): number =>
      [...some].filter((each) => each.file === file).length;
    const counted = of(valid) - of(named);
    const killed = counted - of(missed);
    return { file, counted, killed, equivalent: of(named), invalid: of(refused) };
  });
  return { byFile, survivors: missed, stale };
}

function isMissed(verdict: Verdict | undefined): boolean {
  return verdict?.status === 'survived' || verdict?.status === 'uncovered';
}

/** The survivors without those that are named as equivalent. */
function compare({ equivalents, targets }: Scoring, imports: Imports, all: readonly Mutation[]) {
  const textOf = (each: Mutation): string => mutatedLines(imports.text(each.file), each);
  const isNamed = (each: Mutation, { file, text }: Equivalent): boolean =>
    each.file === file && textOf(each) === oneLine(text);
  const named = all.filter((each) => equivalents.some((entry) => isNamed(each, entry)));
  return {
    named,
    missed: all.filter((each) => !named.includes(each)),
    stale: equivalents.filter(
      (entry) => targets.includes(entry.file) && !named.some((each) => isNamed(each, entry)),
    ),
  };
}

async function refusals(
  base: Parameters<typeof keyOf>[0],
  mutations: readonly Mutation[],
): Promise<ReadonlySet<Mutation>> {
  const { imports, results } = base;
  const keys = new Map(
    mutations.map((each) => [each, `${imports.digest(each.file)} ${keyOf(base, each)}`]),
  );
  const key = (each: Mutation): string => keys.get(each) ?? '';
  const unknown = mutations.filter((each) => results.refused.get(key(each)) === null);
  const texts = unknown.map((each) => ({
    file: each.file,
    text: mutated(imports.text(each.file), each),
  }));
  const refused = await refusedBy(texts, COMPILED);
  for (const [index, each] of unknown.entries()) {
    results.refused.set(key(each), refused[index] === true);
  }
  return new Set(mutations.filter((each) => results.refused.get(key(each)) === true));
}
