/** Small parts of every screen: links, alerts, empty states, fields. */
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { TEXT } from '../sentences.ts';
import type { Refused } from './call.ts';
import { followInside } from './router.ts';
import { useFocusIfWrong, WrongValue, wrongValueOf } from './wrong-value.tsx';

interface LinkProps {
  readonly to: string;
  readonly class?: string;
  readonly current?: boolean;
  readonly label?: string;
  readonly children: ComponentChildren;
}

export function Link({ to, class: name, current, label, children }: LinkProps) {
  return (
    <a
      href={to}
      {...(name === undefined ? {} : { class: name })}
      {...(label === undefined ? {} : { 'aria-label': label })}
      {...(current ? { 'aria-current': 'page' as const } : {})}
      onClick={followInside}
    >
      {children}
    </a>
  );
}

/** The initials beside a name, of a phone its end. They are drawn, and no text of the page. */
export function Avatar({ name }: { readonly name: string }) {
  const words = name.match(/\p{L}[\p{L}\p{M}]*/gu) ?? [];
  const initials = [words[0], words.at(-1)].map((word) => [...(word ?? '')][0] ?? '');
  const drawn = words.length === 0 ? name.slice(-2) : initials.slice(0, words.length).join('');
  return <span class="avatar" aria-hidden="true" data-drawn={drawn} />;
}

interface EmptyProps {
  readonly title: string;
  readonly text?: string;
  readonly children?: ComponentChildren;
}

/** An empty state names the next step. */
export function Empty({ title, text, children }: EmptyProps) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {text === undefined ? null : <p>{text}</p>}
      {children}
    </div>
  );
}

interface ScrolledProps {
  readonly label: string;
  readonly children: ComponentChildren;
}

/** Content that may be wider than the screen; the keyboard scrolls it. */
export function Scrolled({ label, children }: ScrolledProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
    <figure class="scrolled" aria-label={label} tabIndex={0}>
      {children}
    </figure>
  );
}

interface TableProps extends ScrolledProps {
  /** Names of the columns, in order. */
  readonly columns: readonly string[];
}

/** A table with its head; the rows are its children. */
export function Table({ label, columns, children }: TableProps) {
  return (
    <Scrolled label={label}>
      <table class="table">
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </Scrolled>
  );
}

interface FormProps {
  readonly class?: string;
  readonly onSubmit: () => void;
  readonly children: ComponentChildren;
}

export function Form({ class: name = 'form', onSubmit, children }: FormProps) {
  return (
    <form
      class={name}
      onSubmit={(event) => {
        event.preventDefault();
        // A dialog's form may stand inside another one in the tree of components.
        event.stopPropagation();
        onSubmit();
      }}
    >
      {children}
    </form>
  );
}

interface AlertProps {
  readonly refused: Refused | null;
  readonly onAgain?: () => void;
  readonly children?: ComponentChildren;
}

/** The server's own sentence, with the fields that it names. */
export function Alert({ refused, onAgain, children }: AlertProps) {
  if (refused === null) return null;
  return (
    <div class="alert" role="alert">
      <p>{refused.sentence}</p>
      {refused.issues.length === 0 ? null : (
        <ul>
          {refused.issues.map(({ path, message }) => (
            <li key={path}>{message}</li>
          ))}
        </ul>
      )}
      {children}
      {onAgain ? (
        <button type="button" class="button" onClick={onAgain}>
          {TEXT.again}
        </button>
      ) : null}
    </div>
  );
}

/** In place of a part whose script did not come. */
export function Missing({ failed }: { readonly failed: boolean }) {
  if (!failed) return null;
  return (
    <p class="alert" role="alert">
      {TEXT.errors.screen}
    </p>
  );
}

/** The compiler knows the attributes of an input by its literal type only. */
const TYPES = {
  text: { type: 'text' },
  email: { type: 'email' },
  password: { type: 'password' },
  date: { type: 'date' },
  time: { type: 'time' },
  tel: { type: 'tel' },
} as const;

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly type?: keyof typeof TYPES;
  readonly required?: boolean;
  readonly autocomplete?: string;
  readonly focused?: boolean;
  readonly maxLength?: number;
  /** True: the key is done with, and sends no form. */
  readonly onEnter?: () => boolean;
  /** What is wrong with the value; the first such field has the focus. */
  readonly error?: string | undefined;
}

export function Field(props: FieldProps) {
  const { label, value, onValue, focused, onEnter, error, type, ...rest } = props;
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (focused) input.current?.focus();
  }, []);
  useFocusIfWrong(input, error);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        class="input"
        {...TYPES[type ?? 'text']}
        {...rest}
        {...wrongValueOf({ id, error })}
        value={value}
        ref={input}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.isComposing) return;
          if (onEnter?.() === true) event.preventDefault();
        }}
      />
      <WrongValue {...{ id, label, error }} />
    </div>
  );
}

interface CheckProps {
  readonly text: string;
  readonly checked: boolean;
  readonly onChecked: (checked: boolean) => void;
  readonly disabled?: boolean;
}

/** A checkbox and its label, which never stand in two lines. */
export function Check({ text, checked, onChecked, disabled = false }: CheckProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={({ currentTarget }) => onChecked(currentTarget.checked)}
      />
      <span>{text}</span>
    </label>
  );
}

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly options: readonly (readonly [value: string, text: string])[];
  /** The label is spoken only. */
  readonly quiet?: boolean;
  /** Many options, which are no text of the page: a search in the page passes them by. */
  readonly aside?: boolean;
  /** What is wrong with the choice. */
  readonly error?: string | undefined;
}

export function Select({ label, value, onValue, options, quiet, aside, error }: SelectProps) {
  const id = useId();
  const select = useRef<HTMLSelectElement>(null);
  useFocusIfWrong(select, error);
  return (
    <div class="field">
      <label for={id} class={quiet ? 'spoken' : ''}>
        {label}
      </label>
      <select
        id={id}
        class="input"
        {...wrongValueOf({ id, error })}
        value={value}
        ref={select}
        onChange={({ currentTarget }) => onValue(currentTarget.value)}
      >
        {options.map(([each, text]) =>
          aside ? (
            <option key={each} value={each} label={text} />
          ) : (
            <option key={each} value={each}>
              {text}
            </option>
          ),
        )}
      </select>
      <WrongValue {...{ id, label, error }} />
    </div>
  );
}
