/** Comments of code, line by line. */
import {
  isNoSubstitutionTemplateLiteral,
  isRegularExpressionLiteral,
  isStringLiteral,
  isTemplateHead,
  isTemplateMiddle,
  isTemplateTail,
} from 'typescript/unstable/ast';
import { lineOf, nodesOf, type Source, startOf } from '../../infra/tools/source.ts';

/** The text with everything in quotes blanked out, so that each comment mark opens a comment. */
function withoutLiterals(source: Source): string {
  let text = '';
  let at = 0;
  for (const node of nodesOf(source.tree)) {
    const literal =
      isStringLiteral(node) ||
      isNoSubstitutionTemplateLiteral(node) ||
      isTemplateHead(node) ||
      isTemplateMiddle(node) ||
      isTemplateTail(node) ||
      isRegularExpressionLiteral(node);
    if (!literal) continue;
    const start = startOf(source, node);
    if (start < at) continue;
    text +=
      source.text.slice(at, start) + source.text.slice(start, node.end).replace(/[^\n]/g, '_');
    at = node.end;
  }
  return text + source.text.slice(at);
}

interface Comment {
  readonly line: number;
  readonly text: string;
}

type Comments = readonly (readonly Comment[])[];

const comments = new WeakMap<Source, Comments>();

/** The lines of every comment, without their marks; neighbouring `//` lines are one comment. */
export function commentsOf(source: Source): Comments {
  const known = comments.get(source) ?? readComments(source);
  comments.set(source, known);
  return known;
}

function readComments(source: Source): Comments {
  const blanked = withoutLiterals(source);
  const whole = /\/\*[\s\S]*?\*\/|\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*/g;
  return [...blanked.matchAll(whole)].map((match) => {
    const first = lineOf(source, match.index);
    return match[0].split('\n').map((content, index) => ({
      line: first + index,
      text: content.replace(/^\s*(\/\/|\/\*\*?|\*\/|\*)?\s?/, '').replace(/\*\/$/, ''),
    }));
  });
}
