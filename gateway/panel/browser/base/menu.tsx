/** Menu button by the ARIA pattern: arrows move, Enter chooses, Esc closes and gives focus back. */
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface MenuItem {
  readonly key: string;
  readonly text: string;
  readonly chosen?: boolean;
  readonly choose: () => void;
}

interface MenuProps {
  readonly label: string;
  /** On the button in place of its label. */
  readonly drawn?: ComponentChildren;
  readonly items: readonly MenuItem[];
  readonly class?: string;
  readonly shortcut?: string;
  readonly disabled?: boolean;
  /** Shown in an open menu without items. */
  readonly empty?: ComponentChildren;
}

export function Menu({
  label,
  drawn,
  items,
  class: name = 'button',
  shortcut,
  disabled,
  empty,
}: MenuProps) {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const filled = items.length > 0;
  // Before the next key: a fast one must find the focus in the menu.
  useLayoutEffect(
    () => (open ? enter(box.current, () => setOpen(false)) : undefined),
    [open, filled],
  );
  const onKeyDown = (event: KeyboardEvent) => {
    if (!open) return;
    if (event.key === 'Escape') close();
    else if (event.key === 'Tab') setOpen(false);
    else if (!moveFocus(itemsIn(box.current), event.key)) return;
    if (event.key === 'Tab') return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the button and the items in it
    <div class="menu-box" ref={box} onKeyDown={onKeyDown}>
      <button
        ref={button}
        type="button"
        class={name}
        aria-label={drawn === undefined ? undefined : label}
        title={drawn === undefined ? undefined : label}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        aria-keyshortcuts={shortcut}
        disabled={disabled}
        onClick={() => setOpen(!open)}
      >
        {drawn ?? label}
      </button>
      {open ? <MenuList id={id} label={label} items={items} empty={empty} close={close} /> : null}
    </div>
  );
}

/** The first item gets the focus, or the button of none; a press elsewhere leaves the menu. */
function enter(box: HTMLElement | null, leave: () => void): () => void {
  (itemsIn(box)[0] ?? box?.querySelector('button'))?.focus();
  const onPointer = ({ target }: PointerEvent) => {
    if (target instanceof Node && !box?.contains(target)) leave();
  };
  document.addEventListener('pointerdown', onPointer);
  return () => document.removeEventListener('pointerdown', onPointer);
}

interface MenuListProps extends Pick<MenuProps, 'label' | 'items' | 'empty'> {
  readonly id: string;
  readonly close: () => void;
}

function MenuList({ id, label, items, empty, close }: MenuListProps) {
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => placeBelow(list.current), []);
  if (items.length === 0) {
    return (
      <div class="menu" id={id} ref={list}>
        {empty}
      </div>
    );
  }
  return (
    <div class="menu" role="menu" id={id} aria-label={label} ref={list}>
      {items.map(({ key, text, chosen, choose }) => (
        <button
          key={key}
          type="button"
          role="menuitem"
          tabIndex={-1}
          aria-current={chosen ? 'true' : undefined}
          class={chosen ? 'menu-item chosen' : 'menu-item'}
          onClick={() => {
            close();
            choose();
          }}
        >
          {text}
        </button>
      ))}
    </div>
  );
}

const EDGE_PX = 8;

/** Fixed, since a scrolling column would clip it; inside the window on every side. */
function placeBelow(list: HTMLElement | null): void {
  const anchor = list?.parentElement?.getBoundingClientRect();
  if (!list || !anchor) return;
  const { width, height } = list.getBoundingClientRect();
  const below = anchor.bottom + height + EDGE_PX <= window.innerHeight;
  const top = below ? anchor.bottom : Math.max(EDGE_PX, anchor.top - height);
  const left = Math.min(anchor.left, window.innerWidth - width - EDGE_PX);
  list.style.top = `${top}px`;
  list.style.left = `${Math.max(EDGE_PX, left)}px`;
}

function itemsIn(box: HTMLElement | null): readonly HTMLElement[] {
  return [...(box?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
}

/** True for a key of the menu. */
function moveFocus(items: readonly HTMLElement[], key: string): boolean {
  const at = items.findIndex((each) => each.matches(':focus'));
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[key];
  if (to === undefined) return false;
  items.at(to % items.length)?.focus();
  return true;
}
