/** A process that is stopped and not yet noticed must not get one query in four for long. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Responders } from '../../../../../infra/adapters/nats/responders.ts';
import { forAll } from '../../../../support/property.ts';

const NONE: ReadonlySet<string> = new Set();

/** They have answered at 0. */
function known(...subjects: readonly string[]): Responders {
  const responders = new Responders(() => 0);
  for (const subject of subjects) responders.answered(subject, 0);
  return responders;
}

test('where nobody has answered yet, the queue group is asked', () => {
  assert.equal(known().choose(NONE), null);
});

test('every known process gets its share', () => {
  const chances = [0, 0.3, 0.7, 0.99];
  const chosen = chances.map((chance) => {
    const responders = new Responders(() => chance);
    for (const subject of ['a', 'b', 'c', 'd']) responders.answered(subject, 0);
    return responders.choose(NONE);
  });
  assert.deepEqual(chosen, ['a', 'b', 'c', 'd']);
});

test('once a second all are asked who they are, so that a new process is learnt', () => {
  const responders = known();
  const asked = [5, 6, 1_004, 1_005, 1_006].map((now) => responders.startDiscovery(now));
  assert.deepEqual(asked, [true, false, false, true, false]);
});

test('a silent process gets nothing new until it is heard', () => {
  const responders = known('a', 'b');
  responders.unanswered('a', 100);
  assert.equal(responders.choose(NONE), 'b');
  responders.answered('a', 9_000);
  assert.equal(responders.choose(new Set(['b'])), 'a');
});

test('a process that has answered another ask meanwhile is not silent', () => {
  const responders = known('a', 'b');
  responders.answered('a', 120);
  responders.unanswered('a', 100);
  assert.equal(responders.choose(NONE), 'a');
});

test('a process that left the bus is forgotten', () => {
  const responders = known('a');
  responders.gone('a');
  assert.equal(responders.choose(NONE), null);
});

test('no query goes to a process twice, to a silent one, or past one that is left', () => {
  const subject = fc.constantFrom<string>('a', 'b', 'c', 'd');
  const happening = fc.record({ what: fc.constantFrom('heard', 'unanswered', 'gone'), subject });
  const chance = fc.double({ min: 0, max: 0.999, noNaN: true });
  forAll([fc.array(happening), fc.array(subject), chance], (happenings, sentTo, drawn) => {
    const responders = new Responders(() => drawn);
    const fit = new Set<string>();
    for (const [now, { what, subject }] of happenings.entries()) {
      if (what === 'heard') responders.answered(subject, now);
      if (what === 'unanswered') responders.unanswered(subject, now);
      if (what === 'gone') responders.gone(subject);
      if (what === 'heard') fit.add(subject);
      else fit.delete(subject);
    }
    const chosen = responders.choose(new Set(sentTo));
    const left = [...fit].filter((each) => !sentTo.includes(each));
    assert.ok(chosen === null ? left.length === 0 : left.includes(chosen), String(chosen));
  });
});
