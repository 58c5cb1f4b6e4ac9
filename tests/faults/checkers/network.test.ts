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
    'one that is in no log': [
      { messages: log('a'), transmissions: [transmission('z', none)] },
      /z to 5511987650001 was handed over and is in no log/,
    ],
    'one that the network knows by no id of ours': [
      { messages: log('a'), transmissions: [transmission('a', { messageId: null })] },
      /a to .* is in no log/,
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
    'one never came': [{ messages: log('a') }, /a \(a\) is sent and never came/],
    'one was not taken': [
      { messages: log('a'), transmissions: [transmission('a', none)] },
      /a \(a\) is sent and never came/,
    ],
    'one is lost at a network that was killed': [
      { messages: log('a'), faults: [kill('network', 101, 102)] },
      /never came/,
    ],
    'one was refused afterwards, and that was told': [
      {
        messages: log('a'),
        transmissions: refusedLater(150),
        faults: [kill('network', 101, 102)],
      },
      /never came/,
    ],
    'one was refused afterwards, without a kill': [
      { messages: log('a'), transmissions: refusedLater(null) },
      /never came/,
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
    'one waits for ever': [waiting({ isDue: true }), /a \(a\) is still sent at the end/],
    'one never left the queue': [waiting({ status: 'queued' }), /a \(a\) is still queued/],
    'one failed where nothing is refused': [
      { ...waiting({ status: 'failed' }), nothingIsRefused: true },
      /a \(a\) is still failed/,
    ],
    'one was taken and the service does not know it': [
      { ...waiting({ status: 'failed' }), transmissions: [transmission('a')] },
      /a was taken and is failed/,
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
    ],
    'two are swapped': [
      { messages: log('a', 'b'), transmissions: [transmission('b'), transmission('a')] },
      /a was handed over after b/,
    ],
    'one is handed over again behind its successor': [
      {
        messages: log('a', 'b'),
        transmissions: [
          transmission('a', by),
          transmission('b', by),
          transmission('a', { ...by, at: 400 }),
        ],
      },
      /a was handed over after b/,
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
    'one is doubled although a status had told': [
      {
        transmissions: [transmission('a', { ...DOUBTFUL, toldAt: 900 }), transmission('a', AGAIN)],
      },
      /a \(a\) was taken again 13100 ms after the network had told of it/,
    ],
    'one is doubled although the network could be asked': [
      {
        transmissions: [
          transmission('a', { ...DOUBTFUL, provider: 'web' }),
          transmission('a', { ...AGAIN, provider: 'web' }),
        ],
      },
      /a \(a\) was taken again although it could be asked for/,
    ],
    'one comes again long after it was told of': [
      { transmissions: twice(13_000, 200) },
      /12900 ms after the network had told/,
    ],
    'one comes again right behind the first': [{ transmissions: twice(500, null) }, /after 500 ms/],
    'a fault elsewhere holds nothing up': [
      { transmissions: twice(5_000, 200), faults: [stalled('gateway-1')] },
      /after the network had told/,
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
    'a repeat has another id': [
      {
        store: store(),
        transmissions: [transmission('a', { ownId: '3EB0A' }), transmission('a')],
      },
      /a was handed over as 3EB0A/,
    ],
    'two messages have one id': [
      {
        store: store(),
        transmissions: [
          transmission('a', { ownId: '3EB0A', channelId: 'chn_1' }),
          transmission('b', { ownId: '3EB0A', channelId: 'chn_1' }),
        ],
      },
      /chn_1 3EB0A named a, b/,
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
    'one knocks at a restricted number': [
      {
        store: store(),
        transmissions: [transmission('a', restricted), transmission('a', { at: 900 })],
        marks: [mark('a', 0, 1), mark('a', 800, 1)],
      },
      /a was refused at .* and handed over again/,
    ],
  },
  ourOwnIsNoEcho: {
    well: [
      {
        messages: [message('a', { externalId: 'wamid.a' }), message('e', { externalId: 'typed' })],
        transmissions: [transmission('a')],
      },
    ],
    'a bridge that was restarted doubles one': [
      {
        messages: [message('a'), message('e', { externalId: 'wamid.a', channelId: 'chn_1' })],
        transmissions: [transmission('a', { channelId: 'chn_1' })],
      },
      /e is an echo of a/,
    ],
  },
});

test('what is sent again is counted', () => {
  const told = history({ messages: log('a'), transmissions: twice(13_000, null) });
  assert.deepEqual(network.counted?.(told), { taken: 2, messages: 1, sentAgain: 1 });
});
