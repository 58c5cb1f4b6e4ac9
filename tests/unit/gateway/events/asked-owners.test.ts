/** What a connection of an event stream asks the owners of its stream. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AskedOwners, type EventStreamParts } from '../../../../gateway/events/asked-owners.ts';
import type { Address, CommandOf } from '../../../../shared/ports/bus.ts';
import { answerOf } from '../../../../shared/wire/answer.ts';
import { SILENT } from '../../../support/engine.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const PAGE = {
  outcome: 'page',
  deliveries: [],
  more: false,
  dropped: 0,
  unacknowledged: 0,
} as const;
const CONNECTION = {
  wanted: { orgId: 'org_1', streamId: 'str_1' },
  call: { requestId: 'req_1', lastEventId: '7.dlv_1' },
  number: 1,
};

test('a `Last-Event-ID` goes with each read until one is answered, and with no later one', async () => {
  const told: unknown[] = [];
  const ask = async (_: Address, command: CommandOf) => {
    told.push(Object(command).acknowledged);
    if (told.length < 3) throw new Error('the owner is being replaced');
    return answerOf(PAGE);
  };
  const parts = { bus: { ask }, clock: new ManualClock(), log: SILENT, freshId: () => 'cmd' };
  const owners = new AskedOwners(parts as never as EventStreamParts, null, CONNECTION as never);
  for (let reads = 0; reads < 2; reads++) await assert.rejects(owners.read(0));
  for (let reads = 0; reads < 2; reads++) assert.deepEqual(await owners.read(0), PAGE);
  assert.deepEqual(told, ['7.dlv_1', '7.dlv_1', '7.dlv_1', undefined]);
});
