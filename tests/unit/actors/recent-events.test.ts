/** The last events of an organization, in the memory of its owner. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecentEvents } from '../../../actors/organization/recent-events.ts';
import { RECENT_EVENTS_MAX, RECENT_EVENTS_MAX_CHARS } from '../../../shared/limits.ts';
import type { LiveHints } from '../../../shared/ports/live.ts';
import { bodyOf } from '../../../shared/wire/answer.ts';
import type { OutboxEvent } from '../../../shared/wire/outbox.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { UNHEARD } from '../../support/unheard.ts';

function event(number: number, text = ''): OutboxEvent {
  const data = { messageId: `msg_${number}`, text };
  return { type: 'event', id: `evt_${number}`, event: 'message.received', data };
}

function recentEvents() {
  const clock = new ManualClock();
  const heard: string[] = [];
  const listening = { on: true };
  const live: LiveHints = {
    ...UNHEARD,
    changed: (orgId, kind) => void heard.push(`${orgId} ${kind}`),
    hasListeners: () => listening.on,
  };
  const recent = new RecentEvents({ clock, live }, 'org_1');
  const list = async (cursor: string | null = null) => {
    const { data, cursor: next } = bodyOf(await recent.list({ cursor }));
    return { ids: data.map(({ id }) => id), next };
  };
  return { clock, heard, listening, recent, list };
}

test('newest first, each once, and with a cursor only what came after', async () => {
  const { heard, recent, list } = recentEvents();
  recent.add([event(1), event(2)]);
  const { ids, next } = await list();
  assert.deepEqual(ids, ['evt_2', 'evt_1']);
  assert.deepEqual((await list(next)).ids, []);
  recent.add([event(2), event(3)]);
  assert.deepEqual((await list(next)).ids, ['evt_3']);
  assert.deepEqual((await list()).ids, ['evt_3', 'evt_2', 'evt_1']);
  assert.deepEqual(new Set(heard), new Set(['org_1 event']));
});

test('without a listener nothing is kept and nothing is told', async () => {
  const { clock, heard, listening, recent, list } = recentEvents();
  recent.add([event(1)]);
  const { next } = await list();
  listening.on = false;
  clock.advance(1);
  recent.add([event(2)]);
  assert.deepEqual((await list()).ids, []);
  assert.equal(heard.length, 1);
  listening.on = true;
  recent.add([event(3)]);
  assert.deepEqual((await list(next)).ids, ['evt_3'], 'a cursor of before answers everything');
  assert.deepEqual((await list('anything')).ids, ['evt_3']);
});

test('the oldest go beyond the number and beyond the size', async () => {
  const { recent, list } = recentEvents();
  const events = Array.from({ length: RECENT_EVENTS_MAX + 5 }, (_, number) => event(number));
  recent.add(events);
  const { ids } = await list();
  assert.deepEqual([ids.length, ids.at(-1)], [RECENT_EVENTS_MAX, 'evt_5']);
  recent.add([event(1_000, 'x'.repeat(RECENT_EVENTS_MAX_CHARS))]);
  assert.deepEqual((await list()).ids, ['evt_1000']);
});
