/** What a connection of an event stream asks the owners of its stream. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
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
const HINT = { after: 0, deliveries: [], unacknowledged: 0 };
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

test('each read names the stream that its connection was opened for, as far as that is known', async () => {
  for (const generation of [7, undefined]) {
    const told: unknown[] = [];
    const ask = async (_: Address, command: CommandOf) => {
      told.push(Object(command).generation);
      return answerOf(PAGE);
    };
    const parts = { bus: { ask }, clock: new ManualClock(), log: SILENT, freshId: () => 'cmd' };
    const connection = { ...CONNECTION, generation } as never;
    const owners = new AskedOwners(parts as never as EventStreamParts, null, connection);
    for (let reads = 0; reads < 2; reads++) await owners.read(0);
    assert.deepEqual(told, [generation, generation]);
  }
});

describe('a key that expires', () => {
  const [TOLD, PUSHED] = [60_000, { ...PAGE, after: 0 }];

  /** A connection that has read, with the times at which its owner is asked. */
  function connected(endsAt: (now: number) => number | undefined) {
    const clock = new ManualClock();
    const known = { endsAt: endsAt(clock.now()) };
    const reads: number[] = [];
    const ask = async () => {
      reads.push(clock.now());
      const { endsAt: until } = known;
      return answerOf({ ...PAGE, ...(until === undefined ? {} : { endsAt: until }) });
    };
    const pushes: unknown[] = [];
    let push: (page: unknown) => void = () => undefined;
    const listener = {
      listen: (_: string, onPush: (page: unknown) => void) => {
        push = onPush;
        return () => undefined;
      },
    };
    const parts = { bus: { ask }, clock, log: SILENT, freshId: () => 'cmd' };
    const owners = new AskedOwners(
      ...([parts, listener, CONNECTION] as never as ConstructorParameters<typeof AskedOwners>),
    );
    const stop = owners.listen((page) => void pushes.push(page));
    return { clock, known, reads, pushes, owners, stop, push: (page: unknown) => push(page) };
  }

  test('ends its stream: nothing is heard any more, and a read asks nobody', async () => {
    const { clock, reads, pushes, owners, push } = connected((now) => now + TOLD);
    assert.equal((await owners.read(0)).outcome, 'page');
    clock.advance(TOLD - 1);
    push(PUSHED);
    assert.deepEqual(pushes, [PUSHED]);
    clock.advance(1);
    assert.deepEqual(pushes.splice(0), [PUSHED, HINT], 'it is made to read');
    push(PUSHED);
    assert.deepEqual(pushes, []);
    assert.deepEqual(await owners.read(0), { outcome: 'gone' });
    assert.equal(reads.length, 1);
  });

  test('and one that is given more time, or all of it, goes on', async () => {
    for (const later of [TOLD * 10, undefined]) {
      const { clock, known, owners } = connected((now) => now + TOLD);
      await owners.read(0);
      known.endsAt = later === undefined ? undefined : clock.now() + later;
      await owners.read(0);
      clock.advance(TOLD);
      assert.equal((await owners.read(0)).outcome, 'page');
    }
  });

  test('in a century reads once a day, and a connection that has ended has no timer', async () => {
    const { clock, pushes, owners, stop } = connected(() => Date.UTC(2126, 0));
    await owners.read(0);
    clock.advance(24 * 60 * 60 * 1000);
    assert.deepEqual(pushes, [HINT]);
    await owners.read(0);
    stop();
    assert.equal(clock.waiting, 0);
  });
});
