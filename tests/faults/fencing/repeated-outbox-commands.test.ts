/**
 * Outbox commands to an organization, repeated a day later: the starts and stops of flows keep their
 * names, which conversations know for ever (I18).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IDEMPOTENCY_RETENTION_MS } from '../../../shared/limits.ts';
import type { CommandOf } from '../../../shared/ports/bus.ts';
import { applied } from '../../support/actors/domain/organization-fixture.ts';
import { CLOUD } from '../../support/example-file.ts';
import { Database } from '../simulation/memory/database.ts';
import { modelStore } from './model-store.ts';
import { SHOP } from './organization-owner.ts';
import { CONTACT, Owner } from './owners.ts';
import { StillClock } from './still-clock.ts';

const FILE = {
  ...SHOP,
  channels: [
    { ref: 'main', label: 'A', provider: 'cloud', phone: '+55 11 4000-1000', network: CLOUD },
  ],
  tags: ['vip'],
  flows: [
    {
      ...{ ref: 'oi', name: 'Oi', enabled: true, channel: 'main' },
      triggers: [
        { on: 'keyword', keyword: 'oi' },
        { on: 'tag', tag: 'vip' },
      ],
      steps: [{ id: 'fim', do: 'end' }],
    },
  ],
};

function createFixture() {
  const { id, ...state } = applied(FILE);
  const [channel] = state.channels;
  assert.ok(channel);
  const database = new Database();
  database.apply({ insert: 'organizations', document: { _id: id, ...state } });
  const told = { contactId: CONTACT, phone: '5511998877665' };
  const place = { channelId: channel.id, conversationId: 'cnv_1', messageId: 'msg_1' };
  const commands: readonly CommandOf[] = [
    { id: 'cmd-tags', type: 'flow-route-tags', tags: ['vip'], ...told },
    { id: 'msg-flow', type: 'flow-route-message', text: 'oi', first: true, ...place, ...told },
    { id: 'cmd-out', type: 'flow-route-opt-out', contactId: CONTACT, at: 1 },
  ];
  return { id, database, commands };
}

test('an organization that is told again starts and stops nothing new', async () => {
  const { id, database, commands } = createFixture();
  const clock = new StillClock();
  const store = modelStore(database);
  const tell = async (): Promise<readonly CommandOf[]> => {
    const owner = new Owner('organization', store, clock);
    for (const command of commands) {
      const { status } = await owner.turn(id, { ...command, lasting: true });
      assert.equal(status, 200, command.type);
    }
    return owner.asked;
  };
  const first = await tell();
  const types = first.map(({ type }) => type);
  assert.deepEqual(types, ['start-flow', 'start-flow', 'stop-flow']);
  assert.equal(new Set(first.map(({ id: name }) => name)).size, 3);
  for (const ms of [31_000, IDEMPOTENCY_RETENTION_MS]) {
    clock.pass(ms);
    assert.deepEqual(await tell(), first);
  }
});
