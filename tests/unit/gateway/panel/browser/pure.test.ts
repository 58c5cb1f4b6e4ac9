/** Pure parts of the panel's pages, and their bundle. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildAssets } from '../../../../../gateway/panel/assets.ts';
import {
  heard,
  type Tab,
  ticked,
} from '../../../../../gateway/panel/browser/base/live-election.ts';
import { ReadPace, retryMs } from '../../../../../gateway/panel/browser/base/read-pace.ts';
import { storedText, storeText } from '../../../../../gateway/panel/browser/base/text-storage.ts';
import {
  draftName,
  moveDrafts,
  textOf,
} from '../../../../../gateway/panel/browser/conversations/state/drafts.ts';
import { pausedUntil } from '../../../../../gateway/panel/browser/conversations/state/pause.ts';
import {
  missingPages,
  NO_PAGES,
  rowOf,
  withPage,
} from '../../../../../gateway/panel/browser/conversations/state/thread-pages.ts';
import {
  offsetsOf,
  rangeOf,
  rowAt,
} from '../../../../../gateway/panel/browser/conversations/state/thread-window.ts';
import { placed, pointersOf } from '../../../../../gateway/panel/browser/flows/graph.ts';
import { lineStart, problemsOf } from '../../../../../gateway/panel/browser/flows/problems.ts';
import {
  arrivalOf,
  centsOf,
  endOfDay,
  isoDayOf,
  shortDayOf,
  startOfDay,
  whenInSentence,
} from '../../../../../gateway/panel/browser/format.ts';
import { curlOf } from '../../../../../gateway/panel/browser/keys/curl.ts';
import {
  partitionMap,
  rangesOf,
} from '../../../../../gateway/panel/browser/operation/partitions.ts';
import { session } from '../../../../../gateway/panel/browser/session.ts';
import { groupOf } from '../../../../../gateway/panel/browser/tasks/groups.ts';
import type { Message } from '../../../../../shared/api/message.ts';

const FIRST_LOAD_MAX_BYTES = 60 * 1024;

test('the first load is at most 60 kB of compressed script', async () => {
  const assets = await buildAssets();
  assert.ok(assets.firstLoadBytes <= FIRST_LOAD_MAX_BYTES, `${assets.firstLoadBytes} bytes`);
  const page = assets.find('/conversas/con_1', '');
  assert.ok(page);
  const html = Buffer.from(page.bytes).toString();
  assert.doesNotMatch(html, /<script(?![^>]*src=)|<style|style=|https?:/);
  const [, script = ''] = /src="(\/assets\/main-\w+\.js)"/.exec(html) ?? [];
  for (const [accepted, coding] of [
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['identity', undefined],
  ] as const) {
    const found = assets.find(script, accepted);
    assert.equal(found?.headers['content-encoding'], coding);
    assert.match(found?.headers['cache-control'] ?? '', /immutable/);
  }
  assert.equal(assets.find('/assets/unknown.js', ''), null);
});

test('no script of a cold page of Conversas waits for another', async () => {
  const assets = await buildAssets();
  const textAt = (path: string) => Buffer.from(assets.find(path, '')?.bytes ?? '').toString();
  const html = textAt('/conversas/con_1');
  const named = [...html.matchAll(/"(\/assets\/[\w-]+\.js)"/g)].map(([, path = '']) => path);
  const screen = named.find((path) => path.startsWith('/assets/conversations-'));
  assert.ok(screen !== undefined);
  const imported = named.flatMap((path) =>
    [...textAt(path).matchAll(/\b(?:from|import)"[^"]*?([\w-]+\.js)"/g)].map(([, name]) => name),
  );
  assert.ok(imported.length > 0);
  for (const name of imported) assert.ok(named.includes(`/assets/${name}`), name);
  assert.ok(textAt('/').includes(screen));
  assert.equal(textAt('/negocios').includes(screen), false);
});

function tab(id: string, leads = false, heardAt = 0): Tab {
  return { id, leads, heardAt };
}

test('a tab leads after silence, and the newest claim wins', () => {
  const { tab: first, send } = ticked(tab('b'), 10_000);
  assert.deepEqual([first.leads, send?.type], [true, 'claim']);
  assert.equal(ticked(tab('a', false, 9_000), 10_000).send, null);
  assert.equal(heard(first, { type: 'claim', from: 'c' }, 11_000).leads, false);
  assert.equal(heard(first, { type: 'beat', from: 'a' }, 11_000).leads, false);
  assert.equal(heard(first, { type: 'beat', from: 'c' }, 11_000).leads, true);
  const left = heard(tab('c', false, 11_000), { type: 'leave', from: 'b' }, 11_500);
  assert.equal(ticked(left, 11_600).tab.leads, true);
});

test('a page pauses longer the more it reads and hears, and less after a quiet time', () => {
  const pace = new ReadPace();
  assert.equal(pace.read(10_000), 100);
  pace.hinted(120, 10_100);
  const busy = pace.read(10_200);
  assert.ok(busy > 200 && busy < 300, String(busy));
  for (let n = 0; n < 120; n++) pace.read(10_300);
  assert.equal(pace.read(10_400), 1_000);
  assert.equal(pace.read(60_000), 100);
});

test('a refused read is repeated after 3 s, later after 30 s, and never before it is asked to', () => {
  const pauses = [1, 2, 3, 4, 5, 50].map((refusals) => retryMs(refusals, 0, 0));
  assert.deepEqual(pauses, [3_000, 6_000, 12_000, 24_000, 30_000, 30_000]);
  assert.equal(retryMs(1, 0, 0.8), 2_400);
  assert.equal(retryMs(1, 60_000, 0.8), 60_000);
});

function message(id: string): Message {
  return {
    ...{ id, direction: 'in', kind: 'text', text: id, media: null, status: 'received' },
    author: { kind: 'contact', label: 'Rui' },
    receipts: { sent: null, delivered: null, read: null },
    ...{ externalId: null, replyToId: null, transcript: null },
    createdAt: '2026-01-01T00:00:00.000Z',
  };
}

test('a position in the history stays while messages arrive', () => {
  const first = { page: 1, limit: 2, total: 5, data: [message('4'), message('3')] };
  const before = withPage(NO_PAGES, first);
  assert.deepEqual([...before.messages.keys()], [4, 3]);
  const later = { page: 2, limit: 2, total: 6, data: [message('3'), message('2')] };
  const after = withPage(before, later);
  const placedAt = [...after.messages].map(([position, { id }]) => `${position}:${id}`);
  assert.deepEqual(placedAt.toSorted(), ['2:2', '3:3', '4:4']);
  assert.deepEqual(missingPages(after, { first: 0, last: 5 }, 2), [3, 1]);
});

test('D406: a reader stays at a message that a late one above has moved', () => {
  const before = withPage(NO_PAGES, { page: 1, limit: 3, total: 2, data: ['3', '1'].map(message) });
  const data = ['3', '2', '1'].map(message);
  const after = withPage(before, { page: 1, limit: 3, total: 3, data });
  assert.equal(rowOf(after, { row: 1, id: '3' }), 2);
  assert.equal(rowOf(after, { row: 0, id: '1' }), 0);
  // It is not known what was there.
  assert.deepEqual(
    [{ row: 1 }, { row: 1, id: '9' }].map((held) => rowOf(after, held)),
    [1, 1],
  );
});

test('the window has the rows in view and some beside them', () => {
  const offsets = offsetsOf(100, new Map([[0, 50]]), 10);
  assert.equal(offsets[100], 1_040);
  assert.deepEqual([rowAt(offsets, 0), rowAt(offsets, 49), rowAt(offsets, 50)], [0, 0, 1]);
  assert.deepEqual(rangeOf(offsets, { top: 500, height: 100 }, 2), { first: 44, last: 58 });
  const none = rangeOf(offsetsOf(0, new Map(), 10), { top: 0, height: 9 }, 2);
  assert.deepEqual(none, { first: 0, last: -1 });
});

test('the text of a note never stands in the message, nor in another conversation', () => {
  const note = draftName('con_1', true);
  const written = { name: note, text: 'não conte ao cliente' };
  assert.equal(textOf(written, note), 'não conte ao cliente');
  assert.equal(textOf(written, draftName('con_1', false)), '');
  assert.equal(textOf(written, draftName('con_2', true)), '');
});

test('a draft moves to the conversation that its own was joined to, behind what is there', () => {
  storeText(draftName('young', false), 'e amanhã?');
  storeText(draftName('old', false), 'Hoje não');
  moveDrafts('young', 'old');
  assert.equal(storedText(draftName('old', false)), 'Hoje não\ne amanhã?');
  assert.equal(storedText(draftName('young', false)), '');
});

test('a pause of the automation is over once its time has passed', () => {
  const end = '2026-03-10T15:00:00.000Z';
  assert.equal(pausedUntil(end, Date.parse(end) - 1), end);
  assert.equal(pausedUntil(end, Date.parse(end)), null);
  assert.equal(pausedUntil(null, 0), null);
});

test('a task with a time is late after it, one with a day only after that day', () => {
  const now = Date.parse('2026-03-10T15:00:00Z');
  const today = { now, day: '2026-03-10', dayOf: (at: string) => at.slice(0, 10) };
  const group = (dueAt: string | null, dueHasTime: boolean) =>
    groupOf({ ...TASK, dueAt, dueHasTime }, today);
  assert.equal(group('2026-03-10T14:00:00.000Z', true), 'late');
  assert.equal(group('2026-03-10T02:00:00.000Z', false), 'today');
  assert.equal(group('2026-03-09T23:00:00.000Z', false), 'late');
  assert.equal(group('2026-03-11T00:00:00.000Z', false), 'later');
  assert.equal(group(null, false), 'undated');
});

const TASK = {
  ...{ id: 'task_1', title: 'Ligar', notes: null, contactId: null, dealId: null },
  ...{ assigneeId: null, done: false, doneAt: null },
  createdAt: '2026-03-01T00:00:00.000Z',
  updatedAt: '2026-03-01T00:00:00.000Z',
};

test('a curl’s arguments survive the shell, whatever is in them', () => {
  const call = curlOf({ url: 'http://a/b?c=d&e', headers: ['x: y'], body: `{"text":"D'água"}` });
  const quoted = `'{"text":"D'\\''água"}'`;
  assert.equal(call, `curl 'http://a/b?c=d&e' \\\n  -H 'x: y' \\\n  --data-raw ${quoted}`);
});

test('a flow is laid out with every way on, and a loop too', () => {
  const steps = [
    { id: 'ask', do: 'send', next: 'hear' },
    { id: 'hear', do: 'wait', next: 'pick', onTimeout: null },
    { id: 'pick', do: 'choose', cases: [{ next: 'end' }, { next: 'gone' }], else: 'ask' },
    { id: 'end', do: 'end' },
  ];
  const ways = pointersOf(steps).map(({ from, to, by }) => `${from} ${by} ${to}`);
  const wanted = ['ask next hear', 'hear next pick', 'pick else ask', 'pick cases.0 end'];
  assert.deepEqual(ways, wanted);
  const { width, height, steps: boxes, pointers } = placed(steps);
  assert.ok(boxes.every(({ x, y }) => x >= 0 && y >= 0 && x < width && y < height));
  assert.ok(boxes.every(({ y }, at) => y >= (boxes[at - 1]?.y ?? 0)));
  assert.ok(pointers.every(({ points }) => points.length >= 2));
});

test('a flow without steps has an empty drawing', () => {
  assert.deepEqual(placed([]).steps, []);
});

test('problems stand in the order of the text, those outside of it first', () => {
  const problem = { code: 'required', params: {} } as const;
  const problems = [
    { path: 'b', problem, line: 3, column: 1 },
    { path: 'a', problem, line: null, column: null },
  ];
  const found = problemsOf({ status: 422, sentence: '', issues: [], problems });
  const places = found.map(({ path, line }) => `${path} ${line}`);
  assert.deepEqual(places, ['a null', 'b 3']);
  assert.deepEqual([lineStart('ab\ncd\nef', 1), lineStart('ab\ncd\nef', 3)], [0, 6]);
});

test('the partition map has every holder, in ranges', () => {
  const range = (from: number, to: number, epoch = 1) => ({ from, to, epoch });
  const idle = { kinds: ['deal'], pid: 1, mailboxes: 0, depth: 0, turnsPerSecond: 0 };
  const processes = [
    { ...idle, id: 'a', partitions: { deal: [range(16, 31, 9), range(0, 7, 7)] } },
    { ...idle, id: 'b', partitions: { deal: [range(8, 15, 4)] } },
  ];
  const [map] = partitionMap(processes);
  const held = map?.held.map(({ from, to, epoch, process }) => [from, to, epoch, process].join());
  assert.deepEqual(held, ['0,7,7,0', '8,15,4,1', '16,31,9,0']);
  assert.equal(rangesOf([range(5, 5), range(8, 9), range(1, 3), range(4, 4)]), '1–5, 8–9');
});

test('an amount is read as it is written in reais, and a dot as no decimal comma', () => {
  const amounts = ['', '0', '1250', '1.250', '1.250,5', 'R$ 1.250,00', '12.345.678,90', '1250,00'];
  const cents = [0, 0, 125_000, 125_000, 125_050, 125_000, 1_234_567_890, 125_000];
  assert.deepEqual(amounts.map(centsOf), cents);
  const refused = ['1250.00', '1.25', '12.5', '1,250', '1.2500', '1250.000', '1,250.00', '-1', 'x'];
  assert.ok(refused.every((amount) => centsOf(amount) === null));
});

test('days are those of the organization, told with their preposition and year', () => {
  const organization = { id: 'org_1', name: 'Loja', timeZone: 'America/New_York' };
  const expiresAt = '2026-01-01T00:00:00.000Z';
  session.value = { id: 'ses_1', role: 'admin', member: null, organization, expiresAt };
  assert.equal(startOfDay('2026-03-07'), '2026-03-07T05:00:00.000Z');
  assert.equal(startOfDay('2026-03-08'), '2026-03-08T05:00:00.000Z');
  assert.equal(endOfDay('2026-03-08'), '2026-03-09T03:59:59.999Z');
  const zoned = (timeZone: string) => {
    if (session.value)
      session.value = { ...session.value, organization: { ...organization, timeZone } };
  };
  zoned('America/Santiago');
  assert.equal(endOfDay('2027-04-03'), '2027-04-04T03:59:59.999Z');
  // It begins at 01:00.
  assert.equal(startOfDay('2027-09-05'), '2027-09-05T04:00:00.000Z');
  zoned('Africa/Cairo');
  assert.equal(startOfDay('2027-04-30'), '2027-04-29T22:00:00.000Z');
  assert.equal(endOfDay('2027-10-28'), '2027-10-28T21:59:59.999Z');
  const moment = new Date().toISOString();
  assert.match(whenInSentence(moment), /^às \d\d:\d\d$/);
  assert.equal(whenInSentence('2019-03-09T15:00:00.000Z'), 'em 09/03/2019');
  assert.equal(shortDayOf(moment), isoDayOf(moment).slice(5).split('-').reverse().join('/'));
  session.value = null;
});

test('D408: a late message tells when it came, and its day where that is another', () => {
  const createdAt = '2027-05-04T12:02:10.000Z';
  const arrival = (receivedAt?: string) => arrivalOf({ createdAt, receivedAt });
  assert.match(arrival('2027-05-04T13:05:00.000Z') ?? '', /^às \d\d:05$/);
  assert.match(arrival('2027-05-06T13:05:00.000Z') ?? '', /^em 06\/05\/2027 às \d\d:05$/);
  // Seconds are not shown.
  assert.equal(arrival('2027-05-04T12:02:40.000Z'), null);
  assert.equal(arrival(), null);
});
