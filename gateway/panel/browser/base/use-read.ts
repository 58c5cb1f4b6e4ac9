/**
 * A read of the server that stays current: it runs at first, at each change of its key, and again
 * whenever the live client hints. The former value stays on screen until the next one is there,
 * unless it is of something else.
 */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type Interest, listen } from '../live.ts';
import { call, type Outcome, type Refused } from './call.ts';
import { Repeater } from './repeater.ts';

export interface Read<Body> {
  /** Of the last successful read. While `loading` it may be of another count of pages. */
  readonly body: Body | null;
  readonly refused: Refused | null;
  /** The first read of this key has not ended. */
  readonly loading: boolean;
  readonly again: () => void;
}

interface State<Body> {
  readonly key: string;
  readonly body: Body | null;
  readonly refused: Refused | null;
}

const NOTHING = { body: null, refused: null };

/** True for keys that differ in their count of pages at most. */
function isSame(one: string, other: string | null): boolean {
  return other !== null && one.replace(COUNT, '') === other.replace(COUNT, '');
}

/** No path has a space. */
const COUNT = /(^| )\d+$/;

/** @param key null: nothing is read; a count of pages may stand last, behind a space */
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
      if (own.ended) return null;
      setState((before) =>
        outcome.ok
          ? { key, body: outcome.body, refused: null }
          : { key, body: isSame(before.key, key) ? before.body : null, refused: outcome.refused },
      );
      return outcome.ok ? null : outcome.refused;
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
  const { body, refused } = isSame(state.key, key) ? state : NOTHING;
  return { body, refused, loading: state.key !== key, again };
}

/** A plain GET by its path. */
export function useRead<Body>(path: string | null, interest: Interest): Read<Body> {
  return useReadBy<Body>(path, interest, () => call<Body>('GET', path ?? ''));
}
