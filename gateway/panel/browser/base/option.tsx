/** An option of a list beside a text box that keeps the focus (combobox of the ARIA pattern). */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

interface OptionProps {
  /** The box names it by `aria-activedescendant`. */
  readonly id: string;
  readonly active: boolean;
  readonly onChosen: () => void;
  readonly children: ComponentChildren;
}

/**
 * The option that the arrow keys have reached: by its id, as another one may come before it while
 * a finger is on its way to Enter.
 * @param first where no key has reached one
 */
export function useActive(options: readonly { readonly id: string }[], first: -1 | 0) {
  const [id, setId] = useState<string | null>(null);
  const index = options.findIndex((option) => option.id === id);
  return {
    active: index < 0 ? first : index,
    reach: (next: number) => setId(options[next]?.id ?? null),
  };
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
