/** Log lines for which tests and operators wait are constants of one table, and are logged. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isLogEvent, LOG_EVENT } from '../../shared/log-events.ts';
import { keptBy, provesToBite } from './bites.ts';
import { idleEvents, literalAbsence, literalEvent, logByHand } from './log-events.ts';
import { parse, ROOT, readTexts } from './source.ts';

const LINES = /\n\| `msg` \| role \| fields \|\n.*\n((?:\|.*\n)+)/;
/** The sentence of `infra/adapters/log/wait-reporter.ts`, whose middle names the server. */
const WAIT = 'waiting for ';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const PAGES = ['docs/operations.md', 'docs/troubleshooting.md'].map(read);
const sources = parse(readTexts());

/** Lines that the table of a page names, up to what it leaves out. */
function linesNamedIn(page: string): readonly string[] {
  const [, rows = ''] = LINES.exec(page) ?? [];
  return rows.split('\n').flatMap((row) => {
    const [, cell = ''] = row.split(' | ', 1)[0]?.split('| ') ?? [];
    return [...cell.matchAll(/`([^`…]+)[^`]*`/g)].map(([, text = '']) => text.replace(/: ?$/, ''));
  });
}

function unknownIn(page: string): readonly string[] {
  const events = Object.values(LOG_EVENT);
  return linesNamedIn(page).filter(
    (line) => !line.startsWith(WAIT) && !events.some((event) => isLogEvent(line, event)),
  );
}

test('an event of the table is named by its constant', () => {
  keptBy(sources, literalEvent);
  provesToBite(literalEvent, {
    bad: [
      ['tests/a.test.ts', "until(() => log.includes('lost the lease'));"],
      ['tests/a.test.ts', 'assert.match(log, /looked for a send/);'],
      ['tests/a.test.ts', "const sign = 'Recado is ready at http';"],
      ['infra/bench/a.ts', 'const LOST = /lost the lease/g;'],
      ['actors/a.ts', "log.warn({}, 'lost the lease: joining again under a new id');"],
      ['gateway/a.ts', 'log.warn({}, `a webhook was refused: $' + '{setting} does not fit`);'],
    ],
    good: [
      ['tests/a.test.ts', 'loggedLines(dataDir, LOG_EVENT.leaseLost);'],
      ['tests/a.test.ts', "test('a lease that is lost', () => undefined);"],
      ['actors/a.ts', '// It may have lost the lease.'],
      ['shared/log-events.ts', "const LOG_EVENT = { leaseLost: 'lost the lease' };"],
    ],
  });
});

test('lines of a log are read by their event', () => {
  keptBy(sources, logByHand);
  provesToBite(logByHand, {
    bad: [
      ['tests/a.test.ts', "const logs = join(dataDir, 'logs');"],
      ['tests/a.test.ts', "readFileSync(join(stack.dataDir, 'logs/actors.log'), 'utf8');"],
      ['infra/bench/a.ts', "const logs = path.join(dataDir, 'logs');"],
    ],
    good: [
      ['tests/a.test.ts', "const data = join(folder, 'data');"],
      ['tests/support/stack.ts', "const logs = join(dataDir, 'logs');"],
      ['infra/programs/supervisor/plans.ts', "const logs = join(config.dataDir, 'logs');"],
    ],
  });
});

test('no absence is asserted of a line that only a literal names', () => {
  keptBy(sources, literalAbsence);
  provesToBite(literalAbsence, {
    bad: [
      ['tests/a.test.ts', 'assert.doesNotMatch(stack.story(), /died|ended with/);'],
      ['tests/a.test.ts', "assert.ok(!supervised.output().includes('died'));"],
      ['tests/a.test.ts', 'assert.ok(!/died/.test(log));'],
      ['tests/a.test.ts', "assert.ok(!logOf('actors').includes('died'));"],
    ],
    good: [
      ['tests/a.test.ts', 'assert.ok(!stack.story().includes(TERMINAL_EVENT.startedAgain));'],
      ['tests/a.test.ts', 'assert.match(stack.story(), /is full/);'],
      ['tests/a.test.ts', 'assert.doesNotMatch(answer.text, /secret/);'],
      ['tests/a.test.ts', 'assert.ok(!output().includes(TOKEN));'],
    ],
  });
});

test('every event is logged by a program, and waited for', () => {
  assert.deepEqual(idleEvents(sources, PAGES), []);
});

test('an event without a producer, or for which nothing waits, is found', () => {
  const own = sources.filter(({ path }) => path !== 'actors/channel/in-doubt.ts');
  assert.deepEqual(idleEvents(own, PAGES), ['LOG_EVENT.sendLookedFor is logged by no program']);
  const unread = sources.filter(({ path }) => path !== 'tests/support/second-gateway.ts');
  assert.deepEqual(idleEvents(unread, []).slice(0, 1), [
    'LOG_EVENT.breakerClosed is waited for by nothing',
  ]);
  assert.ok(
    idleEvents(unread, PAGES).includes('LOG_EVENT.gatewayListens is waited for by nothing'),
  );
});

test('every line that the operators are told of is in the table', () => {
  const [page = ''] = PAGES;
  assert.ok(linesNamedIn(page).length >= Object.keys(LOG_EVENT).length / 2);
  assert.deepEqual(unknownIn(page), []);
  const worse = page.replace('`looked for a send`', '`looked into a send`');
  assert.deepEqual(unknownIn(worse), ['looked into a send']);
});

test('an event is the whole line, or its beginning up to a colon', () => {
  assert.ok(isLogEvent('lost the lease: joining again under a new id', LOG_EVENT.leaseLost));
  assert.ok(isLogEvent('send', LOG_EVENT.send));
  assert.equal(isLogEvent('sending', LOG_EVENT.send), false);
});
