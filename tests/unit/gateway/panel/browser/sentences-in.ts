/** The sentences of a source file: its texts of several words, with `{}` where a value stands. */
import {
  isCallExpression,
  isNoSubstitutionTemplateLiteral,
  isStringLiteral,
  isTemplateExpression,
  type Node,
} from 'typescript/unstable/ast';
import { nodesOf, type Source, textOf } from '../../../../../infra/tools/source.ts';

/** Names of types in the reference are no sentences. */
const NOT_TOLD = /^(v\.title|new \w+Error)$/;

export function sentencesIn(source: Source): readonly string[] {
  const left = new Set<Node>();
  const found: string[] = [];
  for (const node of nodesOf(source.tree)) {
    if (isCallExpression(node) && NOT_TOLD.test(textOf(source, node.expression))) {
      for (const argument of node.arguments) left.add(argument);
    }
    if (left.has(node)) continue;
    const sentence = sentenceOf(node);
    if (sentence !== null && /[a-z]\S* \S/i.test(sentence)) found.push(sentence);
  }
  return found;
}

function sentenceOf(node: Node): string | null {
  if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!isTemplateExpression(node)) return null;
  return node.head.text + node.templateSpans.map(({ literal }) => `{}${literal.text}`).join('');
}
