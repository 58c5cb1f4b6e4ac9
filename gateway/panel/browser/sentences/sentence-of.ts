/** The page's sentence for a code: an older page may get a code that it does not know. */
import type { CodeWithParams, Sentences } from '../../../../shared/problems/coded.ts';

export function sentenceOf<Params, Code extends keyof Params>(
  sentences: Sentences<Params>,
  { code, params }: CodeWithParams<Params, Code>,
): string {
  return Object.hasOwn(sentences, code) ? sentences[code](params) : String(code);
}
