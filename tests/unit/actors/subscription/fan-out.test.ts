/**
 * Fan-out by the process that has committed. It ends once webhooks and streams have every event;
 * no webhook waits for a stream. The organization's owner is not asked.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OrganizationState, StreamEntry } from '../../../../actors/domain/organization.ts';
import type { PublishedEvent } from '../../../../actors/domain/published-event.ts';
import type { DeliveryDocument, RecordEvents } from '../../../../actors/model/subscription.ts';
import { EventFanOut } from '../../../../actors/subscription/fan-out.ts';
import {
  EVENT_STREAM_RETENTION_MS,
  EVENT_STREAMS_PER_ORGANIZATION,
} from '../../../../shared/limits.ts';
import type { Address, Answer, CommandOf } from '../../../../shared/ports/bus.ts';
import { environmentOf, OK } from '../../../faults/fencing/environment.ts';
import { modelStore } from '../../../faults/fencing/model-store.ts';
import { settle } from '../../../faults/fencing/settle.ts';
import { Database } from '../../../faults/simulation/memory/database.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { UNHEARD } from '../../../support/unheard.ts';

const ORG = 'org_1';
const HOUR_MS = 60 * 60 * 1000;
const REPEATED_AFTER_MS = 200;

const KEYS = [
  { id: 'all', scope: 'account', revokedAt: null },
  { id: 'one', scope: 'channel', channelId: 'chn_1', revokedAt: null },
  { id: 'revoked', scope: 'account', revokedAt: 1 },
];

function streamOf(id: string, more: Partial<StreamEntry> = {}): StreamEntry {
  return {
    ...{ id, keyId: 'all', name: 'default', events: ['*'], connection: 1, opened: [] },
    ...{ createdAt: 7, seenAt: Number.MAX_SAFE_INTEGER, ...more },
  };
}

function messageOf(id: string, channelId = 'chn_1'): PublishedEvent {
  return { type: 'event', id, event: 'message.sent', data: { channelId } };
}

interface Asked {
  readonly to: string;
  readonly command: CommandOf;
  readonly answer: (answer: Answer) => void;
}

interface With {
  readonly streams: readonly StreamEntry[];
  readonly hasListeners?: boolean;
}

/** Asks are answered by the test. */
function fanOut({ streams, hasListeners = false }: With) {
  const database = new Database();
  const clock = new ManualClock();
  const life = { leaseHeld: true };
  const asked: Asked[] = [];
  const ask = ({ kind, key }: Address, command: CommandOf) =>
    new Promise<Answer>((answer) => asked.push({ to: `${kind} ${key}`, command, answer }));
  const state = {
    ...{ id: ORG, keys: KEYS, streams },
    subscriptions: [{ id: 'sub_1', events: ['*'], enabled: true }],
  } as unknown as OrganizationState;
  const environment = environmentOf({
    ...{ store: modelStore(database), clock, bus: { ask } },
    leaseHeld: () => life.leaseHeld,
    live: { ...UNHEARD, hasListeners: () => hasListeners },
  });
  const views = { read: async () => state };
  const claimer = { claimOnInsert: async () => null };
  const events = new EventFanOut(environment, views, claimer);
  const webhooks = () =>
    (database.all('deliveries') as readonly DeliveryDocument[]).map(({ body }) => body);
  return { asked, clock, life, webhooks, record: events.record.bind(events, ORG) };
}

function isEnded(work: Promise<unknown>): () => boolean {
  let ended = false;
  void work.finally(() => {
    ended = true;
  });
  return () => ended;
}

test('a webhook has its delivery while a stream’s owner is silent; the outbox waits for both', async () => {
  const { asked, webhooks, record } = fanOut({ streams: [streamOf('str_1'), streamOf('str_2')] });
  const recorded = record([messageOf('evt_1')]);
  const ended = isEnded(recorded);
  await settle();
  assert.equal(webhooks().length, 1);
  assert.deepEqual(
    asked.map(({ to }) => to),
    ['subscription str_1', 'subscription str_2'],
  );
  asked[0]?.answer(OK);
  await settle();
  assert.equal(ended(), false);
  asked[1]?.answer(OK);
  assert.equal(await recorded, true);
});

test('a stream’s owner is asked again under one id, and no webhook is recorded twice', async () => {
  const { asked, clock, webhooks, record } = fanOut({ streams: [streamOf('str_1')] });
  const recorded = record([messageOf('evt_1')]);
  await settle();
  asked[0]?.answer({ status: 500, body: '{}' });
  await settle();
  clock.advance(REPEATED_AFTER_MS);
  await settle();
  asked[1]?.answer(OK);
  assert.equal(await recorded, true);
  assert.equal(new Set(asked.map(({ command }) => command.id)).size, 1);
  const again = record([messageOf('evt_1')]);
  await settle();
  asked[2]?.answer(OK);
  assert.equal(await again, true);
  assert.equal(webhooks().length, 1);
});

test('without an answer until the lease ends, the events stay with the entity’s next owner', async () => {
  const { asked, clock, life, record } = fanOut({ streams: [streamOf('str_1')] });
  const recorded = record([messageOf('evt_1')]);
  await settle();
  life.leaseHeld = false;
  asked[0]?.answer({ status: 500, body: '{}' });
  await settle();
  clock.advance(REPEATED_AFTER_MS);
  assert.equal(await recorded, false);
});

test('one ask of each stream has the events that its key and its names reach', async () => {
  const streams = [
    streamOf('str_all'),
    streamOf('str_one', { keyId: 'one' }),
    streamOf('str_deals', { events: ['deal.won'] }),
    streamOf('str_revoked', { keyId: 'revoked' }),
  ];
  const { asked, record } = fanOut({ streams });
  void record([messageOf('evt_1'), messageOf('evt_2', 'chn_2'), messageOf('evt_3')]);
  await settle();
  const heard = asked.map(({ to, command }) => {
    const { events, generation } = command as RecordEvents;
    return [to, generation, events.map(({ id }) => id)];
  });
  assert.deepEqual(heard, [
    ['subscription str_all', 7, ['evt_1', 'evt_2', 'evt_3']],
    ['subscription str_one', 7, ['evt_1', 'evt_3']],
  ]);
});

test('a full organization’s streams are asked beside each other, once for a batch', async () => {
  const ids = Array.from({ length: EVENT_STREAMS_PER_ORGANIZATION }, (_, n) => `str_${n}`);
  const { asked, record } = fanOut({ streams: ids.map((id) => streamOf(id)) });
  const recorded = record(Array.from({ length: 200 }, (_, n) => messageOf(`evt_${n}`)));
  await settle();
  assert.equal(asked.length, ids.length);
  for (const { answer } of asked) answer(OK);
  assert.equal(await recorded, true);
});

test('whether a stream has ended by the clock its owner decides, unless it did long ago', async () => {
  const probe = new ManualClock().now();
  const streams = [
    streamOf('str_ending', { seenAt: probe - EVENT_STREAM_RETENTION_MS - HOUR_MS / 2 }),
    streamOf('str_ended', { seenAt: probe - EVENT_STREAM_RETENTION_MS - 2 * HOUR_MS }),
  ];
  const { asked, record } = fanOut({ streams });
  void record([messageOf('evt_1')]);
  await settle();
  assert.deepEqual(
    asked.map(({ to }) => to),
    ['subscription str_ending'],
  );
});

test('open pages are told once all is on record, and nobody waits for them', async () => {
  const { asked, record } = fanOut({ streams: [streamOf('str_1')], hasListeners: true });
  const recorded = record([messageOf('evt_1')]);
  await settle();
  assert.equal(asked.length, 1);
  asked[0]?.answer(OK);
  assert.equal(await recorded, true);
  assert.deepEqual([asked[1]?.to, asked[1]?.command.type], [`organization ${ORG}`, 'show-events']);
});
