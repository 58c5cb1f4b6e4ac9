/** Variables of a flow's templates: those that can have a value. */

import type { Segment } from '../../../shared/liquid/template.ts';
import type { Problem } from '../../../shared/problems/provisioning.ts';
import { nearest } from '../../../shared/provisioning/nearest.ts';
import type { Answers } from './scope.ts';

/** `items.0` reads an index. */
export function indexOr(name: string): string | number {
  return /^\d+$/.test(name) ? Number(name) : name;
}

/** Shape of a value: no properties, any properties, a list of texts, or the given names. */
type Shape = 'text' | 'any' | 'texts' | { readonly [name: string]: Shape };

/** The result of `scopeOf` (context.ts). */
const SCOPE = {
  contact: {
    ...{ id: 'text', phone: 'text', name: 'text', email: 'text' },
    ...{ fields: 'any', tags: 'texts', optIn: 'text' },
    firstAd: {
      ...{ sourceId: 'text', sourceType: 'text', sourceUrl: 'text', clickId: 'text' },
      ...{ headline: 'text', body: 'text', at: 'text' },
    },
  },
  conversation: {
    ...{ id: 'text', channelId: 'text', status: 'text', assignedTo: 'text' },
    ...{ lastMessage: 'text', createdAt: 'text' },
  },
  org: { name: 'text', timeZone: 'text' },
  now: 'text',
} as const satisfies Shape;

/** Properties that Liquid computes for any list or text. */
const OF_ANY = new Set(['size']);
const OF_LISTS = new Set(['first', 'last']);

/** Why a variable can have no value; null where it can. */
export function variableProblem(path: readonly Segment[], answers: Answers): Problem | null {
  let shape: Shape = {
    ...SCOPE,
    answers: Object.fromEntries(answers),
    chosen: Object.fromEntries([...answers.keys()].map((name) => [name, 'text'])),
  };
  for (const [depth, segment] of path.entries()) {
    if (shape === 'any' || segment === null) return null;
    const within = nameOf(path.slice(0, depth));
    const next = inside(shape, segment);
    if (next === null) return problemWith(nameOf(path.slice(0, depth + 1)), within, shape);
    shape = next;
  }
  return null;
}

function inside(shape: Exclude<Shape, 'any'>, segment: string | number): Shape | null {
  if (typeof segment === 'string' && OF_ANY.has(segment)) return 'text';
  if (shape === 'text') return typeof segment === 'number' ? 'text' : null;
  if (shape === 'texts')
    return typeof segment === 'number' || OF_LISTS.has(segment) ? 'text' : null;
  return Object.hasOwn(shape, segment) ? (shape[segment] ?? null) : null;
}

function nameOf(path: readonly Segment[]): string {
  return path.map((segment) => segment ?? '*').join('.');
}

function problemWith(name: string, within: string, shape: Exclude<Shape, 'any'>): Problem {
  if (typeof shape === 'string') return { code: 'nothingInside', params: { name, within } };
  const known = Object.keys(shape).map((each) => (within === '' ? each : `${within}.${each}`));
  const meant = nearest(name, known) ?? (within === '' ? leafOf(name) : null);
  return { code: 'unknownVariable', params: { name, known, meant } };
}

/** `name` alone most likely means `contact.name`. */
function leafOf(name: string): string | null {
  const root = Object.entries(SCOPE).find(
    ([, shape]) => typeof shape !== 'string' && Object.hasOwn(shape, name),
  );
  return root ? `${root[0]}.${name}` : null;
}
