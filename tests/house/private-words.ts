/**
 * Private words for textbook mechanisms, and the standard terms that are taken instead
 * (docs/glossary.md). None may come back, as a part of an identifier or in a sentence.
 */
import { isIdentifier, isPrivateIdentifier } from 'typescript/unstable/ast';
import { sentencesOf } from './prose.ts';
import { type Finding, found, nodesOf, type Rule, type TextFile } from './source.ts';

const TAKE: ReadonlyMap<string, string> = new Map([
  ['desk', 'sender, worker'],
  ['forerunner', 'predecessor'],
  ['hopeful', 'optimistic'],
  ['hungry', 'needs refill'],
  ['insist', 'ask until acknowledged'],
  ['keeper', 'maintainer'],
  ['lane', 'conversation queue'],
  ['ledger', 'counter document'],
  ['lookout', 'due poller'],
  ['patiently', 'with retry, deferrable'],
  ['ridden', 'with admission'],
  ['seat', 'permit'],
  ['shelf', 'cache'],
  ['shelves', 'caches'],
  ['tally', 'counter'],
  ['tray', 'delivery queue'],
  ['turner', 'fair semaphore'],
  ['wish', 'request'],
  ['worn', 'needs compaction'],
]);
/** Names of collections that are stored. */
const STORED: ReadonlySet<string> = new Set(['tallies', 'tallySteps']);

export const privateIdentifier: Rule = (source) => {
  const findings: Finding[] = [];
  for (const node of nodesOf(source.tree)) {
    if (!isIdentifier(node) && !isPrivateIdentifier(node)) continue;
    if (STORED.has(node.text)) continue;
    const word = partsOf(node.text).find((part) => termFor(part) !== null);
    if (word !== undefined) findings.push(found(source, node, messageFor(node.text, word)));
  }
  return findings;
};

export const privateProse: Rule<TextFile> = (file) =>
  sentencesOf(file).flatMap(({ line, text }) => {
    const words =
      text
        .replace(/`[^`]*`/g, ' ')
        .toLowerCase()
        .match(/[a-z]+/g) ?? [];
    const word = words.find((each) => termFor(each) !== null);
    return word === undefined ? [] : [{ path: file.path, line, message: messageFor(text, word) }];
  });

function partsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
}

function termFor(word: string): string | null {
  const singular = [word, word.replace(/s$/, ''), word.replace(/es$/, '')];
  const known = singular.find((each) => TAKE.has(each));
  return known === undefined ? null : (TAKE.get(known) ?? null);
}

function messageFor(text: string, word: string): string {
  return `${word}: take ${termFor(word)}: ${text}`;
}
