import { plainTag } from './plain-tag.ts';

/** Identity of a tag: equal tags fold to the same text. */
export function foldTag(tag: string): string {
  return plainTag(tag.toLocaleLowerCase('pt-BR'));
}
