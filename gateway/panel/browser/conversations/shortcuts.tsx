/** Keyboard shortcuts of "Conversas". Keys that are written into a field stay there. */
import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { Dialog } from '../base/dialog.tsx';
import { TEXT } from '../sentences.ts';
import { selection } from './selection/selection.ts';

interface ShortcutsProps {
  readonly onNote: (note: boolean) => void;
}

const helping = signal(false);

function help(): void {
  helping.value = true;
}

function endHelp(): void {
  helping.value = false;
}

export function HelpButton() {
  return (
    <button
      type="button"
      class="button small quiet"
      aria-label={TEXT.actions.help}
      title={TEXT.actions.help}
      aria-keyshortcuts="?"
      onClick={help}
    >
      ?
    </button>
  );
}

export function Shortcuts({ onNote }: ShortcutsProps) {
  // Before the painting: a key right behind one that has led to the next conversation is for it.
  useLayoutEffect(() => {
    let held = '';
    const onKey = (event: KeyboardEvent) => {
      // A key that stays pressed acts once, and writes nothing into a field that it has entered.
      if (event.repeat && event.key === held) return event.preventDefault();
      held = '';
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (document.querySelector('dialog[open]')) return;
      if (isWriting(event.target)) {
        if (event.key === 'Escape' && event.target instanceof HTMLElement) event.target.blur();
        return;
      }
      const run = { ...ACTIONS, '?': help, ...composing(onNote) }[event.key];
      if (!run) return;
      event.preventDefault();
      held = event.key;
      run();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [onNote]);
  useEffect(() => endHelp, []);
  if (!helping.value) return null;
  return (
    <Dialog title={TEXT.shortcuts.title} onClose={endHelp}>
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

const BOX = '.select-box input';
const TOOLS = '.selection-tools';

const ACTIONS: Readonly<Record<string, Run | undefined>> = {
  '/': () => focus('[type=search]'),
  j: () => step(1),
  k: () => step(-1),
  a: () => (isSelecting() ? lead('a')?.click() : click('[aria-keyshortcuts=a]')),
  e: () => (isSelecting() ? lead('e') : click('[aria-keyshortcuts=e]')),
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

/** Nothing is written into a checkbox. */
function isWriting(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return target.type !== 'checkbox';
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

function focus(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.focus();
}

/** Whoever selects means what is selected, and not the open conversation. */
function isSelecting(): boolean {
  return (
    selection.value.size > 0 || document.querySelector(`${BOX}:focus, ${TOOLS} :focus`) !== null
  );
}

/** The selection's tool of this key, which has the focus now: many are changed by its press alone. */
function lead(key: string): HTMLElement | null {
  const tool = document.querySelector<HTMLElement>(`${TOOLS} [aria-keyshortcuts=${key}]`);
  tool?.focus();
  return tool?.matches(':focus') ? tool : null;
}

function click(selector: string): void {
  const control = document.querySelector<HTMLElement>(selector);
  if (control?.closest('[inert]') === null) control.click();
}

/**
 * Moves the focus in the list, from the open conversation where none has it. From the checkbox of a
 * row it leads to another checkbox.
 */
function step(by: number): void {
  const isInBox = document.querySelector(`${BOX}:focus`) !== null;
  const selector = isInBox ? BOX : '.conversation-row';
  const rows = [...document.querySelectorAll<HTMLElement>(selector)];
  const focused = rows.findIndex((each) => each.matches(':focus'));
  const from = focused >= 0 ? focused : rows.findIndex((row) => row.hasAttribute('aria-current'));
  rows[Math.min(Math.max(0, from + by), rows.length - 1)]?.focus();
}
