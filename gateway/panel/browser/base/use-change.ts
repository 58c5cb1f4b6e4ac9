/** Changes that a person makes: one at a time, with the sentence of the last refusal. */
import { useRef, useState } from 'preact/hooks';
import { changed, type Kind } from '../live.ts';
import { type CallOptions, call, type Refused } from './call.ts';

/** Resolves to the answer's body; null where it was refused, or not asked for. */
type Make = <Body>(path: string, options?: CallOptions) => Promise<Body | null>;

interface Changes {
  readonly refused: Refused | null;
  readonly make: Make;
}

export interface Change extends Changes {
  /** A further press does nothing; its button keeps the focus, as a disabled one would not. */
  readonly busy: boolean;
}

/**
 * @param kind what screens read again after a change
 * @param id unset: screens of any of this kind, which show no single one
 */
export function useChange(kind: Kind, id = ''): Change {
  const [busy, setBusy] = useState(false);
  const { refused, make: post } = usePost(kind, id);
  const running = useRef(false);
  const make: Make = async (path, options) => {
    if (running.current) return null;
    running.current = true;
    setBusy(true);
    try {
      return await post(path, options);
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  return { busy, refused, make };
}

/**
 * Changes of controls that stay enabled: a press waits until the earlier ones are answered. A
 * second press for the same change does nothing.
 */
export function useChangesInTurn(kind: Kind, id: string): Changes {
  const { refused, make: post } = usePost(kind, id);
  const waiting = useRef(new Set<string>());
  const last = useRef<Promise<unknown>>(Promise.resolve());
  const make: Make = async <Body>(path: string, options?: CallOptions) => {
    const key = JSON.stringify([path, options?.body]);
    if (waiting.current.has(key)) return null;
    waiting.current.add(key);
    const made = last.current.then(() => post<Body>(path, options));
    last.current = Promise.allSettled([made]).then(() => waiting.current.delete(key));
    return made;
  };
  return { refused, make };
}

function usePost(kind: Kind, id: string): Changes {
  const [refused, setRefused] = useState<Refused | null>(null);
  const make: Make = async <Body>(path: string, options: CallOptions = {}) => {
    const outcome = await call<Body>('POST', path, options);
    setRefused(outcome.ok ? null : outcome.refused);
    if (!outcome.ok) return null;
    changed(kind, id);
    return outcome.body;
  };
  return { refused, make };
}
