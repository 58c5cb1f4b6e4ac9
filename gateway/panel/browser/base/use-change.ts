/** Changes that a person makes: one at a time, with the sentence of the last refusal. */
import { useRef, useState } from 'preact/hooks';
import { changed, type Kind } from '../live.ts';
import { type CallOptions, call, type Refused } from './call.ts';

export interface Change {
  /** A further press does nothing; its button keeps the focus, as a disabled one would not. */
  readonly busy: boolean;
  readonly refused: Refused | null;
  /** The answer's body; null where it was refused. */
  readonly make: <Body>(path: string, options?: CallOptions) => Promise<Body | null>;
}

/**
 * @param kind what screens read again after a change
 * @param id unset: screens of any of this kind, which show no single one
 */
export function useChange(kind: Kind, id = ''): Change {
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<Refused | null>(null);
  const running = useRef(false);
  const make = async <Body>(path: string, options: CallOptions = {}): Promise<Body | null> => {
    if (running.current) return null;
    running.current = true;
    setBusy(true);
    const outcome = await call<Body>('POST', path, options);
    running.current = false;
    setBusy(false);
    setRefused(outcome.ok ? null : outcome.refused);
    if (!outcome.ok) return null;
    changed(kind, id);
    return outcome.body;
  };
  return { busy, refused, make };
}
