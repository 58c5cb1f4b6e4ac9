/** The network's rules for one text parameter. */
import { SENTENCES } from '../../../shared/api/sentences.ts';
import { TEMPLATE_SENTENCES } from '../../../shared/api/template-sentences.ts';

/** The network refuses them with its code 132018. */
const REFUSED_WHITESPACE = /[\n\r\t]| {5,}/;

/** A sentence, or null for a text that the network takes. */
export function parameterProblem(value: string): string | null {
  if (value === '') return SENTENCES.empty;
  return REFUSED_WHITESPACE.test(value) ? TEMPLATE_SENTENCES.whitespace : null;
}

/** Length in code points (D6). */
export function charsOf(value: string): number {
  return Array.from(value).length;
}
