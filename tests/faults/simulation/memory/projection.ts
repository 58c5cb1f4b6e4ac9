/** Projection: the fields of a document that an answer contains. */
import type { Document, FindOptions } from '../../../support/plain-store.ts';
import { type Fields, isFields, namesOf } from './value.ts';

/** The paths as a tree: an empty one is the whole value. */
type Shown = Map<string, Shown>;

const trees = new Map<string, Shown>();

function treeOf(paths: readonly string[]): Shown {
  const name = paths.join();
  const known = trees.get(name);
  if (known) return known;
  const tree: Shown = new Map();
  trees.set(name, tree);
  for (const path of paths) {
    let here = tree;
    for (const name of namesOf(path)) {
      const below: Shown = here.get(name) ?? new Map();
      here.set(name, below);
      here = below;
    }
  }
  return tree;
}

const NOTHING = Symbol('nothing');

/** In the order of the document, not of the projection. */
function kept(value: unknown, shown: Shown): unknown {
  if (shown.size === 0) return value;
  if (Array.isArray(value)) {
    return value.map((each) => kept(each, shown)).filter((each) => each !== NOTHING);
  }
  if (!isFields(value)) return NOTHING;
  const some: Fields = {};
  for (const name of Object.keys(value)) {
    const below = shown.get(name);
    const field = below ? kept(value[name], below) : NOTHING;
    if (field !== NOTHING) some[name] = field;
  }
  return some;
}

function without(value: unknown, hidden: Shown): unknown {
  if (Array.isArray(value)) return value.map((each) => without(each, hidden));
  if (!isFields(value)) return value;
  const rest: Fields = {};
  for (const name of Object.keys(value)) {
    const below = hidden.get(name);
    if (!below) rest[name] = value[name];
    else if (below.size > 0) rest[name] = without(value[name], below);
  }
  return rest;
}

export function projected(document: Document, project: FindOptions['project'] = {}): Document {
  const paths = Object.keys(project);
  if (paths.length === 0) return document;
  const shown = paths.filter((path) => project[path] === 1);
  if (shown.length === 0) return without(document, treeOf(paths)) as Document;
  if (shown.length < paths.length) throw new TypeError('a projection shows or hides, not both');
  return kept(document, treeOf(['_id', ...shown])) as Document;
}
