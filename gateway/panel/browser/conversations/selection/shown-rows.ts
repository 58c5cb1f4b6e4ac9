/** The selection, and the page that it stands on: the rows of the list, and the focus in it. */
import { useLayoutEffect } from 'preact/hooks';
import { anchorId, appliedFilter, letGo, type Row, shown } from './selection.ts';

/** @param filter of the list; `isRead` once the rows are those of the filter */
export function useShownRows(
  rows: readonly Row[],
  { filter, isRead }: { readonly filter: string; readonly isRead: boolean },
): void {
  // Before the next press: a range is of the rows that are seen.
  useLayoutEffect(() => {
    shown.value = rows;
    if (!isRead || appliedFilter.value === filter) return;
    appliedFilter.value = filter;
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
