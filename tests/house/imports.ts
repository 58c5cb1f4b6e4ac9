/** Rule of imports: which folder may import which. Imports of types count. */
import { dirname, join, normalize } from 'node:path';
import {
  isCallExpression,
  isExportDeclaration,
  isImportDeclaration,
  isImportTypeNode,
  isLiteralTypeNode,
  isStringLiteral,
  type Node,
  SyntaxKind,
} from 'typescript/unstable/ast';
import { type Finding, found, nodesOf, type Rule, type Source } from '../../infra/tools/source.ts';

export interface Import {
  readonly node: Node;
  /** A path from the root for our own files, else the package or `node:` module as written. */
  readonly target: string;
  readonly own: boolean;
}

function specifierOf(node: Node): Node | undefined {
  if (isImportDeclaration(node) || isExportDeclaration(node)) return node.moduleSpecifier;
  if (isCallExpression(node) && node.expression.kind === SyntaxKind.ImportKeyword) {
    return node.arguments[0];
  }
  if (isImportTypeNode(node) && isLiteralTypeNode(node.argument)) return node.argument.literal;
  return undefined;
}

export function importsOf(source: Source): readonly Import[] {
  const imports: Import[] = [];
  for (const node of nodesOf(source.tree)) {
    const specifier = specifierOf(node);
    if (!specifier || !isStringLiteral(specifier)) continue;
    const name = specifier.text;
    const own = /^[.#]/.test(name);
    imports.push({ node, own, target: own ? ownPath(source.path, name) : name });
  }
  return imports;
}

/** Names such as `#shared/a.ts` begin at the root (`imports` of `package.json`). */
function ownPath(from: string, name: string): string {
  return name.startsWith('#') ? name.slice(1) : normalize(join(dirname(from), name));
}

interface Law {
  /** Folders whose files, not those of a longer match, are bound by it. */
  readonly of: string;
  readonly own: readonly string[];
  readonly packages: readonly string[];
  readonly node: boolean;
}

/** The first that matches counts. Only a process's `main.ts` may wire `infra` into the others. */
const LAWS: readonly Law[] = [
  { of: 'actors/main.ts', own: ['actors', 'infra', 'shared'], packages: ['*'], node: true },
  { of: 'gateway/main.ts', own: ['gateway', 'infra', 'shared'], packages: ['*'], node: true },
  {
    of: 'gateway/panel/main.ts',
    own: ['gateway', 'infra', 'shared'],
    packages: ['*'],
    node: true,
  },
  // The kit is made from the gateway's document.
  { of: 'infra/kit/main.ts', own: ['gateway', 'infra'], packages: [], node: true },
  // As flows and the panel's pages write them.
  { of: 'shared/liquid/', own: ['shared'], packages: ['liquidjs'], node: false },
  {
    of: 'shared/',
    own: ['shared'],
    packages: ['valibot', 'libphonenumber-js', 'temporal-polyfill'],
    node: false,
  },
  { of: 'actors/domain/', own: ['shared', 'actors/domain'], packages: [], node: false },
  { of: 'actors/', own: ['shared', 'actors'], packages: [], node: false },
  {
    of: 'gateway/server.ts',
    own: ['shared', 'gateway'],
    packages: ['uWebSockets.js'],
    node: false,
  },
  {
    of: 'gateway/json-schema.ts',
    own: ['shared', 'gateway'],
    packages: ['@valibot/to-json-schema', 'valibot'],
    node: false,
  },
  {
    of: 'gateway/panel/browser/flows/graph.ts',
    own: ['gateway/panel/browser'],
    packages: ['@dagrejs/dagre'],
    node: false,
  },
  {
    of: 'gateway/panel/browser/emoji/',
    own: ['shared', 'gateway/panel/browser'],
    packages: ['preact', 'emojibase-data'],
    node: false,
  },
  {
    of: 'gateway/panel/browser/conversations/state/ogg.ts',
    own: ['gateway/panel/browser'],
    packages: ['mediabunny'],
    node: false,
  },
  {
    of: 'gateway/panel/browser/',
    own: ['shared', 'gateway/panel/browser'],
    packages: ['preact', '@preact/signals'],
    node: false,
  },
  {
    of: 'gateway/panel/assets.ts',
    own: ['shared', 'gateway'],
    packages: ['esbuild'],
    node: true,
  },
  { of: 'gateway/docs/files.ts', own: ['gateway'], packages: [], node: true },
  { of: 'gateway/http/encoded-file.ts', own: [], packages: [], node: true },
  { of: 'gateway/', own: ['shared', 'gateway'], packages: ['valibot'], node: false },
  // Run before anything is installed.
  { of: 'infra/programs/setup/', own: ['infra/programs/setup'], packages: [], node: true },
  {
    of: 'infra/tools/launch/',
    own: ['infra/programs/setup', 'infra/tools/launch'],
    packages: [],
    node: true,
  },
  // Tools for developers, that no process of the service loads.
  {
    of: 'infra/tools/',
    own: ['infra', 'shared', 'tests'],
    packages: ['*'],
    node: true,
  },
  { of: 'infra/', own: ['infra', 'shared'], packages: ['*'], node: true },
];

/** Pure functions of the platform that reach neither time nor chance nor the world. */
const PURE_NODE: ReadonlySet<string> = new Set(['node:crypto', 'node:buffer']);

function allowed(law: Law, each: Import): boolean {
  const { target } = each;
  if (each.own) return law.own.some((folder) => target.startsWith(`${folder}/`));
  if (target.startsWith('node:')) {
    return law.node || (law.of === 'gateway/' && PURE_NODE.has(target));
  }
  return law.packages.some(
    (name) => name === '*' || target === name || target.startsWith(`${name}/`),
  );
}

export const importLaw: Rule = (source) => {
  const law = LAWS.find(({ of }) => source.path === of || source.path.startsWith(of));
  if (!law) return [];
  return importsOf(source)
    .filter((each) => !allowed(law, each))
    .map(({ node, target }) => found(source, node, `${law.of} may not import ${target}`));
};

/** Modules that cost every start more than their use is worth (D204); their types cost nothing. */
const SLOW: ReadonlySet<string> = new Set(['node:http', 'nodemailer']);
const STARTED = /^(actors|gateway|shared|infra\/(adapters|programs\/(?!setup\/)))/;

export const startLaw: Rule = (source) => {
  if (!STARTED.test(source.path)) return [];
  return importsOf(source)
    .filter(({ node, target }) => SLOW.has(target) && isImportDeclaration(node))
    .filter(({ node }) => !/^import type\b/.test(node.getText(source.tree)))
    .map(({ node, target }) => found(source, node, `${target} is loaded at the start`));
};

/** Small pure modules of `shared` that a page loads; of all others it may import types only. */
const LOADED_BY_PAGES: ReadonlySet<string> = new Set([
  'shared/events.ts',
  'shared/liquid/budget.ts',
  'shared/liquid/template.ts',
  'shared/panel/roles.ts',
  'shared/text/fold.ts',
  'shared/vocabulary.ts',
]);

/** A page loads no schemas, no tables of phone numbers and no sentences of the API. */
export const pageLaw: Rule = (source) => {
  if (!source.path.startsWith('gateway/panel/browser/')) return [];
  return importsOf(source)
    .filter(({ own, target }) => own && target.startsWith('shared/'))
    .filter(({ target }) => !LOADED_BY_PAGES.has(target))
    .filter(({ node }) => !/^(import|export) type\b/.test(node.getText(source.tree)))
    .map(({ node, target }) =>
      found(source, node, `a page loads ${target}: import its types only`),
    );
};

/** Each cycle of files once, told as the path that closes it. */
export function importCycles(sources: readonly Source[]): readonly Finding[] {
  const known = new Set(sources.map(({ path }) => path));
  const edges = sources.flatMap((source) =>
    importsOf(source)
      .filter(({ own, target }) => own && known.has(target))
      .map(({ node, target }) => ({ from: source.path, to: target, source, node })),
  );
  return cyclesOf(edges);
}

export interface Edge {
  readonly from: string;
  readonly to: string;
  /** The import that makes it. */
  readonly source: Source;
  readonly node: Node;
}

/** Each cycle of the graph once, found at the import that closes it. */
export function cyclesOf(edges: readonly Edge[]): readonly Finding[] {
  const leaving = Map.groupBy(edges, ({ from }) => from);
  const done = new Set<string>();
  const path: string[] = [];
  const findings: Finding[] = [];
  const visit = (name: string): void => {
    if (done.has(name)) return;
    path.push(name);
    for (const { to, source, node } of leaving.get(name) ?? []) {
      const at = path.indexOf(to);
      if (at < 0) visit(to);
      else findings.push(found(source, node, `cycle: ${[...path.slice(at), to].join(' → ')}`));
    }
    path.pop();
    done.add(name);
  };
  for (const { from } of edges) visit(from);
  return findings;
}
