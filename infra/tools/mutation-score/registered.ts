/**
 * Replaces `node:test` where mutations are tried. It collects the tests of a file as it is loaded.
 * The chosen ones run one after the other in this thread until one fails.
 */
import assert from 'node:assert/strict';

type Body = (context: unknown, done?: undefined) => unknown;
type Options = { readonly skip?: unknown; readonly todo?: unknown };

class Group {
  readonly parent: Group | null;
  readonly title: string;
  readonly before: Body[] = [];
  readonly after: Body[] = [];
  readonly beforeEach: Body[] = [];
  readonly afterEach: Body[] = [];
  readonly loading: Promise<unknown>[] = [];
  begun = false;

  constructor(parent: Group | null, title: string) {
    this.parent = parent;
    this.title = title;
  }
}

interface Registered {
  readonly title: string;
  readonly group: Group;
  readonly body: Body;
}

let root = new Group(null, '');
let group = root;
let tests: Registered[] = [];

/** The tests of the file that `load` loads, in their order. */
export async function collect(load: () => Promise<unknown>): Promise<readonly Registered[]> {
  root = new Group(null, '');
  group = root;
  tests = [];
  await load();
  await Promise.all(root.loading);
  return tests;
}

export interface Failure {
  readonly title: string;
  readonly error: unknown;
}

/** Null when all of the chosen pass. */
export async function firstFailure(
  all: readonly Registered[],
  chosen: ReadonlySet<number>,
): Promise<Failure | null> {
  const begun: Group[] = [];
  let title = '';
  try {
    for (const [index, registered] of all.entries()) {
      if (!chosen.has(index)) continue;
      title = registered.title;
      await runOne(registered, begun);
    }
    title = 'after';
    for (const each of begun.reverse()) await runAll(each.after);
    return null;
  } catch (error) {
    for (const each of begun) await Promise.allSettled(each.after.map((body) => body(context)));
    return { title, error };
  }
}

async function runOne({ group: own, body }: Registered, begun: Group[]): Promise<void> {
  const groups: Group[] = [];
  for (let each: Group | null = own; each; each = each.parent) groups.unshift(each);
  for (const each of groups) {
    if (each.begun) continue;
    each.begun = true;
    begun.push(each);
    await runAll(each.before);
  }
  const ends: Body[] = [];
  try {
    for (const each of groups) await runAll(each.beforeEach);
    await body({ ...context, after: (end: Body) => void ends.push(end) });
  } finally {
    for (const end of ends) await end(context);
    for (const each of groups) await runAll(each.afterEach);
  }
}

async function runAll(bodies: readonly Body[]): Promise<void> {
  for (const body of bodies) await body(context);
}

const context = {
  assert,
  diagnostic: () => undefined,
  signal: new AbortController().signal,
  test: async (_title: string, ...rest: readonly unknown[]) => bodyOf(rest)(context),
};

function bodyOf(rest: readonly unknown[]): Body {
  const body = rest.find((each) => typeof each === 'function');
  return (body as Body | undefined) ?? (() => undefined);
}

function isLeftOut(rest: readonly unknown[]): boolean {
  const options = rest.find((each) => typeof each === 'object' && each !== null);
  const { skip, todo } = (options ?? {}) as Options;
  return Boolean(skip) || Boolean(todo);
}

export function test(title: string, ...rest: readonly unknown[]): void {
  const names = [title];
  for (let each: Group | null = group; each?.parent; each = each.parent) names.unshift(each.title);
  if (isLeftOut(rest)) return;
  tests.push({ title: names.join(' > '), group, body: bodyOf(rest) });
}

export function describe(title: string, ...rest: readonly unknown[]): void {
  if (isLeftOut(rest)) return;
  const outer = group;
  group = new Group(outer, title);
  const loaded = bodyOf(rest)(context);
  if (loaded instanceof Promise) root.loading.push(loaded);
  group = outer;
}

export { mock } from 'node:test';
export { describe as suite, test as it };
export const before = (body: Body): void => void group.before.push(body);
export const after = (body: Body): void => void group.after.push(body);
export const beforeEach = (body: Body): void => void group.beforeEach.push(body);
export const afterEach = (body: Body): void => void group.afterEach.push(body);
