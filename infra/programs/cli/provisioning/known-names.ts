/** The names that a provisioning file's schema knows at a path; the nearest to a wrong one. */
import type { Hint, Problem } from '../../../../shared/problems/provisioning.ts';
import { nearest } from '../../../../shared/provisioning/nearest.ts';
import { type Node, provisioningSchema } from '../reference/json-schema.ts';

const MANY = 8;

function isTree(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function trees(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.filter(isTree) : [];
}

/** Every way in which a value may be written there, without references. */
function waysOf(node: unknown, definitions: Node): readonly Node[] {
  if (!isTree(node)) return [];
  if (typeof node.$ref === 'string') {
    return waysOf(definitions[node.$ref.split('/').at(-1) ?? ''], definitions);
  }
  const inner = [...trees(node.anyOf), ...trees(node.oneOf)];
  // `allOf` of a reference alone, with its description beside it; of a channel it has no types.
  const wrapped = node.properties === undefined ? trees(node.allOf) : [];
  const ways = [...inner, ...wrapped].flatMap((each) => waysOf(each, definitions));
  return ways.length > 0 ? ways : [node];
}

/** Of steps and triggers, the one that `do` or `on` names. */
function fits(way: Node, value: unknown): boolean {
  return ['do', 'on'].every((name) => {
    const only = way.properties?.[name]?.const;
    return only === undefined || (isTree(value) && value[name] === only);
  });
}

interface Reached {
  readonly ways: readonly Node[];
  readonly value: unknown;
}

function reach(path: readonly string[], root: Node, raw: unknown): Reached {
  const definitions = isTree(root.definitions) ? root.definitions : {};
  let at: Reached = { ways: [root], value: raw };
  for (const name of path) {
    const { value } = at;
    const narrowed = at.ways.filter((way) => fits(way, value));
    const ways = (narrowed.length > 0 ? narrowed : at.ways).flatMap((way) =>
      waysOf(Array.isArray(value) ? way.items : way.properties?.[name], definitions),
    );
    const inner: unknown = Array.isArray(value)
      ? value[Number(name)]
      : isTree(value)
        ? value[name]
        : undefined;
    at = { ways, value: inner };
  }
  return at;
}

function namesIn({ ways, value }: Reached): readonly string[] {
  const narrowed = ways.filter((way) => fits(way, value));
  const chosen = narrowed.length > 0 ? narrowed : ways;
  return [...new Set(chosen.flatMap((way) => Object.keys(way.properties ?? {})))];
}

/** The property beside it that has such a property inside: `network` of a session. */
function ownerOf(name: string, ways: readonly Node[], root: Node): string | null {
  const definitions = isTree(root.definitions) ? root.definitions : {};
  const beside = ways.flatMap((way) => Object.entries(way.properties ?? {}));
  const owner = beside.find(([, node]) =>
    waysOf(node, definitions).some(
      ({ properties }) => properties !== undefined && name in properties,
    ),
  );
  return owner?.[0] ?? null;
}

function choicesOf(ways: readonly Node[]): readonly string[] {
  return ways.flatMap((way) => {
    const own = way.const === undefined ? [] : [way.const];
    return [...own, ...(Array.isArray(way.enum) ? way.enum : [])].map(String);
  });
}

/** Without the place in a flow. */
export function innermost(problem: Problem): Problem {
  return problem.code === 'inFlow' ? innermost(problem.params.problem) : problem;
}

/** `did you mean timeZone?`, or nothing, for the problems of a whole file. */
export function suggestionsFor(raw: unknown): (path: string, problem: Problem) => Hint | null {
  const root = provisioningSchema();
  return (path, problem) => suggestion(path.split('.'), problem, { root, raw });
}

function suggestion(
  names: readonly string[],
  problem: Problem,
  { root, raw }: { readonly root: Node; readonly raw: unknown },
): Hint | null {
  const last = names.at(-1) ?? '';
  if (innermost(problem).code === 'unknownProperty') {
    const around = reach(names.slice(0, -1), root, raw);
    const known = namesIn(around);
    const near = nearest(last, known);
    if (near !== null) return { code: 'didYouMean', params: { name: near } };
    const inside = ownerOf(last, around.ways, root);
    if (inside !== null) return { code: 'standsIn', params: { name: inside } };
    const few = known.length > 0 && known.length <= MANY;
    return few ? { code: 'thereAre', params: { names: known } } : null;
  }
  const { ways, value } = reach(names, root, raw);
  if (typeof value !== 'string') return null;
  const zones = ways.some(({ title }) => title === 'IANA time zone');
  const near = nearest(value, zones ? Intl.supportedValuesOf('timeZone') : choicesOf(ways));
  if (near === null || near === value) return null;
  return { code: 'didYouMean', params: { name: near } };
}
