/** The selection, and the page that it stands on: the rows of the list, and the focus in it. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { anchorId, letGo, type Row, shown } from './selection.ts';

/** @param filter of the list; `isRead` once the rows are those of the filter */
export function useShownRows(
  rows: readonly Row[],
  { filter, isRead }: { readonly filter: string; readonly isRead: boolean },
): void {
  const applied = useRef<string | null>(null);
  // Before the next press: a range is of the rows that are seen.
  useLayoutEffect(() => {
    shown.value = rows;
    if (!isRead || applied.current === filter) return;
    applied.current = filter;
    letGo((id) => !rows.some((row) => row.id === id));
  }, [rows, filter, isRead]);
}

/** Where the work went on before the tools were there: the box of the last choice, or the list. */
export function focusList(): void {
  const boxes = [...document.querySelectorAll<HTMLElement>('.select-box input')];
  const last = boxes.find(({ dataset }) => dataset.id === anchorId.value);
  const next = last ?? boxes[0] ?? document.querySelector<HTMLElement>('[type=search]');
  next?.focus();
}
