/** Modal dialog over the browser's own element: focus stays inside and returns at the end. */
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { TEXT } from '../sentences.ts';
import { Form } from './parts.tsx';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /** It asks before an act: the focus is on the way back. */
  readonly asks?: boolean;
  readonly children: ComponentChildren;
}

export function Dialog({ title, onClose, asks = false, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  const ended = useRef(false);
  useLayoutEffect(() => {
    const before = document.activeElement;
    const own = element.current;
    own?.showModal();
    // The browser would focus the button that closes.
    const first = asks ? '.form-end button' : 'input, select, textarea, [data-first=true]';
    own?.querySelector<HTMLElement>(first)?.focus();
    return () => {
      // While it is open, nothing beside it takes the focus.
      ended.current = true;
      own?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  // An ended one tells of it late, when another may be open.
  const tell = () => {
    if (!ended.current) onClose();
  };
  return (
    <dialog
      ref={element}
      class="dialog"
      {...(asks ? { role: 'alertdialog' as const } : {})}
      aria-labelledby={id}
      onClose={tell}
      onKeyDown={goRound}
    >
      <header class="dialog-head">
        <h2 id={id}>{title}</h2>
        <button type="button" class="button quiet" aria-label={TEXT.close} onClick={onClose}>
          ×
        </button>
      </header>
      {children}
    </dialog>
  );
}

const FOCUSABLE = 'a[href], button:not([tabindex="-1"]), input, select, textarea, [tabindex="0"]';

/** The browser's own order leads out of the page behind the last control. */
function goRound(event: KeyboardEvent): void {
  const { key, shiftKey, currentTarget } = event;
  if (key !== 'Tab' || !(currentTarget instanceof HTMLElement)) return;
  const controls = [...currentTarget.querySelectorAll<HTMLElement>(FOCUSABLE)];
  const last = controls.at(shiftKey ? 0 : -1);
  if (last !== document.activeElement) return;
  event.preventDefault();
  controls.at(shiftKey ? -1 : 0)?.focus();
}

interface FormDialogProps extends DialogProps {
  readonly confirm: string;
  readonly busy: boolean;
  readonly onConfirm: () => void;
}

export function FormDialog({ confirm, busy, onConfirm, children, ...rest }: FormDialogProps) {
  return (
    <Dialog {...rest}>
      <Form onSubmit={() => (busy ? undefined : onConfirm())}>
        {children}
        <div class="form-end">
          <button type="button" class="button" onClick={rest.onClose}>
            {TEXT.cancel}
          </button>
          <button type="submit" class="button main" aria-disabled={busy}>
            {confirm}
          </button>
        </div>
      </Form>
    </Dialog>
  );
}
