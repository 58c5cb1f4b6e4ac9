/** A part of a page whose script is fetched when it is first opened, such as a dialog. */
import type { ComponentType } from 'preact';
import { useState } from 'preact/hooks';

export interface Later<Props> {
  /** Null while it is closed. */
  readonly Part: ComponentType<Props> | null;
  /** Its script did not come. */
  readonly failed: boolean;
  readonly open: () => void;
  readonly close: () => void;
}

export function useLater<Props>(load: () => Promise<ComponentType<Props>>): Later<Props> {
  const [Part, setPart] = useState<ComponentType<Props> | null>(null);
  const [failed, setFailed] = useState(false);
  const open = () => {
    setFailed(false);
    load().then(
      (loaded) => setPart(() => loaded),
      () => setFailed(true),
    );
  };
  return { Part, failed, open, close: () => setPart(null) };
}
