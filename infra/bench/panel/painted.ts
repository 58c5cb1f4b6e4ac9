/**
 * Script of a measured page: it notes when a marked text is painted. A mutation of the document is
 * painted in the next frame. The frame's callback runs ahead of the paint, and a message that it
 * posts runs behind it.
 */
import * as v from 'valibot';

const MARK = 'medida-';

export function markedText(n: number): string {
  return `${MARK}${n} chegou agora`;
}

const PaintedSchema = v.object({
  n: v.number(),
  /** `thread`: in the open log; `list`: elsewhere on the page. */
  place: v.picklist(['list', 'thread']),
  /** Epoch milliseconds, by the machine's clock as the load's. */
  at: v.number(),
});
export type Painted = v.InferOutput<typeof PaintedSchema>;

export function parsePainted(value: unknown): readonly Painted[] {
  return v.parse(v.array(PaintedSchema), value);
}

/** Runs in the page ahead of its own scripts. */
export const NOTE_PAINTS = `
globalThis.painted = [];
const known = new Set();
const waiting = [];
const behindPaint = new MessageChannel();
behindPaint.port1.onmessage = () => {
  const at = Date.now();
  for (const mark of waiting.splice(0)) globalThis.painted.push({ ...mark, at });
};
function note(node) {
  for (const [, digits] of node.textContent.matchAll(/${MARK}(\\d+)/g)) {
    const element = node.nodeType === Node.TEXT_NODE ? node.parentElement : node;
    const place = element?.closest('[role=log]') ? 'thread' : 'list';
    const key = place + digits;
    if (known.has(key)) continue;
    known.add(key);
    requestAnimationFrame(() => {
      waiting.push({ n: Number(digits), place });
      behindPaint.port2.postMessage(null);
    });
  }
}
new MutationObserver((mutations) => {
  for (const { type, target, addedNodes } of mutations) {
    if (type === 'characterData') note(target);
    else for (const node of addedNodes) note(node);
  }
}).observe(document, { subtree: true, childList: true, characterData: true });
`;

/** Takes what was noted since the last time. */
export const TAKE_PAINTS = 'globalThis.painted.splice(0)';
