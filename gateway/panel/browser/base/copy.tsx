/** Texts to copy: a line with its button, and a block of code. */
import { useEffect, useId, useState } from 'preact/hooks';
import { after } from '../clock.ts';
import { TEXT } from '../sentences.ts';
import { Scrolled } from './parts.tsx';

const SHOWN_MS = 2_000;

interface CopyProps {
  readonly text: string;
  /** Id of the element that names the text, where several buttons are alike. */
  readonly of: string;
}

function CopyButton({ text, of }: CopyProps) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  const copy = async () => setState((await copied(text)) ? 'copied' : 'failed');
  useEffect(
    () => (state === 'idle' ? undefined : after(SHOWN_MS, () => setState('idle'))),
    [state],
  );
  return (
    <>
      <button type="button" class="button small" aria-describedby={of} onClick={() => void copy()}>
        {TEXT.copy.copy}
      </button>
      <span class="small soft" role="status">
        {state === 'idle' ? '' : TEXT.copy[state]}
      </span>
    </>
  );
}

/** Over plain HTTP there is no clipboard: the selection is copied the old way. */
export async function copied(text: string): Promise<boolean> {
  try {
    if (window.isSecureContext) {
      await navigator.clipboard.writeText(text);
      return true;
    }
  } catch {
    return copiedBySelection(text);
  }
  return copiedBySelection(text);
}

function copiedBySelection(text: string): boolean {
  const before = document.activeElement;
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'spoken';
  // In a modal dialog nothing outside of it can be selected.
  (document.querySelector('dialog[open]') ?? document.body).append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  return done;
}

interface CopyLineProps {
  readonly label: string;
  readonly text: string;
}

/** A value that is copied elsewhere: an address, a key. */
export function CopyLine({ label, text }: CopyLineProps) {
  const id = useId();
  return (
    <div class="copy-line">
      <span class="soft small" id={id}>
        {label}
      </span>
      <code class="copied-text">{text}</code>
      <CopyButton text={text} of={id} />
    </div>
  );
}

/** Several lines, such as a `curl`. */
export function CopyBlock({ label, text }: CopyLineProps) {
  const id = useId();
  return (
    <div class="copy-block">
      <div class="row">
        <span class="soft small" id={id}>
          {label}
        </span>
        <CopyButton text={text} of={id} />
      </div>
      <Scrolled label={label}>
        <pre>{text}</pre>
      </Scrolled>
    </div>
  );
}
