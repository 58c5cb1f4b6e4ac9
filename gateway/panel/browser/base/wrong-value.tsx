/** What is wrong with a control's value. It stands beneath; the first wrong control has the focus. */
import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

interface WrongValueProps {
  /** Of the control. */
  readonly id: string;
  readonly label: string;
  /** Unset: nothing is wrong. */
  readonly error: string | undefined;
}

export function WrongValue({ id, label, error }: WrongValueProps) {
  if (error === undefined) return null;
  return (
    <p id={`${id}-error`} class="field-error small" role="alert">
      {label}: {error}
    </p>
  );
}

/** Attributes of the control. */
export function wrongValueOf({ id, error }: Pick<WrongValueProps, 'id' | 'error'>) {
  if (error === undefined) return {};
  return { 'aria-invalid': true, 'aria-describedby': `${id}-error` } as const;
}

export function useFocusIfWrong(
  control: RefObject<HTMLElement | null>,
  error: string | undefined,
): void {
  useLayoutEffect(() => {
    if (error !== undefined && !document.querySelector('[aria-invalid=true]:focus')) {
      control.current?.focus();
    }
  }, [error]);
}
