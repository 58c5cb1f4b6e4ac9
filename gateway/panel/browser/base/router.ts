/** Router over the history API: one signal holds path, query and fragment of the page. */
import { signal } from '@preact/signals';

export interface Place {
  readonly path: string;
  readonly search: string;
}

export const place = signal<Place>(current());

function current(): Place {
  return { path: location.pathname, search: location.search };
}

window.addEventListener('popstate', () => {
  place.value = current();
});

export function go(to: string, how: 'push' | 'replace' = 'push'): void {
  if (to === location.pathname + location.search) return;
  if (how === 'push') history.pushState(null, '', to);
  else history.replaceState(null, '', to);
  place.value = current();
}

/** Leads elsewhere for a while: the entry in the history remembers the place that was left. */
export function detour(to: string): void {
  if (location.pathname === to) return;
  history.replaceState({ from: location.pathname + location.search }, '', to);
  place.value = current();
}

/** Back to the place that a detour has left; the root after none. */
export function endDetour(): void {
  const { from }: { readonly from?: unknown } = history.state ?? {};
  go(typeof from === 'string' ? from : '/', 'replace');
}

/** The part of the path behind the screen's own; empty where there is none. */
export function idIn(path: string): string {
  return decodeURIComponent(path.split('/')[2] ?? '');
}

/** A plain click of a link becomes a move inside the page. */
export function followInside(event: MouseEvent): void {
  const link = event.currentTarget;
  if (!(link instanceof HTMLAnchorElement) || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  go(link.pathname + link.search);
}
