/**
 * Rules on log lines for which tests wait. A constant of `shared/log-events.ts` is the only way to
 * name one, so that the compiler refuses a line that no program writes.
 */
import {
  isCallExpression,
  isNoSubstitutionTemplateLiteral,
  isPrefixUnaryExpression,
  isPropertyAccessExpression,
  isRegularExpressionLiteral,
  isStringLiteral,
  isTemplateHead,
  isTemplateMiddle,
  isTemplateTail,
  type Node,
} from 'typescript/unstable/ast';
import { LOG_EVENT, TERMINAL_EVENT } from '../../shared/log-events.ts';
import { found, nodesOf, type Rule, type Source, textOf } from './source.ts';

const TABLES = { LOG_EVENT, TERMINAL_EVENT };
const HOME = 'shared/log-events.ts';

/** Texts of one word are words of the vocabulary as well: they are found by the folder alone. */
const PHRASES = Object.values(TABLES)
  .flatMap((table) => Object.values(table))
  .filter((text) => text.includes(' '));

/** Of these the logs as a whole are the subject, not the lines of one event. */
const WHOLE_LOGS: ReadonlySet<string> = new Set([
  'tests/faults/chaos/missing.ts',
  'tests/service/gateway/panel/in-no-log.ts',
  'tests/parts/infra/programs/supervisor/start-options.test.ts',
  'tests/parts/infra/programs/supervisor/start-waits.test.ts',
  'tests/service/security/local-users.test.ts',
  'tests/support/stack.ts',
]);

const isTest = ({ path }: Source): boolean =>
  path.startsWith('tests/') && !path.startsWith('tests/tidy/');
const isBench = ({ path }: Source): boolean => path.startsWith('infra/bench/');
const isProducer = (source: Source): boolean =>
  /^(actors|gateway|infra)\//.test(source.path) && !isBench(source);

const isPlainText = (node: Node | undefined): node is Node =>
  node !== undefined &&
  (isStringLiteral(node) ||
    isNoSubstitutionTemplateLiteral(node) ||
    isRegularExpressionLiteral(node));

const isText = (node: Node): boolean =>
  isPlainText(node) || isTemplateHead(node) || isTemplateMiddle(node) || isTemplateTail(node);

/** An event of the table by its text. */
export const literalEvent: Rule = (source) => {
  if (source.path === HOME || !(isTest(source) || isProducer(source) || isBench(source))) return [];
  return [...nodesOf(source.tree)].filter(isText).flatMap((node) => {
    const phrase = PHRASES.find((each) => textOf(source, node).includes(each));
    return phrase === undefined ? [] : [found(source, node, `'${phrase}' is in ${HOME}`)];
  });
};

/** A log read by hand, where `loggedLines` takes a `LogEvent`. */
export const logByHand: Rule = (source) => {
  if (!(isTest(source) || isBench(source)) || WHOLE_LOGS.has(source.path)) return [];
  return [...nodesOf(source.tree)]
    .filter(isCallExpression)
    .filter((call) => /\bjoin$/.test(textOf(source, call.expression)))
    .filter((call) =>
      call.arguments.some((each) => isStringLiteral(each) && /^(.*\/)?logs(\/|$)/.test(each.text)),
    )
    .map((call) => found(source, call, 'lines of a log are read by loggedLines'));
};

const LOGGED = /\b(story|output)\(\)|\blog(s|ged|Lines|Of)?\b/;

/** The absence of a text, in what a process has logged or told, that only a literal names. */
export const literalAbsence: Rule = (source) => {
  if (!isTest(source)) return [];
  return [...nodesOf(source.tree)]
    .filter((node) => deniesLiteral(source, node))
    .map((node) => found(source, node, `an absence is asserted of a constant, as of ${HOME}`));
};

function deniesLiteral(source: Source, node: Node): boolean {
  if (isCallExpression(node) && /\bdoesNotMatch$/.test(textOf(source, node.expression))) {
    const [text, pattern] = node.arguments;
    return text !== undefined && LOGGED.test(textOf(source, text)) && isPlainText(pattern);
  }
  if (!isPrefixUnaryExpression(node) || !isCallExpression(node.operand)) return false;
  const { expression, arguments: given } = node.operand;
  if (!isPropertyAccessExpression(expression)) return false;
  const receiver = textOf(source, expression.expression);
  const method = textOf(source, expression.name);
  if (method === 'includes') return LOGGED.test(receiver) && isPlainText(given[0]);
  const isSearch = method === 'test' && isPlainText(expression.expression);
  return isSearch && given[0] !== undefined && LOGGED.test(textOf(source, given[0]));
}

/** Constants that no program logs, or for which neither a test, a benchmark nor a page waits. */
export function idleEvents(sources: readonly Source[], pages: readonly string[]): string[] {
  const textIn = (files: readonly Source[]) => files.map(({ text }) => text).join('\n');
  const produced = textIn(sources.filter(isProducer));
  const awaited = textIn(sources.filter((each) => isTest(each) || isBench(each)));
  return Object.entries(TABLES).flatMap(([table, events]) =>
    Object.entries(events).flatMap(([name, text]) => {
      const use = new RegExp(`\\b${table}\\.${name}\\b`);
      const isAwaited = use.test(awaited) || pages.some((page) => page.includes(`\`${text}`));
      return [
        ...(use.test(produced) ? [] : [`${table}.${name} is logged by no program`]),
        ...(isAwaited ? [] : [`${table}.${name} is waited for by nothing`]),
      ];
    }),
  );
}
