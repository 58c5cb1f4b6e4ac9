/** Parser of a provisioning file: YAML, of which JSON is a part, and the position of each value. */
import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from 'yaml';
import type { Problem } from '../../../../shared/problems/provisioning.ts';
import { BadInput, RefusedProblems } from '../service/failure.ts';
import { tell } from '../service/problem-sentences.ts';

export interface Position {
  /** From 1 on. */
  readonly line: number;
  readonly column: number;
}

/** Of one text, and of what one of them repeats: the parser's work rises with their square. */
const ALIASES_MAX = 100;

/** `key` is the position of a property's name, `value` that of its value. */
type Part = 'key' | 'value';

export interface ParsedText {
  readonly raw: unknown;
  /**
   * Position of `path`, or of its container where it is missing; null for a path outside the file.
   */
  readonly locate: (path: string, part: Part) => Position | null;
}

function offsetOf(node: unknown): number | null {
  return isNode(node) ? (node.range?.[0] ?? null) : null;
}

interface Step {
  /** Of the property's name. */
  readonly key: number | null;
  readonly value: unknown;
}

/** The item that a path's first names lead to, and how many names they are: a key may hold dots. */
function stepInto(node: unknown, names: readonly string[]): (Step & { taken: number }) | null {
  if (isSeq(node)) {
    const value = node.items[Number(names[0])];
    return value === undefined ? null : { key: offsetOf(value), value, taken: 1 };
  }
  if (!isMap(node)) return null;
  for (let taken = names.length; taken > 0; taken--) {
    const name = names.slice(0, taken).join('.');
    const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === name);
    if (pair) return { key: offsetOf(pair.key), value: pair.value, taken };
  }
  return null;
}

interface Wanted {
  readonly path: string;
  readonly part: Part;
}

/** The offset of `path`, or of its nearest existing container. */
function offsetAt(
  { contents }: Document.Parsed,
  named: NamedNodes,
  { path, part }: Wanted,
): number | null {
  let names = path === '' ? [] : path.split('.');
  let node: unknown = contents;
  let found: Step = { key: offsetOf(node), value: node };
  while (names.length > 0) {
    const inside = isAlias(node) ? named.get(node) : node;
    const step = stepInto(inside, names);
    if (step === null) return found.key;
    found = step;
    node = step.value;
    names = names.slice(step.taken);
  }
  // An empty value has no position; a long one begins lines after its name.
  const { range } = isScalar(node) ? node : {};
  const isWritten = range && range[0] < range[1];
  return part === 'value' && isWritten ? range[0] : found.key;
}

interface Fault {
  readonly problem: Problem;
  /** Offsets. */
  readonly pos: readonly [number, number];
}

/** The node that each alias names. */
type NamedNodes = ReadonlyMap<Alias, Node>;

interface Aliases {
  readonly named: NamedNodes;
  /** Aliases without an anchor, those inside of their own anchor, and the first one too many. */
  readonly faults: readonly Fault[];
}

/** One walk in the document's order: the parser's own look-up walks it once for each alias. */
function aliasesOf(document: Document.Parsed): Aliases {
  const named = new Map<Alias, Node>();
  const faults: Fault[] = [];
  const anchors = new Map<string, Node>();
  visit(document, {
    Node(_key, node) {
      if (!isAlias(node)) {
        if (node.anchor !== undefined) anchors.set(node.anchor, node);
        return undefined;
      }
      const target = anchors.get(node.source);
      const fault = aliasFault(node, target, named.size);
      if (fault) faults.push(fault);
      if (target) named.set(node, target);
      return named.size > ALIASES_MAX || faults.length > ALIASES_MAX ? visit.BREAK : undefined;
    },
  });
  return { named, faults };
}

function aliasFault(
  { source, range }: Alias,
  target: Node | undefined,
  before: number,
): Fault | null {
  const [from = 0, to = from] = range ?? [];
  const problem = aliasProblem(source, { from, target, before });
  return problem === null ? null : { problem, pos: [from, to] };
}

interface Placed {
  readonly from: number;
  readonly target: Node | undefined;
  /** Aliases before this one. */
  readonly before: number;
}

function aliasProblem(name: string, { from, target, before }: Placed): Problem | null {
  if (!target?.range) return { code: 'noAnchor', params: { name } };
  const [begin, end] = target.range;
  if (begin < from && from < end) return { code: 'aliasInside', params: { name } };
  if (before < ALIASES_MAX) return null;
  return { code: 'tooManyAliases', params: { most: ALIASES_MAX } };
}

function refusedText(problem: Problem): RefusedProblems {
  return new RefusedProblems([{ path: '', problem }]);
}

function plainValue(document: Document.Parsed, name: string): unknown {
  try {
    return document.toJS({ maxAliasCount: ALIASES_MAX });
  } catch (cause) {
    // The parser reports aliases of aliases without end by throwing.
    if (!(cause instanceof ReferenceError)) throw cause;
    throw Object.assign(refusedText({ code: 'aliasesRepeated', params: { name } }), { cause });
  }
}

function syntaxErrors({ errors }: Document.Parsed, written: string): readonly Fault[] {
  const end = written.trimEnd().length;
  return errors.map(({ code, message, pos }) => {
    // Beyond a second document the parser reads on in vain: its end tells nothing.
    const ends = code !== 'MULTIPLE_DOCS' && pos[1] >= end;
    return { problem: { code: 'yaml', params: { code, text: message, ends } }, pos };
  });
}

/** A text that is not YAML: each problem with its place. */
export class UnreadableText extends BadInput {
  readonly problems: readonly { readonly problem: Problem; readonly position: Position }[];

  constructor(name: string, problems: UnreadableText['problems']) {
    super(
      problems.map(({ problem, position: { line, column } }) => ({
        path: '',
        message: `${tell(problem)} (${name}, line ${line}, column ${column})`,
      })),
    );
    this.problems = problems;
  }
}

/** One problem for each position: later ones follow from the first. */
function unreadable(
  name: string,
  faults: readonly Fault[],
  positionOf: (offset: number) => Position,
): UnreadableText {
  const places = new Map<number, Problem>();
  for (const { pos, problem } of faults) {
    if (!places.has(pos[0])) places.set(pos[0], problem);
  }
  const problems = [...places].map(([offset, problem]) => ({
    problem,
    position: positionOf(offset),
  }));
  return new UnreadableText(name, problems);
}

const NO_ALIASES: Aliases = { named: new Map(), faults: [] };

/** @throws {BadInput} with every place where the text is not YAML */
export function parseProvisioningText(written: string, name: string): ParsedText {
  const lineCounter = new LineCounter();
  const document = parseDocument(written, { prettyErrors: false, lineCounter });
  const positionOf = (offset: number): Position => {
    const { line, col } = lineCounter.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const syntax = syntaxErrors(document, written);
  const aliases = syntax.length > 0 ? NO_ALIASES : aliasesOf(document);
  const faults = [...syntax, ...aliases.faults];
  if (faults.length > 0) throw unreadable(name, faults, positionOf);
  if (document.contents === null) throw refusedText({ code: 'emptyText', params: { name } });
  const raw = plainValue(document, name);
  const locate: ParsedText['locate'] = (path, part) => {
    const offset = offsetAt(document, aliases.named, { path, part });
    return offset === null ? null : positionOf(offset);
  };
  return { raw, locate };
}
