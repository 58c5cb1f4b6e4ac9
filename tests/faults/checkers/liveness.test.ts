/** Liveness: well, and gone wrong. */
import { call, show, type Told } from './fixture.ts';
import type { Call } from './history.ts';
import { liveness } from './liveness.ts';

type Ends = readonly (readonly [endedAt: number, as: 'ok' | 'refused' | 'unknown'])[];

const FINE: Ends = [
  [2_000, 'ok'],
  [2_100, 'refused'],
  [2_200, 'ok'],
];
const unknown = (count: number): Ends =>
  Array.from({ length: count }, (_, n) => [3_000 + n, 'unknown']);

/** One worker's calls, healed at 1,000. */
function told(ends: Ends, over: Told = {}): Told {
  const calls = ends.map(([at, as]) => {
    const ended = as === 'ok' ? {} : as === 'refused' ? 429 : 'unknown';
    return call('send', {}, ended, { process: 'w', startedAt: at - 1, endedAt: at });
  });
  return { healed: { at: 1_000, answeredWithinMs: 15_000 }, calls, ...over };
}
/** Made before the heal. */
function underWay(returnedAt: number): Told {
  const made: Call = call('send', {}, {}, { process: 'w', startedAt: 900, endedAt: returnedAt });
  return told([], { calls: [made] });
}
const done = new Set(['w']);
const probed = (...channels: readonly (readonly [channelId: string, agoMs: number])[]) => ({
  healed: { at: 0 },
  endedAt: 200_000,
  probes: {
    channels: channels.map(([id]) => id),
    seen: channels.map(([channelId, ago]) => ({ channelId, at: 200_000 - ago })),
  },
});

show(liveness, {
  allAreAnsweredSoon: {
    well: [told([[500, 'unknown'], ...FINE]), underWay(9_000)],
    'w was answered 16000 ms after the heal': [told([[17_000, 'ok']])],
    'w was answered Infinity ms after': [underWay(Number.POSITIVE_INFINITY)],
  },
  allAreAnsweredAtLast: {
    well: [
      told([[500, 'unknown'], ...FINE]),
      // The run stops.
      told([...FINE, ...unknown(2)], { answeredAt: 2_500 }),
      // One that has done its work is judged by its last answer.
      told([...unknown(2), [4_000, 'ok']], { done }),
    ],
    'w was not answered at last': [
      // One is not answered any more.
      told([...FINE, ...unknown(1)]),
      // Three in a row while the run stops.
      told([...FINE, ...unknown(3)], { answeredAt: 2_500 }),
      // One was unknown before the run saw all answered.
      told([...FINE, ...unknown(1)], { answeredAt: 3_500 }),
      // The last answer of one that has done its work.
      told([[2_000, 'ok'], ...unknown(1)], { done }),
      // The two calls before it are unknown.
      told([...unknown(2), [4_000, 'ok']]),
    ],
  },
  nothingIsDue: {
    well: [{ due: { sends: 0 } }],
    '2 deliveries were still due': [{ due: { deliveries: 2 } }],
  },
  everyChannelIsProbed: {
    well: [probed(['chn_1', 60_000])],
    'nobody has looked at channel chn_2': [probed(['chn_1', 60_000], ['chn_2', 80_000])],
  },
});
