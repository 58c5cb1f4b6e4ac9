import assert from 'node:assert/strict';
import test from 'node:test';
import { parse, readTexts, report } from '../../infra/tools/source.ts';
import { largeClasses, needlesslyListed } from './classes.ts';

const EXCUSED_MAX = 10;

/** Classes of more than 20 members that stay whole, each with the reason. */
const EXCUSED: ReadonlyMap<string, string> = new Map([
  ['Membership', 'one protocol: each step of joining, renewing and leaving meets the others'],
  ['Mailbox', 'one state machine, whose invariants are told and tested as a whole'],
  ['Mux', 'one protocol over one connection'],
  ['NatsBus', 'every side of one port, each on the same connection'],
  ['StoredMedia', 'every call of one port, over the same records and bytes'],
  ['ContactActor', 'a method for each command'],
  ['ConversationActor', 'what a command of a conversation may do, one method each'],
  ['OrganizationActor', 'turns of one state, whose commands have parts of their own'],
  ['PersonActor', 'a method for each command'],
]);

const LISTED = [...EXCUSED.keys()];
const sources = parse(readTexts());

test('a class of more than 20 members is listed, ten at most with a reason to stay', () => {
  assert.deepEqual(report(largeClasses(sources, LISTED)), []);
  assert.ok(EXCUSED.size <= EXCUSED_MAX);
});

test('a class that is listed needs it', () => {
  assert.deepEqual(needlesslyListed(sources, LISTED), []);
});

/** Fields of their own, or of the constructor, and one accessor of two parts. */
function planted(fields: number): string {
  const own = Array.from({ length: fields }, (_, n) => `  #field${n} = ${n};`).join('\n');
  const accessor = '  get at() { return 0; }\n  set at(_) {}';
  return `export class Planted {\n${own}\n  constructor(readonly told: number) {}\n${accessor}\n}`;
}

test('the rule on large classes bites', () => {
  const [small, large, ofTests] = parse([
    { path: 'actors/a/planted.ts', text: planted(17) },
    { path: 'shared/planted.ts', text: planted(18) },
    { path: 'tests/unit/planted.ts', text: planted(18) },
  ]);
  assert.ok(small && large && ofTests);
  assert.deepEqual(report(largeClasses([small, ofTests], [])), []);
  assert.deepEqual(report(largeClasses([small, large], [])), [
    'shared/planted.ts:1: Planted has 21 members',
  ]);
  assert.deepEqual(report(largeClasses([large], ['Planted'])), []);
  assert.deepEqual(needlesslyListed([large], ['Planted']), []);
  assert.deepEqual(needlesslyListed([small, ofTests], ['Planted']), ['Planted']);
});
