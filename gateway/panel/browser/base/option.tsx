/** An option of a list beside a text box that keeps the focus (combobox of the ARIA pattern). */
import type { ComponentChildren } from 'preact';

interface OptionProps {
  /** The box names it by `aria-activedescendant`. */
  readonly id: string;
  readonly active: boolean;
  readonly onChosen: () => void;
  readonly children: ComponentChildren;
}

export function Option({ id, active, onChosen, children }: OptionProps) {
  return (
    <button
      id={id}
      type="button"
      class="option"
      role="option"
      tabIndex={-1}
      aria-selected={active}
      // The box keeps the focus.
      onPointerDown={(event) => event.preventDefault()}
      onClick={onChosen}
    >
      {children}
    </button>
  );
}
