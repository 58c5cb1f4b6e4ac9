/**
 * Text of others within a line of ours. Its direction ends with it: neither a right-to-left name
 * nor a control character turns round what stands beside it.
 */

/** Marks, embeddings, overrides and isolates of the Unicode bidirectional algorithm. */
const CONTROLS = /([\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069])/;
const DIRECTED = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const FIRST_STRONG_ISOLATE = '\u2068';
const POP_DIRECTIONAL_ISOLATE = '\u2069';

/** Each control stands in a box of its own: the text is whole, and nothing is turned round. */
export function Isolated({ text }: { readonly text: string }) {
  return (
    <bdi>
      {text
        .split(CONTROLS)
        .map((part, index) => (index % 2 === 0 ? part : <span class="control">{part}</span>))}
    </bdi>
  );
}

/** For sentences and labels, which are plain text: without controls, isolated where needed. */
export function isolated(text: string): string {
  const plain = text.split(CONTROLS).filter((_, index) => index % 2 === 0);
  const isDirected = plain.length > 1 || DIRECTED.test(text);
  if (!isDirected) return text;
  return FIRST_STRONG_ISOLATE + plain.join('') + POP_DIRECTIONAL_ISOLATE;
}
