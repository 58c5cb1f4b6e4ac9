/** Keyboard shortcuts of "Conversas". Keys that are written into a field stay there. */
import { useEffect, useState } from 'preact/hooks';
import { Dialog } from '../base/dialog.tsx';
import { TEXT } from '../sentences.ts';

interface ShortcutsProps {
  readonly onNote: (note: boolean) => void;
}

export function Shortcuts({ onNote }: ShortcutsProps) {
  const [helping, setHelping] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (document.querySelector('dialog[open]')) return;
      if (isWriting(event.target)) {
        if (event.key === 'Escape' && event.target instanceof HTMLElement) event.target.blur();
        return;
      }
      const run = { ...ACTIONS, '?': () => setHelping(true), ...composing(onNote) }[event.key];
      if (!run) return;
      event.preventDefault();
      run();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [onNote]);
  if (!helping) return null;
  return (
    <Dialog title={TEXT.shortcuts.title} onClose={() => setHelping(false)}>
      <dl class="keys">
        {TEXT.shortcuts.rows.map(([key, text]) => (
          <>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </>
        ))}
      </dl>
    </Dialog>
  );
}

type Run = () => void;

const ACTIONS: Readonly<Record<string, Run | undefined>> = {
  '/': () => focus('[type=search]'),
  j: () => step(1),
  k: () => step(-1),
  a: () => click('[aria-keyshortcuts=a]'),
  e: () => click('[aria-keyshortcuts=e]'),
};

function composing(onNote: (note: boolean) => void): Readonly<Record<string, Run | undefined>> {
  return {
    r: () => {
      onNote(false);
      focus('[data-composer]');
    },
    n: () => {
      onNote(true);
      focus('[data-composer]');
    },
  };
}

function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLInputElement ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement
  );
}

function focus(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.focus();
}

function click(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.click();
}

/** Moves the focus in the list, from the open conversation where none has it. */
function step(by: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>('.conversation-row')];
  const focused = rows.findIndex((each) => each.matches(':focus'));
  const from = focused >= 0 ? focused : rows.findIndex((row) => row.hasAttribute('aria-current'));
  rows[Math.min(Math.max(0, from + by), rows.length - 1)]?.focus();
}
