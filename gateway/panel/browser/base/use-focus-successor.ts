/**
 * An item of a list that goes away with the focus leaves it to a neighbour, or to a heading. The
 * browser would throw it to the top of the page.
 */
import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

const CONTROL = 'button, a[href]';

/**
 * @param heading of which part: a section that may go with its last item has no heading to give
 * @param onLeft told where the item had the focus
 */
export function useFocusSuccessor(
  item: RefObject<HTMLElement | null>,
  heading: 'section' | 'main',
  onLeft?: () => void,
): void {
  useLayoutEffect(() => {
    const own = item.current;
    // The element is still in its place while its component ends.
    return () => {
      if (!own?.contains(document.activeElement)) return;
      successorOf(own, heading)?.focus();
      onLeft?.();
    };
  }, []);
}

function successorOf(item: HTMLElement, part: 'section' | 'main'): HTMLElement | null {
  for (const neighbour of [item.nextElementSibling, item.previousElementSibling]) {
    const control = neighbour?.querySelector<HTMLElement>(CONTROL);
    if (control) return control;
  }
  const heading = item.closest(part)?.querySelector<HTMLElement>('h1, h2') ?? null;
  if (heading) heading.tabIndex = -1;
  return heading;
}
