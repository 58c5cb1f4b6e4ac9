/** Modal dialog over the browser's own element: focus stays inside and returns at the end. */
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { TEXT } from '../sentences.ts';
import { Form } from './parts.tsx';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    // The browser would focus the button that closes.
    element.current?.querySelector<HTMLElement>('input, select, textarea')?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog ref={element} class="dialog" aria-labelledby={id} onClose={onClose}>
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

interface FormDialogProps extends DialogProps {
  readonly confirm: string;
  readonly busy: boolean;
  readonly onConfirm: () => void;
}

export function FormDialog({ confirm, busy, onConfirm, children, ...rest }: FormDialogProps) {
  return (
    <Dialog {...rest}>
      <Form onSubmit={onConfirm}>
        {children}
        <div class="form-end">
          <button type="button" class="button" onClick={rest.onClose}>
            {TEXT.cancel}
          </button>
          <button type="submit" class="button main" disabled={busy}>
            {confirm}
          </button>
        </div>
      </Form>
    </Dialog>
  );
}
