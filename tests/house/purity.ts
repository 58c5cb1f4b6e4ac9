/** Rules on what code may reach for: environment, clock, chance, types by decree. */
import {
  isAsExpression,
  isAwaitExpression,
  isCallExpression,
  isCatchClause,
  isExportAssignment,
  isFunctionLikeDeclaration,
  isNewExpression,
  isNonNullExpression,
  isPropertyAccessExpression,
  isThrowStatement,
  type Node,
  SyntaxKind,
} from 'typescript/unstable/ast';
import {
  type Finding,
  found,
  nodesOf,
  type Rule,
  type Source,
  textOf,
} from '../../infra/tools/source.ts';

type Says = (source: Source, node: Node) => string | null;

function everyNode(says: Says): Rule {
  return (source) => {
    const findings: Finding[] = [];
    for (const node of nodesOf(source.tree)) {
      const message = says(source, node);
      if (message !== null) findings.push(found(source, node, message));
    }
    return findings;
  };
}

/** Limits a rule to the paths that it binds. */
function where(binds: (path: string) => boolean, rule: Rule): Rule {
  return (source) => (binds(source.path) ? rule(source) : []);
}

const isTest = (path: string): boolean => path.startsWith('tests/');
const isAdapter = (path: string): boolean => path.startsWith('infra/');
const isMain = (path: string): boolean => /^(actors|gateway|gateway\/panel)\/main\.ts$/.test(path);
/** The adapter of the panel's pages, beside which no file of theirs reaches for time or chance. */
const isPageClock = (path: string): boolean => path === 'gateway/panel/browser/clock.ts';

/** The listener's program is an integrator's: it has no configuration of the service. */
const ENVIRONMENT_READERS = /^infra\/(config\/|programs\/setup\/|kit\/client\/listen\/main\.ts$)/;

export const environment: Rule = where(
  (path) => !isTest(path) && !ENVIRONMENT_READERS.test(path),
  everyNode((source, node) =>
    isPropertyAccessExpression(node) && textOf(source, node) === 'process.env'
      ? 'process.env is read in infra/config only'
      : null,
  ),
);

const CLOCK_AND_CHANCE: ReadonlySet<string> = new Set([
  'Date.now',
  'Math.random',
  'performance.now',
  'process.hrtime',
  'process.uptime',
  'crypto.randomUUID',
  'crypto.getRandomValues',
  'setTimeout',
  'setInterval',
  'randomBytes',
  'randomUUID',
]);

function reachesForTime(source: Source, node: Node): boolean {
  if (isCallExpression(node)) return CLOCK_AND_CHANCE.has(textOf(source, node.expression));
  if (!isNewExpression(node) || textOf(source, node.expression) !== 'Date') return false;
  return (node.arguments?.length ?? 0) === 0;
}

/** A process's main holds the real parts in its hands, the adapters are the real parts. */
export const timeAndChance: Rule = where(
  (path) => !isTest(path) && !isAdapter(path) && !isMain(path) && !isPageClock(path),
  everyNode((source, node) =>
    reachesForTime(source, node) ? 'time and chance come through ports' : null,
  ),
);

export const synchronousDomain: Rule = where(
  (path) => path.startsWith('actors/domain/'),
  everyNode((_, node) => {
    if (isAwaitExpression(node)) return 'the domain does not wait';
    if (!isFunctionLikeDeclaration(node) || !('modifiers' in node)) return null;
    const asynchronous = node.modifiers?.some(({ kind }) => kind === SyntaxKind.AsyncKeyword);
    return asynchronous === true ? 'the domain does not wait' : null;
  }),
);

const byDecree: Says = (source, node) => {
  if (node.kind === SyntaxKind.AnyKeyword) return 'any';
  if (isNonNullExpression(node)) return 'non-null by decree';
  if (!isAsExpression(node) || textOf(source, node.type) === 'const') return null;
  return `as ${textOf(source, node.type)}`;
};

/** Type assertions allowed outside the adapters, each with its reason. */
const DECREED: ReadonlyMap<string, string> = new Map([
  ['actors/runtime/turn.ts', 'the handler under a command’s type takes that command'],
  ['actors/channel/actor.ts', 'a nudge of ours'],
  ['actors/subscription/actor.ts', 'a nudge of ours'],
  ['actors/queries/serve.ts', 'each query has its own input'],
  ['gateway/route.ts', 'a schema and its output are told apart by the row of the table only'],
]);

const isBound = (path: string): boolean => !isTest(path) && !isAdapter(path);
const decrees = everyNode(byDecree);

/** Types by decree, where no foreign value comes in. */
export const decreedTypes: Rule = where((path) => isBound(path) && !DECREED.has(path), decrees);

/** The exceptions that are none any more. */
export function needlessExceptions(sources: readonly Source[]): readonly string[] {
  const needed = new Set(
    sources.filter((source) => decrees(source).length > 0).map(({ path }) => path),
  );
  return [...DECREED.keys()].filter((path) => !needed.has(path));
}

export const defaultExport: Rule = everyNode((_, node) => {
  if (isExportAssignment(node)) return 'no default exports';
  return node.kind === SyntaxKind.DefaultKeyword && node.parent.kind !== SyntaxKind.DefaultClause
    ? 'no default exports'
    : null;
});

export const emptyCatch: Rule = everyNode((_, node) =>
  isCatchClause(node) && node.block.statements.length === 0 ? 'empty catch' : null,
);

/** An error thrown from a catch must name its cause. */
export const lostCause: Rule = everyNode((source, node) => {
  if (!isThrowStatement(node) || !node.expression || !isNewExpression(node.expression)) return null;
  let parent: Node = node.parent;
  while (!isCatchClause(parent)) {
    if (isFunctionLikeDeclaration(parent) || parent.kind === SyntaxKind.SourceFile) return null;
    parent = parent.parent;
  }
  return /\bcause\b/.test(textOf(source, node.expression)) ? null : 'thrown on without its cause';
});
