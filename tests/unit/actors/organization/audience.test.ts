/** D431: an event that nobody hears is part of no commit. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OrganizationState } from '../../../../actors/domain/organization.ts';
import { Audience } from '../../../../actors/organization/audience.ts';

const NOW = 1_000_000_000;
const HOUR_MS = 60 * 60 * 1_000;
const EVENT = 'contact.updated';

interface Setting {
  readonly events?: readonly string[];
  readonly removed?: boolean;
  readonly streamed?: readonly string[];
  readonly seenAt?: number;
  readonly isWatched?: boolean;
}

function isHearing(setting: Setting | null): Promise<boolean> {
  const { events, removed, streamed, seenAt = NOW, isWatched = false } = setting ?? {};
  const stream = { id: 'str_1', keyId: 'key_1', events: streamed, seenAt };
  const state = {
    subscriptions: events ? [{ id: 'sub_1', events, ...(removed ? { removed } : {}) }] : [],
    keys: [{ id: 'key_1', scope: 'account', revokedAt: null }],
    ...(streamed ? { streams: [stream] } : {}),
  } as unknown as OrganizationState;
  const environment = { clock: { now: () => NOW }, live: { hasListeners: () => isWatched } };
  const views = { read: async () => (setting === null ? null : state) };
  return new Audience(environment as never, views).isHearing('org_1', EVENT);
}

test('a subscription that names the event hears it, `*` does not', async () => {
  assert.equal(await isHearing({ events: ['*', EVENT] }), true);
  assert.equal(await isHearing({ events: ['*'] }), false);
  assert.equal(await isHearing({ events: [EVENT], removed: true }), false);
  assert.equal(await isHearing({}), false);
  assert.equal(await isHearing(null), false, 'no organization');
});

test('a stream hears it while it lives, by the latest clock', async () => {
  assert.equal(await isHearing({ streamed: [EVENT] }), true);
  assert.equal(await isHearing({ streamed: ['deal.won'] }), false);
  assert.equal(await isHearing({ streamed: [EVENT], seenAt: NOW - 24 * HOUR_MS }), true);
  assert.equal(await isHearing({ streamed: [EVENT], seenAt: NOW - 26 * HOUR_MS }), false);
});

test('an open page of the panel hears it', async () => {
  assert.equal(await isHearing({ isWatched: true }), true);
});
