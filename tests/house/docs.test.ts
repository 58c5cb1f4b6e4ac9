import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';
import { createMetrics } from '../../infra/adapters/metrics/metrics.ts';
import { SETTING_DESCRIPTIONS } from '../../infra/config/settings.ts';
import { formatMetrics } from '../../infra/programs/service/supervisor/metrics.ts';
import { ROOT } from '../../infra/tools/source.ts';
import { CONTRACT_EVENTS, EXTENSION_EVENTS } from '../../shared/events.ts';
import { isLogEvent, LOG_EVENT } from '../../shared/log-events.ts';

const PAGES = ['README.md', 'CHANGELOG.md', ...inDocs()];

function inDocs(): string[] {
  const names = readdirSync(join(ROOT, 'docs'));
  return names.filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`);
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** A page without its code blocks. */
function prose(path: string): string {
  return read(path).replace(/^```[\s\S]*?^```/gm, '');
}

/** A heading's anchor, as the usual renderers make it. */
function anchorOf(heading: string): string {
  const words = heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '');
  return words.trim().replace(/\s/g, '-');
}

function anchors(path: string): ReadonlySet<string> {
  return new Set([...prose(path).matchAll(/^#+ (.+)$/gm)].map(([, text = '']) => anchorOf(text)));
}

function brokenLinks(page: string): string[] {
  const links = [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links.filter((link) => {
    if (/^https?:/.test(link)) return false;
    const [file = '', anchor] = link.split('#');
    const path = file === '' ? page : join(dirname(page), file);
    if (!existsSync(resolve(ROOT, path))) return true;
    return anchor !== undefined && !anchors(path).has(anchor);
  });
}

test('every link of the pages leads somewhere', () => {
  for (const page of PAGES) assert.deepEqual(brokenLinks(page), [], page);
});

test('the files that the pages name exist', () => {
  const path = /(?<![\w/.-])((?:actors|gateway|shared|infra|tests)\/[\w/-]+\.(?:ts|mjs))\b/g;
  for (const page of PAGES) {
    const named = [...read(page).matchAll(path)].map(([name]) => name);
    const gone = named.filter((name) => !existsSync(join(ROOT, name)));
    assert.deepEqual(gone, [], page);
  }
});

test('every setting is told to operators', () => {
  const page = read('docs/operations.md');
  const untold = Object.keys(SETTING_DESCRIPTIONS).filter((name) => !page.includes(`\`${name}\``));
  assert.deepEqual(untold, []);
});

const IDLE = { held: 0, peak: 0, waiting: 0 };

test('the page and the dashboard name the metrics that there are', async () => {
  const page = read('docs/operations.md');
  const role = { role: 'actors', index: 0, up: true, restarts: 0 };
  const metrics = createMetrics('tidy');
  metrics.watch({
    mailboxes: () => ({ count: 0, depth: 0 }),
    partitions: () => new Map(),
    agendas: () => Promise.resolve(new Map()),
    restricted: () => 0,
    slices: () => 0,
    media: () => ({ budgets: { downloads: IDLE, arrivals: IDLE, uploads: IDLE }, filesRead: 0 }),
  });
  metrics.watchEventStreams(() => 0);
  const text = `${formatMetrics([role])}${await metrics.text()}`;
  const known = [...text.matchAll(/^# TYPE (recado_\w+)/gm)].map(([, name = '']) => name);
  assert.deepEqual(
    known.filter((name) => !page.includes(name)),
    [],
    'untold',
  );
  const named = `${page}${read('docs/dashboard.json')}`.matchAll(/\brecado_\w+/g);
  const strangers = [...named].filter(([name]) => {
    const metric = name.replace(/_(bucket|count|sum)$/, '');
    return !known.includes(name) && !known.includes(metric);
  });
  assert.deepEqual([...new Set(strangers.map(([name]) => name))], []);
});

const LOG_LINES = /\n\| `msg` \|.*\n.*\n((?:\|.*\n)+)/;
/** The beginning of `infra/adapters/log/wait-reporter.ts`, behind which the server is named. */
const WAIT = 'waiting for ';

test('the log lines that operators are told of exist', () => {
  const [, rows = ''] = LOG_LINES.exec(read('docs/operations.md')) ?? [];
  const lines = rows.split('\n').flatMap((row) => {
    const [, cell = ''] = row.split('|');
    return [...cell.matchAll(/`([^`…]+)[^`]*`/g)].map(([, text = '']) => text.replace(/: ?$/, ''));
  });
  assert.ok(lines.length > 10);
  const events = Object.values(LOG_EVENT);
  const gone = lines.filter((line) => !events.some((event) => isLogEvent(line.trim(), event)));
  assert.deepEqual(
    gone.filter((line) => !line.startsWith(WAIT)),
    [],
  );
});

test('every event is shown or told to subscribers', () => {
  const page = read('docs/events.md');
  const events = [...CONTRACT_EVENTS, ...EXTENSION_EVENTS];
  assert.deepEqual(
    events.filter((event) => !page.includes(`\`${event}\``) && !page.includes(`"${event}"`)),
    [],
  );
});

test('each number of a decision leads one decision', () => {
  const leads = [...read('docs/decisions.md').matchAll(/^\*\*D(\d+)[. ]/gm)];
  const numbers = leads.map(([, number]) => Number(number));
  assert.ok(numbers.length > 200, `${numbers.length} decisions`);
  assert.equal(new Set(numbers).size, numbers.length);
});
