/**
 * FNV-1a, 32 bit, unsigned, over the UTF-16 units of a text from `start` to `end`; of ASCII the
 * hash that NATS's own partition mapping uses.
 */
export function fnv1a(text: string, start = 0, end = text.length): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
