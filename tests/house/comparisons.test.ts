/**
 * Data of unauthenticated callers is compared with a secret in constant time, and in one place
 * only: `infra/adapters/network/webhook-body.ts`. Keys are not compared but looked up by their
 * digest.
 */
import { test } from 'node:test';
import { isBinaryExpression, isCallExpression, SyntaxKind } from 'typescript/unstable/ast';
import {
  type Finding,
  found,
  nodesOf,
  parse,
  type Rule,
  readTexts,
  textOf,
} from '../../infra/tools/source.ts';
import { keptBy, provesToBite } from './bites.ts';

const THE_PLACE = 'infra/adapters/network/webhook-body.ts';
/** Code in which data of unauthenticated callers meets a secret. */
const REACHED =
  /^(gateway|infra\/adapters\/(network|outbound|secrets)|actors\/(channel|domain|organization|queries))\//;
/** The operator's own secrets against the operator's own file, on no other caller's request. */
const OPERATORS = /^actors\/domain\/organization\/\w+\.ts$/;

const EQUALITIES: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.EqualsEqualsToken,
  SyntaxKind.EqualsEqualsEqualsToken,
  SyntaxKind.ExclamationEqualsToken,
  SyntaxKind.ExclamationEqualsEqualsToken,
]);
const SECRET = /(secret|signature|hmac|mac|token|digest|password)(\(.*\))?$/i;
/** Comparisons that read no secret: its absence, its length. */
const HARMLESS = /^(undefined|null|true|false|''|""|-?\d+|.*\.length)$/;
const COMPARES = /\.(equals|localeCompare|compare)$/;

const oneByOne: Rule = (source) => {
  const { path } = source;
  if (!REACHED.test(path) || OPERATORS.test(path) || path === THE_PLACE) return [];
  const findings: Finding[] = [];
  for (const node of nodesOf(source.tree)) {
    if (isBinaryExpression(node) && EQUALITIES.has(node.operatorToken.kind)) {
      const sides = [textOf(source, node.left), textOf(source, node.right)];
      const guarded = sides.some((side) => SECRET.test(side));
      if (guarded && !sides.some((side) => HARMLESS.test(side))) {
        findings.push(found(source, node, 'compare secrets by sameSecret or signatureHolds'));
      }
    }
    if (!isCallExpression(node)) continue;
    const called = textOf(source, node.expression);
    const named = [called.replace(COMPARES, ''), ...node.arguments.map((a) => textOf(source, a))];
    if (COMPARES.test(called) && named.some((each) => SECRET.test(each))) {
      findings.push(found(source, node, 'compare secrets by sameSecret or signatureHolds'));
    }
    if (called === 'timingSafeEqual') {
      findings.push(found(source, node, `timingSafeEqual belongs to ${THE_PLACE}`));
    }
  }
  return findings;
};

const sources = parse(readTexts());

test('secrets are compared in one place, in constant time', () => {
  keptBy(sources, oneByOne);
  provesToBite(oneByOne, {
    bad: [
      ['infra/adapters/network/cloud/a.ts', "if (query['x'] === network.verifyToken) f();"],
      ['infra/adapters/network/web/a.ts', 'const ok = given !== expectedSignature;'],
      ['gateway/a.ts', 'const ok = key.digest == known.digest;'],
      ['gateway/a.ts', "f(hmac === createHash('sha256').digest('hex'));"],
      ['gateway/a.ts', 'f(given.equals(secret));'],
      ['gateway/a.ts', 'timingSafeEqual(a, b);'],
    ],
    good: [
      [THE_PLACE, 'const a = timingSafeEqual(given, digest);'],
      ['gateway/a.ts', 'if (secret === undefined || token.length !== 3) f();'],
      ['infra/programs/simulator/a.ts', 'f(network.accessToken === token);'],
      ['gateway/a.ts', 'if (token.kind === other.kind) f();'],
    ],
  });
});
