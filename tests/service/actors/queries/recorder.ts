/**
 * Recorder of the actors' queries: each query once for every shape of it, with the line of code
 * that issued it. A shape is the collection, the paths and operators of its filter, and its
 * options; values do not count.
 */
import assert from 'node:assert/strict';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../../../../infra/tools/source.ts';
import type {
  Filter,
  FindOptions,
  IndexKeys,
  Store,
  Stored,
  Write,
} from '../../../support/plain-store.ts';
import { siteAt } from './sites.ts';

export interface Question {
  readonly how: 'find' | 'count' | 'write';
  readonly collection: string;
  readonly filter: Filter;
  readonly options: FindOptions;
  /** The line of the actors' code that asked (`sites.ts`). */
  readonly site: string;
}

const DEPTH_MAX = 30;
/** From the root, by the names that frames have for files. */
const paths = new Map<string, string>();

/** The innermost of the actors' own lines on the stack, whose text would cost more than a query. */
function siteNow(): string {
  for (const frame of framesNow()) {
    const file = frame.getFileName();
    const site = file && siteAt(pathOf(file), frame.getLineNumber() ?? 0);
    if (site) return site;
  }
  return 'elsewhere';
}

function framesNow(): readonly NodeJS.CallSite[] {
  const { stackTraceLimit, prepareStackTrace } = Error;
  let frames: readonly NodeJS.CallSite[] = [];
  Error.stackTraceLimit = DEPTH_MAX;
  Error.prepareStackTrace = (_, found) => {
    frames = found;
    return '';
  };
  // The frames are prepared when the stack is read.
  assert.equal(new Error('where').stack, '');
  Object.assign(Error, { stackTraceLimit, prepareStackTrace });
  return frames;
}

function pathOf(file: string): string {
  const known = paths.get(file);
  if (known !== undefined) return known;
  const path = relative(ROOT, file.startsWith('file:') ? fileURLToPath(file) : file);
  paths.set(file, path);
  return path;
}

function shapeOf({ how, collection, filter, options }: Omit<Question, 'site'>): string {
  const shape = JSON.stringify(filter, (_, value: unknown) => {
    if (Array.isArray(value)) return value.length > 1 ? 'several' : 'one';
    return typeof value === 'object' && value !== null ? value : typeof value;
  });
  return JSON.stringify([
    how,
    collection,
    shape,
    options.sort,
    options.skip,
    options.limit,
    options.index,
  ]);
}

export class Recorder {
  readonly #seen = new Map<string, Question>();

  get questions(): readonly Question[] {
    return [...this.#seen.values()];
  }

  /** The same store, listened to. */
  watch = (store: Store): Store => ({
    commit: (writes) => {
      for (const write of writes) this.#noteWrite(write);
      return store.commit(writes);
    },
    byId: store.byId,
    find: <T extends Stored>(collection: string, filter: Filter, options: FindOptions = {}) => {
      this.#note({ how: 'find', collection, filter, options });
      return store.find<T>(collection, filter, options);
    },
    findOne: <T extends Stored>(collection: string, filter: Filter, options: FindOptions = {}) => {
      this.#note({ how: 'find', collection, filter, options: { ...options, limit: 1 } });
      return store.findOne<T>(collection, filter, options);
    },
    existsEach: (questions) => {
      for (const { collection, filter } of questions) {
        this.#note({ how: 'find', collection, filter, options: { limit: 1 } });
      }
      return store.existsEach(questions);
    },
    count: (collection, filter, index?: IndexKeys) => {
      // By an empty filter the store says what it remembers.
      const isAsked = Object.keys(filter).length > 0;
      const options = index ? { index } : {};
      if (isAsked) this.#note({ how: 'count', collection, filter, options });
      return store.count(collection, filter, index);
    },
  });

  #noteWrite(write: Write): void {
    if ('insert' in write) return;
    const collection = 'remove' in write ? write.remove : write.update;
    this.#note({ how: 'write', collection, filter: write.filter, options: {} });
  }

  #note(asked: Omit<Question, 'site'>): void {
    const site = asked.how === 'write' ? 'a write' : siteNow();
    const key = `${site} ${shapeOf(asked)}`;
    if (!this.#seen.has(key)) this.#seen.set(key, { ...asked, site });
  }
}
