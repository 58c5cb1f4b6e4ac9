/**
 * Size of classes (D381): one of more than 20 members stands in a list, with the reason. A member
 * is a field, an accessor, a method or the constructor; each name counts once. Classes are listed
 * by name: they may move.
 */
import {
  type ClassDeclaration,
  type ClassExpression,
  isClassDeclaration,
  isClassExpression,
  isConstructorDeclaration,
  isGetAccessorDeclaration,
  isMethodDeclaration,
  isPropertyDeclaration,
  isSetAccessorDeclaration,
  type Node,
} from 'typescript/unstable/ast';
import { type Finding, found, nodesOf, type Source, textOf } from '../../infra/tools/source.ts';

const MEMBERS_MAX = 20;
const BOUND = /^(gateway|actors|shared|infra)\//;

interface LargeClass {
  readonly name: string;
  readonly finding: Finding;
}

/** The names that a member declares; none for one that only stands for types. */
function namesOf(source: Source, member: Node): readonly string[] {
  if (isConstructorDeclaration(member)) {
    const fields = member.parameters.filter(({ modifiers }) => (modifiers?.length ?? 0) > 0);
    return ['constructor', ...fields.map(({ name }) => textOf(source, name))];
  }
  const isNamed =
    isMethodDeclaration(member) ||
    isPropertyDeclaration(member) ||
    isGetAccessorDeclaration(member) ||
    isSetAccessorDeclaration(member);
  return isNamed ? [textOf(source, member.name)] : [];
}

function largeIn(source: Source): readonly LargeClass[] {
  if (!BOUND.test(source.path)) return [];
  const classes = nodesOf(source.tree).filter(
    (node): node is ClassDeclaration | ClassExpression =>
      isClassDeclaration(node) || isClassExpression(node),
  );
  return classes.flatMap((node) => {
    const { size } = new Set(node.members.flatMap((member) => namesOf(source, member)));
    if (size <= MEMBERS_MAX) return [];
    const name = node.name ? textOf(source, node.name) : 'a class without a name';
    return [{ name, finding: found(source, node, `${name} has ${size} members`) }];
  });
}

/** Classes of more members that are not listed. */
export function largeClasses(
  sources: readonly Source[],
  listed: readonly string[],
): readonly Finding[] {
  const large = sources.flatMap(largeIn).filter(({ name }) => !listed.includes(name));
  return large.map(({ finding }) => finding);
}

/** Listed ones that need no place in the list any more. */
export function needlesslyListed(
  sources: readonly Source[],
  listed: readonly string[],
): readonly string[] {
  const large = new Set(sources.flatMap(largeIn).map(({ name }) => name));
  return listed.filter((name) => !large.has(name));
}
