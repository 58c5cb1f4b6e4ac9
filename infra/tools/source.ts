/** The project's files as the house rules see them: path, text, and for code its syntax tree. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Node, SourceFile } from 'typescript/unstable/ast';
import { createVirtualFileSystem } from 'typescript/unstable/fs';
import { API } from 'typescript/unstable/sync';

export const ROOT = join(import.meta.dirname, '..', '..');

/** Paths that `.gitignore` leaves out, and Git's own folder. */
const NOT_OURS: ReadonlySet<string> = new Set(['.git', 'node_modules', '.runtime', 'data']);
const CODE = /\.(tsx?|mjs)$/;
const NOT_TEXT = /\.(log|png)$/;
const VIRTUAL = '/tidy';
const CONFIG = `${VIRTUAL}/tsconfig.json`;

export interface TextFile {
  /** From the project's root, with `/`. */
  readonly path: string;
  readonly text: string;
}

export interface Source extends TextFile {
  readonly tree: SourceFile;
}

export interface Finding {
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  readonly message: string;
}

export type Rule<T extends TextFile = Source> = (file: T) => readonly Finding[];

function listFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (NOT_OURS.has(entry.name) || NOT_TEXT.test(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return listFiles(path);
    return entry.isFile() ? [path] : [];
  });
}

let read: readonly TextFile[] | null = null;

/** Read once: every rule sees the same files. */
export function readTexts(): readonly TextFile[] {
  read ??= listFiles(ROOT)
    .map((path) => ({ path: relative(ROOT, path), text: readFileSync(path, 'utf8') }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  return read;
}

const parsed = new Map<TextFile, Source>();

/** Each file is parsed once. */
export function parse(texts: readonly TextFile[]): readonly Source[] {
  const code = texts.filter(({ path }) => CODE.test(path));
  const fresh = code.filter((text) => !parsed.has(text));
  for (const [index, source] of parseAnew(fresh).entries()) {
    const text = fresh[index];
    if (text) parsed.set(text, source);
  }
  return code.flatMap((text) => parsed.get(text) ?? []);
}

/**
 * Parses by the compiler's own parser. Nothing is resolved, and each text lies in a folder of its
 * own: samples need no neighbours and may share a path.
 */
function parseAnew(code: readonly TextFile[]): readonly Source[] {
  if (code.length === 0) return [];
  const names = code.map(({ path }, index) => `${VIRTUAL}/${index}/${path}`);
  const config = {
    compilerOptions: { noLib: true, noResolve: true, types: [], allowJs: true, jsx: 'preserve' },
    files: names,
  };
  const files = Object.fromEntries(code.map(({ text }, index) => [names[index] ?? '', text]));
  files[CONFIG] = JSON.stringify(config);
  const api = new API({ cwd: VIRTUAL, fs: createVirtualFileSystem(files) });
  try {
    const project = api.updateSnapshot({ openProjects: [CONFIG] }).getProject(CONFIG);
    return code.map(({ path, text }, index) => {
      const tree = project?.program.getSourceFile(names[index] ?? '');
      if (!tree) throw new Error(`${path} could not be parsed`);
      return { path, text, tree };
    });
  } finally {
    api.close();
  }
}

export function lineOf(file: TextFile, position: number): number {
  return file.text.slice(0, position).split('\n').length;
}

/** Every node below, in the order of the text, parents first. */
export function nodesOf(node: Node): readonly Node[] {
  const nodes: Node[] = [];
  collect(node, nodes);
  return nodes;
}

function collect(node: Node, nodes: Node[]): void {
  node.forEachChild((child) => {
    nodes.push(child);
    collect(child, nodes);
    return undefined;
  });
}

/** Where the node's own text begins, behind comments and space. */
export function startOf(source: Source, node: Node): number {
  return node.getStart(source.tree);
}

export function textOf(source: Source, node: Node): string {
  return source.text.slice(startOf(source, node), node.end);
}

export function found(source: Source, node: Node, message: string): Finding {
  return { path: source.path, line: lineOf(source, startOf(source, node)), message };
}

export function report(findings: readonly Finding[]): readonly string[] {
  return findings.map(({ path, line, message }) => `${path}:${line}: ${message}`);
}
