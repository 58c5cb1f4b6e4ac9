/**
 * A read of the server that stays current: it runs at first, at each change of its key, and again
 * whenever the live client hints. The former value stays on screen until the next one is there.
 */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { after, now } from '../clock.ts';
import { type Interest, listen } from '../live.ts';
import { call, type Outcome, type Refused } from './call.ts';
import { readPace } from './read-pace.ts';

export interface Read<Body> {
  /** Of the last successful read, also of a former key while `loading`. */
  readonly body: Body | null;
  readonly refused: Refused | null;
  /** The first read of this key has not ended. */
  readonly loading: boolean;
  readonly again: () => void;
}

/** Runs one task at a time; a request during a run causes one more run after it. */
export class Repeater {
  #running = false;
  #wanted = false;
  #ended = false;
  readonly #task: () => Promise<void>;

  constructor(task: () => Promise<void>) {
    this.#task = task;
  }

  request(): void {
    this.#wanted = true;
    if (!this.#running && !this.#ended) void this.#run();
  }

  end(): void {
    this.#ended = true;
  }

  get ended(): boolean {
    return this.#ended;
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#wanted && !this.#ended) {
      this.#wanted = false;
      await this.#task();
      const pauseMs = readPace.read(now());
      await new Promise<void>((resume) => after(pauseMs, resume));
    }
    this.#running = false;
  }
}

interface State<Body> {
  readonly key: string;
  readonly body: Body | null;
  readonly refused: Refused | null;
}

/** @param key null: nothing is read */
export function useReadBy<Body>(
  key: string | null,
  interest: Interest,
  fetch: () => Promise<Outcome<Body>>,
): Read<Body> {
  const [state, setState] = useState<State<Body>>({ key: '', body: null, refused: null });
  const latest = useRef(fetch);
  latest.current = fetch;
  const repeater = useRef<Repeater | null>(null);
  useEffect(() => {
    if (key === null) return;
    const own = new Repeater(async () => {
      const outcome = await latest.current();
      if (own.ended) return;
      setState((before) =>
        outcome.ok
          ? { key, body: outcome.body, refused: null }
          : { key, body: before.key === key ? before.body : null, refused: outcome.refused },
      );
    });
    repeater.current = own;
    own.request();
    const stop = listen(interest, () => own.request());
    return () => {
      stop();
      own.end();
    };
  }, [key]);
  const again = useCallback(() => repeater.current?.request(), []);
  return { body: state.body, refused: state.refused, loading: state.key !== key, again };
}

/** A plain GET by its path. */
export function useRead<Body>(path: string | null, interest: Interest): Read<Body> {
  return useReadBy<Body>(path, interest, () => call<Body>('GET', path ?? ''));
}
