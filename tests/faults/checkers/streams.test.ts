/** Event streams: well, and gone wrong. */
import { show, type Told } from './fixture.ts';
import { streams } from './streams.ts';
import type {
  StreamConnection,
  StreamDelivery,
  StreamHistory,
  StreamWriting,
} from './streams-history.ts';

const BODY = '{"event":"message.sent","data":{"channelId":"chn_1"}}';
const EVENT = { event: 'message.sent', body: BODY };

function written(id: string, position: number, over: Partial<StreamWriting> = {}): StreamWriting {
  const { at = position } = over;
  return { id, position, ...EVENT, at, scopeFrom: at, ...over };
}

function connection(over: Partial<StreamConnection> = {}): StreamConnection {
  const { openedAt = 0 } = over;
  return {
    ...{ name: `req_${openedAt}`, openedAt, lastEventId: null, written: [], overflows: [] },
    ...{ replacedAt: null, isLive: false },
    ...over,
  };
}

const live = (...list: readonly StreamWriting[]) => connection({ isLive: true, written: list });

/** It waits from its commit on, and has another state at 50 where it has one. */
function delivery(id: string, over: Partial<StreamDelivery> = {}): StreamDelivery {
  const { status = 'pending', reason = null } = over;
  const waiting = { at: 5, status: 'pending', position: null, reason: null };
  const ended = { at: 50, status, position: 10, reason };
  const changes = status === 'pending' ? [waiting] : [waiting, ended];
  const commit = { entity: 'cnv_1', begunAt: 1, at: 2 };
  return { id, ...EVENT, generation: 1, status, reason, changes, commit, ...over };
}

function stream(over: Partial<StreamHistory> = {}): Told {
  const told: StreamHistory = {
    ...{ id: 'str_1', name: 'erp', generation: 1, openings: [], acknowledgements: [] },
    ...{ connections: [live()], deliveries: [], begunAt: [0], dropped: [] },
    reaches: [{ at: 0, channelId: null, isGood: true }],
    ...over,
  };
  return { streams: [told] };
}

const settled = delivery('a', { status: 'succeeded' });
const sentAgain = delivery('a', {
  status: 'succeeded',
  changes: [
    { at: 5, status: 'pending', position: null, reason: null },
    { at: 20, status: 'failed', position: 8, reason: 'status 500' },
    { at: 30, status: 'pending', position: null, reason: null },
    { at: 50, status: 'succeeded', position: 12, reason: null },
  ],
});
const failed = (reason: string) => delivery('a', { status: 'failed', reason });
const committed = (id: string, begunAt: number, over: Partial<StreamDelivery> = {}) =>
  delivery(id, { commit: { entity: 'cnv_1', begunAt, at: begunAt + 1 }, ...over });
const inOrder = [committed('a', 1), committed('b', 3)];
const narrowed = [
  { at: 0, channelId: null, isGood: true },
  { at: 5_000, channelId: 'chn_2', isGood: true },
];
const revoked = [
  { at: 0, channelId: null, isGood: true },
  { at: 5_000, channelId: null, isGood: false },
];
const ofDeal = { event: 'deal.won', body: '{"event":"deal.won","data":{}}' };
const opening = (from: number, to: number, name = '') => ({ from, to, connection: name });
const replaced = connection({ openedAt: 10, replacedAt: 40 });
const overflow = failed('overflow: too many events waited');
const counts = (...list: readonly number[]) =>
  list.map((count, index) => ({ at: 45 + index, generation: 1, count }));
const told = (dropped: number) =>
  connection({ isLive: true, overflows: [{ at: 60, dropped }], written: [] });

show(streams, {
  everythingIsWritten: {
    well: [
      { streams: [] },
      stream({ deliveries: [delivery('a')], connections: [live(written('a', 10))] }),
      stream({
        deliveries: [settled, { ...failed('status 500'), id: 'b' }],
        connections: [connection({ written: [written('a', 10), written('b', 11)] }), live()],
      }),
      stream({ deliveries: [overflow, { ...failed('scope: it does not reach'), id: 'b' }] }),
      // Swept while its key was revoked.
      stream({
        deliveries: [delivery('a', { status: 'failed' })],
        reaches: [
          { at: 0, channelId: null, isGood: false },
          { at: 60, channelId: null, isGood: true },
        ],
      }),
      // Of an earlier stream of this name, or of one that has ended.
      stream({ deliveries: [delivery('a', { generation: 0 })] }),
      stream({ deliveries: [delivery('a')], generation: null, connections: [] }),
    ],
    'a waits and is not with the reader': [
      stream({ deliveries: [delivery('a')] }),
      // The reader before it has read it.
      stream({
        deliveries: [delivery('a')],
        connections: [connection({ written: [written('a', 10)] }), live()],
      }),
    ],
    'a was settled and not written': [stream({ deliveries: [settled] })],
    'a is failed for no known reason': [
      stream({ deliveries: [delivery('a', { status: 'failed' })] }),
      stream({ deliveries: [failed('status 500')] }),
      stream({ deliveries: [failed('lost')], connections: [live(written('a', 10))] }),
    ],
    'has no reader at the end': [stream({ connections: [connection()] })],
  },
  nothingElseSettles: {
    well: [
      stream({
        deliveries: [settled],
        connections: [live(written('a', 10))],
        acknowledgements: [{ sentAt: 40, upTo: 10 }],
      }),
      stream({
        deliveries: [settled],
        connections: [live(written('a', 10))],
        acknowledgements: [{ sentAt: 40, ids: ['a'] }],
      }),
      // A late commit of its owner's has given it another position after it was written.
      stream({
        deliveries: [settled],
        connections: [live(written('a', 8))],
        acknowledgements: [{ sentAt: 40, upTo: 8 }],
      }),
    ],
    'a was settled before it was written': [
      stream({ deliveries: [settled], acknowledgements: [{ sentAt: 40, upTo: 10 }] }),
      stream({
        deliveries: [settled],
        connections: [live(written('a', 10, { at: 51 }))],
        acknowledgements: [{ sentAt: 40, upTo: 10 }],
      }),
    ],
    'a at 10 was settled by no acknowledgement': [
      { sentAt: 40, upTo: 9 },
      { sentAt: 40, ids: ['b'] },
      { sentAt: 51, upTo: 10 },
    ].map((acknowledgement) =>
      stream({
        deliveries: [settled],
        connections: [live(written('a', 10))],
        acknowledgements: [acknowledgement],
      }),
    ),
    'a at 12 was settled by no acknowledgement': [
      stream({
        deliveries: [sentAgain],
        connections: [live(written('a', 8, { at: 9 }), written('a', 12, { at: 35 }))],
        acknowledgements: [{ sentAt: 40, upTo: 8 }],
      }),
    ],
  },
  nothingElseIsWritten: {
    well: [stream({ deliveries: [delivery('a')], connections: [live(written('a', 10))] })],
    'a was written and is not recorded': [stream({ connections: [live(written('a', 10))] })],
    'a came as another one': [
      stream({ deliveries: [delivery('a')], connections: [live(written('a', 10, ofDeal))] }),
      stream({
        deliveries: [delivery('a')],
        connections: [live(written('a', 10, { body: `${BODY} ` }))],
      }),
    ],
  },
  entitiesKeepTheirOrder: {
    well: [
      stream({ deliveries: inOrder, connections: [live(written('a', 10), written('b', 11))] }),
      // The commits overlapped.
      stream({
        deliveries: [committed('a', 1), committed('b', 2)],
        connections: [live(written('b', 10), written('a', 11))],
      }),
      // Of two entities.
      stream({
        deliveries: [
          committed('a', 1, { commit: { entity: 'deal_1', begunAt: 1, at: 2 } }),
          committed('b', 3),
        ],
        connections: [live(written('b', 10), written('a', 11))],
      }),
      // It was dropped, and sent again by hand.
      stream({
        deliveries: [
          { ...overflow, commit: { entity: 'cnv_1', begunAt: 1, at: 2 } },
          inOrder[1],
        ].flatMap((each) => each ?? []),
        connections: [live(written('b', 10), written('a', 60))],
      }),
      // The stream did not hear of it when it was published first.
      stream({
        deliveries: inOrder,
        begunAt: [2.5],
        connections: [live(written('b', 10), written('a', 11))],
      }),
    ],
    'a of cnv_1, committed at 2, comes behind b of 3': [
      stream({ deliveries: inOrder, connections: [live(written('b', 10), written('a', 11))] }),
      // Each on a connection of its own.
      stream({
        deliveries: inOrder,
        connections: [connection({ written: [written('b', 10)] }), live(written('a', 11))],
      }),
    ],
  },
  keysReachWhatIsWritten: {
    well: [
      stream({ connections: [live(written('a', 10))] }),
      // Its owner may have read the configuration a second before.
      stream({ reaches: narrowed, connections: [live(written('a', 5_900))] }),
      stream({ reaches: narrowed, connections: [live(written('a', 9_000, ofDeal))] }),
      stream({
        reaches: narrowed,
        connections: [
          live(written('a', 9_000, { body: '{"data":{"channelId":"chn_2"}}' })),
          live(written('a', 9_000, { scopeFrom: 5_500 })),
        ],
      }),
    ],
    'message.sent a is beyond the key': [
      stream({ reaches: narrowed, connections: [live(written('a', 6_100))] }),
      stream({ reaches: revoked, connections: [live(written('a', 6_100))] }),
    ],
    'deal.won a is beyond the key': [
      stream({ reaches: revoked, connections: [live(written('a', 6_100, ofDeal))] }),
    ],
  },
  positionsRise: {
    well: [
      stream({ connections: [live(written('a', 10), written('b', 11))] }),
      // Everything unacknowledged comes again.
      stream({
        connections: [connection({ written: [written('a', 10)] }), live(written('a', 10))],
      }),
    ],
    '10 of b comes behind 11': [
      stream({ connections: [live(written('a', 11), written('b', 10))] }),
    ],
    '10 of a comes behind 10': [
      stream({ connections: [live(written('a', 10), written('a', 10))] }),
    ],
    '10 is of a and of b': [
      stream({
        connections: [connection({ written: [written('a', 10)] }), live(written('b', 10))],
      }),
    ],
  },
  newPositionsAreHigher: {
    well: [
      stream({
        connections: [
          connection({ written: [written('a', 10), written('b', 11)] }),
          live(written('a', 10), written('b', 11), written('c', 12)),
        ],
      }),
    ],
    '9 of b is new, and below 10': [
      stream({
        connections: [connection({ written: [written('a', 10)] }), live(written('b', 9))],
      }),
    ],
  },
  nothingSettledComesAgain: {
    well: [
      stream({ connections: [connection({ lastEventId: '10.a', written: [written('b', 11)] })] }),
      stream({ connections: [connection({ lastEventId: 'dlv_a', written: [written('b', 11)] })] }),
    ],
    '10 of a comes behind its acknowledgement': [
      stream({ connections: [connection({ lastEventId: '10.a', written: [written('a', 10)] })] }),
    ],
  },
  onlyNewerOnesReplace: {
    well: [
      stream({ connections: [connection()] }),
      stream({ connections: [replaced], openings: [opening(10, 11, 'req_10'), opening(20, 21)] }),
      // Asked for before, and answered after it.
      stream({ connections: [replaced], openings: [opening(5, 12, 'req_5')] }),
      // Without an answer.
      stream({ connections: [replaced], openings: [opening(5, Number.POSITIVE_INFINITY)] }),
    ],
    'req_10 was replaced by no newer connection': [
      stream({ connections: [replaced], openings: [opening(10, 11, 'req_10')] }),
      stream({ connections: [replaced], openings: [opening(5, 9, 'req_5')] }),
      stream({ connections: [replaced], openings: [opening(41, 42, 'req_41')] }),
    ],
  },
  overflowsAreTold: {
    well: [
      stream({ deliveries: [delivery('a')] }),
      stream({ deliveries: [overflow], dropped: counts(0, 1), connections: [told(1)] }),
      // The client has acknowledged a later one since.
      stream({ deliveries: [overflow], dropped: counts(1, 0) }),
      // It was counted again after a fault.
      stream({ deliveries: [overflow], dropped: counts(2), connections: [told(2)] }),
      // It was sent again by hand.
      stream({
        deliveries: [{ ...overflow, status: 'pending' }],
        dropped: counts(1),
        connections: [told(1)],
      }),
    ],
    '1 events were dropped and 0 counted': [stream({ deliveries: [overflow] })],
    '1 events were dropped and 0 told': [
      stream({ deliveries: [overflow], dropped: counts(1) }),
      // The reader before it was told.
      stream({
        deliveries: [overflow],
        dropped: counts(1),
        connections: [{ ...told(1), isLive: false }, live()],
      }),
    ],
    'told of 3 dropped events, which nobody counted': [stream({ connections: [told(3)] })],
  },
});
