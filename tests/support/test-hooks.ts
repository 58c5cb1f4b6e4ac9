/**
 * What tests have while they run. Declare it beside them: while the file is loaded, functions alone
 * can be taken from it.
 */
import { after, afterEach, before, beforeEach } from 'node:test';

type Start<T> = () => T | Promise<T>;
type End<T> = (started: T) => unknown;

const nothing = () => undefined;

/** Started before the first test and ended after the last. */
export function useUntil<T extends object>(start: Start<T>, end: End<T> = nothing): T {
  return standIn({ start, end, first: before, last: after });
}

/** Another one for each test. */
export function useForEach<T extends object>(start: Start<T>, end: End<T> = nothing): T {
  return standIn({ start, end, first: beforeEach, last: afterEach });
}

interface Life<T> {
  readonly start: Start<T>;
  readonly end: End<T>;
  readonly first: typeof before;
  readonly last: typeof after;
}

/** Reads and writes what is started then: a fixture may change after its start. */
function standIn<T extends object>({ start, end, first, last }: Life<T>): T {
  let started: T | null = null;
  first(async () => {
    started = null;
    started = await start();
  });
  last(async () => {
    if (started !== null) await end(started);
  });
  const current = (): T => {
    if (started === null) throw new Error('nothing is started yet');
    return started;
  };
  return new Proxy<T>(Object.create(Object.prototype), {
    get: (_, name) => {
      if (started === null) return (...given: unknown[]) => Object(current())[name](...given);
      const value = Reflect.get(current(), name);
      return typeof value === 'function' ? value.bind(current()) : value;
    },
    set: (_, name, value) => Reflect.set(current(), name, value),
    has: (_, name) => Reflect.has(current(), name),
    ownKeys: () => Reflect.ownKeys(current()),
    getOwnPropertyDescriptor: (_, name) => {
      const own = Reflect.getOwnPropertyDescriptor(current(), name);
      return own && { ...own, configurable: true };
    },
  });
}
