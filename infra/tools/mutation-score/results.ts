/**
 * Earlier results, kept beside the set-up and out of the project's history. A verdict holds as long
 * as the mutated text and its tests are the same, with all that they import.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Verdict } from './mutation.ts';

export interface TestRecord {
  readonly title: string;
  readonly ms: number;
  readonly cpuMs: number;
  readonly failed: string | null;
  /** Target files to the stretches of their text that were run, as pairs of offsets. */
  readonly ran: Readonly<Record<string, readonly number[]>>;
}

export interface StoredVerdict extends Verdict {
  /** Test files to the digests of all that they import. */
  readonly seen: Readonly<Record<string, string>>;
}

interface StoredResults {
  readonly surveys: Record<string, readonly TestRecord[]>;
  readonly refused: Record<string, boolean>;
  readonly verdicts: Record<string, StoredVerdict>;
}

/** One map of keys to kept values; those requested in this run are marked. */
class VerdictCache<T> {
  readonly #before: Readonly<Record<string, T>>;
  readonly #used: Record<string, T> = {};

  constructor(before: Readonly<Record<string, T>>) {
    this.#before = before;
  }

  get(key: string): T | null {
    const found = this.#used[key] ?? this.#before[key];
    if (found !== undefined) this.#used[key] = found;
    return found ?? null;
  }

  set(key: string, value: T): void {
    this.#used[key] = value;
  }

  /** @param others values kept beside, of an earlier run or of another one at this moment */
  with(others: Readonly<Record<string, T>> = {}): Record<string, T> {
    return { ...others, ...this.#used };
  }
}

export class Results {
  readonly #path: string;
  readonly surveys: VerdictCache<readonly TestRecord[]>;
  readonly refused: VerdictCache<boolean>;
  readonly verdicts: VerdictCache<StoredVerdict>;

  /** @param fresh ignores the results that were kept */
  constructor(path: string, fresh: boolean) {
    const { surveys = {}, refused = {}, verdicts = {} } = fresh ? {} : read(path);
    this.#path = path;
    this.surveys = new VerdictCache(surveys);
    this.refused = new VerdictCache(refused);
    this.verdicts = new VerdictCache(verdicts);
  }

  /** @param complete every target was asked for: what else is kept is of no use any more */
  write(complete: boolean): void {
    const others = complete ? {} : read(this.#path);
    const stored: StoredResults = {
      surveys: this.surveys.with(others.surveys),
      refused: this.refused.with(others.refused),
      verdicts: this.verdicts.with(others.verdicts),
    };
    const draft = `${this.#path}.${process.pid}`;
    mkdirSync(dirname(this.#path), { recursive: true });
    writeFileSync(draft, JSON.stringify(stored));
    renameSync(draft, this.#path);
  }
}

function read(path: string): Partial<StoredResults> {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as StoredResults;
  } catch {
    // The first run, or a file that was cut off: everything is tried.
    return {};
  }
}
