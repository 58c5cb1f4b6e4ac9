/** Presence beside the queue: asked once, while the channel is ready, and never repeated. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { showPresence } from '../../../../actors/channel/presence.ts';
import type { ShowPresence } from '../../../../actors/model/channel.ts';
import type { Presence } from '../../../../shared/ports/network.ts';
import { type SenderFixture, senderFixture } from './sender-fixture.ts';

const READ: Presence = {
  ...{ to: '5511988887777', shows: 'read' },
  message: { externalId: 'wamid.1', fromMe: false },
};

function commandOf(fields: Partial<ShowPresence> = {}): ShowPresence {
  return { id: 'cmd_1', type: 'show-presence', presence: READ, ...fields };
}

async function shownBy(
  prepare: (fixture: SenderFixture) => void,
  fields: Partial<ShowPresence> = {},
): Promise<readonly Presence[]> {
  const fixture = senderFixture();
  await fixture.channel.readiness.probeAndReport();
  prepare(fixture);
  const { status } = await showPresence(fixture.channel, commandOf(fields));
  assert.equal(status, 200);
  await fixture.pass(60_000);
  fixture.channel.close();
  return fixture.shown;
}

test('a ready channel shows it once', async () => {
  assert.deepEqual(await shownBy(() => undefined), [READ]);
});

test('a refusal and a failure of the network are not repeated', async () => {
  const refuse = async () => false;
  const fail = () => Promise.reject(new Error('reset'));
  for (const show of [refuse, fail]) {
    assert.equal((await shownBy((fixture) => Object.assign(fixture, { show }))).length, 1);
  }
});

test('the answer waits for no network', async () => {
  const fixture = senderFixture();
  await fixture.channel.readiness.probeAndReport();
  fixture.show = () => new Promise(() => undefined);
  assert.equal((await showPresence(fixture.channel, commandOf())).status, 200);
  fixture.channel.close();
});

test('a channel that is disabled, not ready, or without its lease shows nothing', async () => {
  const prevent: readonly ((fixture: SenderFixture) => unknown)[] = [
    (fixture) => Object.assign(fixture, { enabled: false }).channel.reconfigure(),
    ({ channel }) => channel.readiness.learn({ ready: false, reason: 'A sessão está parada.' }),
    (fixture) => Object.assign(fixture, { leaseHeld: false }),
  ];
  for (const each of prevent) assert.deepEqual(await shownBy((fixture) => void each(fixture)), []);
});

test('what is too late is not shown', async () => {
  const fixture = senderFixture();
  const now = fixture.clock.now();
  fixture.channel.close();
  assert.deepEqual(await shownBy(() => undefined, { until: now - 1 }), []);
  assert.deepEqual(await shownBy(() => undefined, { until: now + 60_000 }), [READ]);
});
