/** Parser of a provisioning file: YAML, of which JSON is a part, and the position of each value. */
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
} from 'yaml';
import { BadInput, badInput } from './failure.ts';

export interface Position {
  /** From 1 on. */
  readonly line: number;
  readonly column: number;
}

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

/** The offset of `path`, or of its nearest existing container. */
function offsetAt(document: Document.Parsed, path: string, part: Part): number | null {
  let names = path === '' ? [] : path.split('.');
  let node: unknown = document.contents;
  let found: Step = { key: offsetOf(node), value: node };
  while (names.length > 0) {
    const inside = isAlias(node) ? node.resolve(document) : node;
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
  readonly message: string;
  /** The parser's. */
  readonly code?: string;
  /** Offsets. */
  readonly pos: readonly [number, number];
}

/** Aliases without an anchor, and those inside of their own anchor. */
function aliasErrors(document: Document.Parsed): readonly Fault[] {
  const found: Fault[] = [];
  visit(document, {
    Alias(_key, node) {
      const [from = 0, to = from] = node.range ?? [];
      const named = node.resolve(document)?.range;
      if (!named)
        found.push({ message: `Nothing before has the anchor ${node.source}`, pos: [from, to] });
      else if (named[0] < from && from < named[1]) {
        found.push({
          message: `The alias ${node.source} lies inside of what it names`,
          pos: [from, to],
        });
      }
    },
  });
  return found;
}

function plainValue(document: Document.Parsed, name: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (cause) {
    // The parser reports aliases of aliases without end by throwing.
    if (!(cause instanceof ReferenceError)) throw cause;
    throw Object.assign(badInput('', `${name} repeats what its aliases name too often`), { cause });
  }
}

/** Beyond this one the parser reads on in vain. */
const SEVERAL_DOCUMENTS = 'MULTIPLE_DOCS';

function syntaxErrors({ errors }: Document.Parsed, written: string): readonly Fault[] {
  const end = written.trimEnd().length;
  return errors.map(({ code, message, pos }) => {
    if (code === SEVERAL_DOCUMENTS) {
      return { code, message: 'The file holds several documents', pos };
    }
    const hint = pos[1] >= end ? '; the file ends there: is it whole?' : '';
    return { code, message: `${message}${hint}`, pos };
  });
}

/** A text that is not YAML: each problem with its place. */
export class UnreadableText extends BadInput {
  readonly problems: readonly (Omit<Fault, 'pos'> & { readonly position: Position })[];

  constructor(name: string, problems: UnreadableText['problems']) {
    super(
      problems.map(({ message, position: { line, column } }) => ({
        path: '',
        message: `${message} (${name}, line ${line}, column ${column})`,
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
  const places = new Map<number, Omit<Fault, 'pos'>>();
  for (const { pos, ...fault } of faults) {
    if (!places.has(pos[0])) places.set(pos[0], fault);
  }
  const problems = [...places].map(([offset, fault]) => ({
    ...fault,
    position: positionOf(offset),
  }));
  return new UnreadableText(name, problems);
}

/** @throws {BadInput} with every place where the text is not YAML */
export function parseProvisioningText(written: string, name: string): ParsedText {
  const lineCounter = new LineCounter();
  const document = parseDocument(written, { prettyErrors: false, lineCounter });
  const positionOf = (offset: number): Position => {
    const { line, col } = lineCounter.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const syntax = syntaxErrors(document, written);
  const faults = syntax.length > 0 ? syntax : aliasErrors(document);
  if (faults.length > 0) throw unreadable(name, faults, positionOf);
  if (document.contents === null) throw badInput('', `${name} is empty: it must hold orgs`);
  const raw = plainValue(document, name);
  const locate: ParsedText['locate'] = (path, part) => {
    const offset = offsetAt(document, path, part);
    return offset === null ? null : positionOf(offset);
  };
  return { raw, locate };
}
