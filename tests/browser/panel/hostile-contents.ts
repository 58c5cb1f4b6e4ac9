/** Texts and files that run, mislead or overflow where a page takes them for more than text. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

/** Each one that runs sets the global name `ran`. */
const PIECES = {
  markup: '<img src=x onerror=ran=1><script>ran=1</script><svg onload=ran=1>"\'><b>',
  address: 'javascript:ran=1//data:text/html,<script>ran=1</script>',
  override: 'ab\u202egnp.exe\u2069\u202ecd ',
  rightToLeft: 'שלום 12 مرحبا ',
  invisible: 'i\u200b\u200d\u2060\ufeff\u00ad',
  piled: `Z${'\u0301\u0335\u0489'.repeat(20)}`,
  unbroken: 'W',
} as const;

export type HostileKind = keyof typeof PIECES;

export const HOSTILE_KINDS: readonly HostileKind[] = [
  'markup',
  'address',
  'override',
  'rightToLeft',
  'invisible',
  'piled',
  'unbroken',
];

/** A text of exactly so many code points that begins with its kind. */
export function hostile(kind: HostileKind, chars: number): string {
  const text = `${kind} ${PIECES[kind].repeat(chars)}`;
  return Array.from(text.slice(0, 2 * chars + kind.length))
    .slice(0, chars)
    .join('');
}

export interface HostileFile {
  readonly mimeType: string;
  readonly fileName: string;
  readonly content: string;
  /** A browser can draw it: it begins like a picture. */
  readonly drawn: boolean;
}

const SCRIPT = '<script>globalThis.ran=1</script>';

export const HOSTILE_FILES: readonly HostileFile[] = [
  {
    mimeType: 'image/svg+xml',
    fileName: 'figura.svg',
    content: `<svg xmlns="http://www.w3.org/2000/svg" onload="globalThis.ran=1">${SCRIPT}</svg>`,
    drawn: false,
  },
  {
    mimeType: 'text/html',
    fileName: `<img src=x onerror=ran=1>\u202egnp.html`,
    content: `<!doctype html>${SCRIPT}`,
    drawn: false,
  },
  {
    mimeType: 'text/javascript',
    fileName: 'tabela.js',
    content: 'globalThis.ran=1',
    drawn: false,
  },
  {
    mimeType: 'application/pdf',
    fileName: 'conta.pdf',
    content: `%PDF-1.4\n${SCRIPT}`,
    drawn: false,
  },
  {
    mimeType: 'image/gif',
    fileName: 'anima.gif',
    content: 'GIF89a=1;globalThis.ran=1',
    drawn: true,
  },
  {
    mimeType: 'image/png',
    fileName: 'foto.png',
    content: `<!doctype html>${SCRIPT}`,
    drawn: false,
  },
];

/** Parts that scroll sideways by design; a textarea keeps the lines of its text. */
const SCROLLING = 'figure, textarea, .board, .side';

const TOO_WIDE = `[...document.querySelectorAll('*')].flatMap((each) => {
  const { overflowX } = getComputedStyle(each);
  const isCut = overflowX === 'hidden' && !/^(HTML|BODY|MAIN)$/.test(each.tagName);
  if (isCut || overflowX === 'clip' || overflowX === 'visible') return [];
  if (each.matches('${SCROLLING}') || each.scrollWidth <= each.clientWidth) return [];
  const { right } = each.getBoundingClientRect();
  const beyond = [...each.querySelectorAll('*')]
    .filter((inner) => inner.getBoundingClientRect().right > right)
    .map(({ tagName, textContent }) => tagName + ': ' + textContent.slice(0, 60));
  return [each.tagName + '.' + each.className + ' ' + each.scrollWidth, ...beyond.slice(0, 3)];
})`;

const ELEMENTS = [
  ...['img[src=x]', 'script:not([src])', 'svg[onload]', 'iframe', 'object', 'embed', 'b'],
  ...['a[href^="javascript:"]', 'a[href^="data:"]', '[onerror]', '[onload]'],
].join();

/** Nothing ran, nothing became an element, and nothing is wider than its place. */
export async function assertHarmless(page: Page, where: string): Promise<void> {
  assert.equal(await page.evaluate('typeof ran'), 'undefined', `${where}: something ran`);
  const made = await page.evaluate(`document.querySelectorAll('${ELEMENTS}').length`);
  assert.equal(made, 0, `${where}: a text became an element`);
  assert.deepEqual(await page.evaluate(TOO_WIDE), [], `${where}: too wide`);
  const root = 'document.documentElement';
  const wide = await page.evaluate(`${root}.scrollWidth > ${root}.clientWidth`);
  assert.equal(wide, false, `${where}: the page scrolls sideways`);
}

/** Of the first and the last character of the phone beside a contact's name. */
const leftEdgesBeside = (name: string) => `(() => {
  const links = [...document.querySelectorAll('main li a')];
  const link = links.find(({ textContent }) => textContent.includes('${name} '));
  const texts = document.createTreeWalker(link, NodeFilter.SHOW_TEXT);
  while (texts.nextNode() && !texts.currentNode.data.includes('+55'));
  const text = texts.currentNode;
  return [text.data.indexOf('+55'), text.length - 1].map((at) => {
    const range = document.createRange();
    range.setStart(text, at);
    range.setEnd(text, at + 1);
    return range.getBoundingClientRect().left;
  });
})()`;

export async function assertPhoneFromLeft(page: Page, kind: HostileKind): Promise<void> {
  const edges: unknown = await page.evaluate(leftEdgesBeside(kind));
  assert.ok(Array.isArray(edges));
  const [plus, last] = edges;
  assert.ok(plus < last, `${kind}: the phone is read from the left`);
}
