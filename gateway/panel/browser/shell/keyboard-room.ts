/**
 * Where a keyboard lies over the page, the page ends above it. Some browsers make the window less
 * themselves, as the page asks them to (`interactive-widget`); the others are followed here.
 */
export function endAboveKeyboard(root: HTMLElement): void {
  const shown = window.visualViewport;
  if (!shown) return;
  const fit = () => {
    const full = document.documentElement.clientHeight;
    // A part of the page is also what a reader sees who has enlarged it.
    const isCovered = shown.scale === 1 && shown.height < full - 1;
    root.style.height = isCovered ? `${shown.height}px` : '';
    // The browser has moved the page up to show the field.
    if (isCovered) window.scrollTo(0, 0);
  };
  shown.addEventListener('resize', fit);
}
