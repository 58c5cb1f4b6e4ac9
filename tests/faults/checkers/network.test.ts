/** What comes to the networks: well, and gone wrong. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, history, kill, log, message, OTHER, show, store, transmission } from './fixture.ts';
import type { Fault, Message, Transmission } from './history.ts';
import { network } from './network.ts';

const none = { taken: null } as const;
const by = { by: 'actors0.1' } as const;
const DOUBTFUL = { ...by, at: 100 };
const AGAIN = { ...by, at: 14_000 };
const stalled = (part: string): Fault => ({ ...kill(part, 0, 9_000), kind: 'stall' });
/** As it comes to the network, twice. */
const twice = (afterMs: number, toldAt: number | null): readonly Transmission[] => [
  transmission('a', { toldAt }),
  transmission('a', { at: 100 + afterMs }),
];

/** Taken by the bridge, and refused afterwards. */
const refusedLater = (toldAt: number | null) => [transmission('a', { failed: 463, toldAt })];
const restricted = { ...none, restricted: true } as const;
const mark = (messageId: string, at: number, epoch: number) => ({ messageId, at, epoch });
const waiting = (over: Partial<Message>) => ({ messages: [message('a', over)] });

show(network, {
  nothingElseIsHandedOver: {
    well: [{ messages: log('a'), transmissions: [transmission('a')] }],
    'z to 5511987650001 was handed over and is in no log': [
      { messages: log('a'), transmissions: [transmission('z', none)] },
    ],
    'a to 5511987650001 was handed over and is in no log': [
      { messages: log('a'), transmissions: [transmission('a', { messageId: null })] },
    ],
  },
  sentIsTaken: {
    well: [
      { messages: log('a'), transmissions: [transmission('a')] },
      { messages: [message('a', { status: 'failed' })] },
      {
        calls: [call('inbound', { externalId: 'typed' })],
        messages: [message('a', { externalId: 'typed' })],
      },
      // The bridge died before it told of the refusal.
      {
        messages: log('a'),
        transmissions: refusedLater(null),
        faults: [kill('network', 101, 102)],
      },
    ],
    'a (a) is sent and never came': [
      // One never came.
      { messages: log('a') },
      // One was not taken.
      { messages: log('a'), transmissions: [transmission('a', none)] },
      // One is lost at a network that was killed.
      { messages: log('a'), faults: [kill('network', 101, 102)] },
      // One was refused afterwards, and that was told.
      {
        messages: log('a'),
        transmissions: refusedLater(150),
        faults: [kill('network', 101, 102)],
      },
      // One was refused afterwards, without a kill.
      { messages: log('a'), transmissions: refusedLater(null) },
    ],
  },
  everyMessageIsSettled: {
    well: [
      {
        messages: [
          message('a', { status: 'read' }),
          message('b', { status: 'failed' }),
          message('in', { direction: 'in', status: 'received' }),
        ],
        transmissions: [transmission('a'), transmission('b', none)],
      },
      {
        ...waiting({ engine: 'webjs', status: 'failed', error: 'unconfirmed' }),
        transmissions: [transmission('a')],
      },
      { ...waiting({ dueAt: 1, status: 'failed' }), nothingIsRefused: true },
    ],
    'a (a) is still sent at the end': [waiting({ isDue: true })],
    'a (a) is still queued': [waiting({ status: 'queued' })],
    'a (a) is still failed': [{ ...waiting({ status: 'failed' }), nothingIsRefused: true }],
    'a was taken and is failed': [
      { ...waiting({ status: 'failed' }), transmissions: [transmission('a')] },
    ],
  },
  handedOverInOrder: {
    well: [
      {
        messages: [...log('a', 'b', 'c'), message('x', { conversationId: 'cnv_2' })],
        transmissions: [
          transmission('a', { ...by, ...none }),
          transmission('a', { ...by, at: 300 }),
          transmission('x', { to: OTHER }),
          transmission('b'),
          transmission('c'),
        ],
      },
      // On their way requests may overtake each other.
      {
        messages: log('a', 'b'),
        transmissions: [transmission('a'), transmission('b'), transmission('a')],
      },
      // A scheduled message has the place of its settlement.
      {
        messages: [
          message('a', {
            dueAt: 1,
            settlements: [{ place: 3, outcome: 'released', settledAt: 1 }],
          }),
          message('b', { place: 2 }),
        ],
        transmissions: [transmission('b'), transmission('a')],
      },
      // The conversation of `a` was joined to that of `b` while `a` was queued.
      {
        messages: [message('a', { conversationId: 'cnv_2' }), message('b', { place: 2 })],
        transmissions: [transmission('b'), transmission('a')],
      },
    ],
    'a was handed over after b': [
      // Two are swapped.
      { messages: log('a', 'b'), transmissions: [transmission('b'), transmission('a')] },
      // One is handed over again behind its successor.
      {
        messages: log('a', 'b'),
        transmissions: [
          transmission('a', by),
          transmission('b', by),
          transmission('a', { ...by, at: 400 }),
        ],
      },
    ],
  },
  takenOnceWhereTheNetworkTells: {
    well: [
      {
        transmissions: [
          // The outcome is unknown: the cloud network has no look-up, and its status came too late.
          transmission('a', { ...DOUBTFUL, toldAt: 14_500 }),
          transmission('a', AGAIN),
          // Not taken at first.
          transmission('b', { ...DOUBTFUL, ...none }),
          transmission('b', AGAIN),
        ],
      },
      { transmissions: twice(13_000, null) },
      // A request may be on its way, or be held up there.
      { transmissions: twice(2_500, 1_000) },
      { transmissions: twice(5_000, 200), faults: [stalled('network')] },
    ],
    'a (a) was taken again 13100 ms after the network had told of it': [
      {
        transmissions: [transmission('a', { ...DOUBTFUL, toldAt: 900 }), transmission('a', AGAIN)],
      },
    ],
    'a (a) was taken again although it could be asked for': [
      {
        transmissions: [
          transmission('a', { ...DOUBTFUL, provider: 'web' }),
          transmission('a', { ...AGAIN, provider: 'web' }),
        ],
      },
    ],
    'a (a) was taken again 12900 ms after the network had told of it': [
      { transmissions: twice(13_000, 200) },
    ],
    'a (a) was taken again after 500 ms': [{ transmissions: twice(500, null) }],
    'a (a) was taken again 4900 ms after the network had told of it': [
      { transmissions: twice(5_000, 200), faults: [stalled('gateway-1')] },
    ],
  },
  underOneIdEach: {
    well: [
      {
        store: store(),
        transmissions: [
          transmission('a', { ownId: '3EB0A' }),
          transmission('a', { ownId: '3EB0A', at: 14_000 }),
          transmission('b', { ownId: '3EB0B' }),
          transmission('c'),
          transmission('c', { at: 14_000 }),
        ],
      },
    ],
    'a was handed over as 3EB0A': [
      {
        store: store(),
        transmissions: [transmission('a', { ownId: '3EB0A' }), transmission('a')],
      },
    ],
    'chn_1 3EB0A named a, b': [
      {
        store: store(),
        transmissions: [
          transmission('a', { ownId: '3EB0A', channelId: 'chn_1' }),
          transmission('b', { ownId: '3EB0A', channelId: 'chn_1' }),
        ],
      },
    ],
  },
  restrictedIsFinal: {
    well: [
      {
        store: store(),
        transmissions: [
          transmission('a', restricted),
          transmission('b'),
          transmission('c', restricted),
          transmission('c', { at: 900 }),
        ],
        marks: [mark('c', 0, 1), mark('c', 800, 2)],
      },
    ],
    'a was refused at 100 and handed over again': [
      {
        store: store(),
        transmissions: [transmission('a', restricted), transmission('a', { at: 900 })],
        marks: [mark('a', 0, 1), mark('a', 800, 1)],
      },
    ],
  },
  ourOwnIsNoEcho: {
    well: [
      {
        messages: [message('a', { externalId: 'wamid.a' }), message('e', { externalId: 'typed' })],
        transmissions: [transmission('a')],
      },
    ],
    'e is an echo of a': [
      {
        messages: [message('a'), message('e', { externalId: 'wamid.a', channelId: 'chn_1' })],
        transmissions: [transmission('a', { channelId: 'chn_1' })],
      },
    ],
  },
});

test('what is sent again is counted', () => {
  const told = history({ messages: log('a'), transmissions: twice(13_000, null) });
  assert.deepEqual(network.counted?.(told), { taken: 2, messages: 1, sentAgain: 1 });
});
