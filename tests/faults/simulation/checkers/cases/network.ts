/** Transmissions to the networks and events from them: well, and gone wrong. */
import { asked, entry, evidence, log, type Shown, transmission } from './evidence-fixture.ts';

const DOUBTFUL = { at: 100, accepted: { at: 110, externalId: 'wamid.a' } };
const AGAIN = { at: 14_000, accepted: { at: 14_010, externalId: 'wamid.a2' } };

export const NETWORK: Readonly<Record<string, Shown>> = {
  handedOverInOrder: {
    well: evidence({
      entries: [...log('a', 'b', 'c'), entry('x', 1, { conversationId: 'cnv_2' })],
      transmissions: [
        transmission('a', { accepted: null }),
        transmission('a', { at: 300 }),
        transmission('x', { to: '5511987650002', at: 310 }),
        transmission('b', { at: 400 }),
        transmission('c', { at: 500 }),
      ],
    }),
    wrong: {
      'two messages are swapped': {
        evidence: evidence({
          entries: log('a', 'b'),
          transmissions: [transmission('b'), transmission('a', { at: 300 })],
        }),
        says: /a \(1\) was handed over after 2/,
      },
      'a message is handed over again behind its successor': {
        evidence: evidence({
          entries: log('a', 'b'),
          transmissions: [
            transmission('a'),
            transmission('b', { at: 300 }),
            transmission('a', { at: 400 }),
          ],
        }),
        says: /a \(1\) was handed over after 2/,
      },
      'a message is handed over that nobody sent': {
        evidence: evidence({ entries: log('a'), transmissions: [transmission('z')] }),
        says: /z was handed over and is in no log/,
      },
    },
  },
  takenOnceWhereTheNetworkTells: {
    well: evidence({
      transmissions: [
        // The outcome is unknown: the cloud network has no look-up, and its status came too late.
        transmission('a', { ...DOUBTFUL, reportedAt: 14_500 }),
        transmission('a', AGAIN),
        // Not taken at first.
        transmission('b', { accepted: null }),
        transmission('b', AGAIN),
      ],
    }),
    wrong: {
      'a message is doubled although a status had told': {
        evidence: evidence({
          transmissions: [
            transmission('a', { ...DOUBTFUL, reportedAt: 900 }),
            transmission('a', AGAIN),
          ],
        }),
        says: /a \(msg_a\) was taken at 100, and again/,
      },
      'a message is doubled although the network could be asked': {
        evidence: evidence({
          transmissions: [
            transmission('a', { ...DOUBTFUL, provider: 'web' }),
            transmission('a', { ...AGAIN, provider: 'web' }),
          ],
        }),
        says: /a \(msg_a\) was taken at 100, and again/,
      },
    },
  },
  underOneIdEach: {
    well: evidence({
      transmissions: [
        transmission('a', { ownId: '3EB0A' }),
        transmission('a', { ownId: '3EB0A', at: 14_000 }),
        transmission('b', { ownId: '3EB0B' }),
        transmission('c'),
        transmission('c', { at: 14_000 }),
      ],
    }),
    wrong: {
      'a repeat has another id': {
        evidence: evidence({
          transmissions: [transmission('a', { ownId: '3EB0A' }), transmission('a', { at: 14_000 })],
        }),
        says: /msg_a was handed over as 3EB0A/,
      },
      'two messages have one id': {
        evidence: evidence({
          transmissions: [
            transmission('a', { ownId: '3EB0A' }),
            transmission('b', { ownId: '3EB0A' }),
          ],
        }),
        says: /chn_1 3EB0A named msg_a, msg_b/,
      },
    },
  },
  restrictedIsFinal: {
    well: evidence({
      transmissions: [
        transmission('a', { accepted: null, refused: true, restricted: true }),
        transmission('b'),
        transmission('c', { accepted: null, refused: true, restricted: true }),
        transmission('c', { at: 900 }),
      ],
      marks: [
        { messageId: 'msg_c', at: 0, epoch: 1 },
        { messageId: 'msg_c', at: 800, epoch: 2 },
      ],
    }),
    wrong: {
      'a message knocks at a restricted number': {
        evidence: evidence({
          transmissions: [
            transmission('a', { accepted: null, refused: true, restricted: true }),
            transmission('a', { at: 900 }),
          ],
          marks: [
            { messageId: 'msg_a', at: 0, epoch: 1 },
            { messageId: 'msg_a', at: 800, epoch: 1 },
          ],
        }),
        says: /a was refused at .* and handed over again/,
      },
    },
  },
  ourOwnIsNoEcho: {
    well: evidence({
      entries: [entry('a', 1, { externalId: 'wamid.a' }), entry('e', 2, { externalId: 'typed' })],
      transmissions: [transmission('a', DOUBTFUL)],
    }),
    wrong: {
      'a bridge that was restarted doubles a message': {
        evidence: evidence({
          entries: [entry('a', 1), entry('e', 2, { externalId: 'wamid.a' })],
          transmissions: [transmission('a', DOUBTFUL)],
        }),
        says: /msg_e is an echo of msg_a/,
      },
    },
  },
  everyMessageIsSettled: {
    well: evidence({
      entries: [
        entry('a', 1, { message: { status: 'read' } }),
        entry('b', 2, { message: { status: 'failed' } }),
        entry('in', 3, { message: { direction: 'in', status: 'received' } }),
      ],
      transmissions: [transmission('a'), transmission('b', { accepted: null, refused: true })],
    }),
    wrong: {
      'a message waits for ever': {
        evidence: evidence({
          entries: [
            entry('a', 1, {
              message: { status: 'sending' },
              send: {
                partition: 1,
                channelId: 'chn_1',
                state: 'queued',
                at: 1,
                previousSeq: 0,
                attempt: 0,
              },
            }),
          ],
        }),
        says: /a still waits for the network/,
      },
      'a message was taken and the service does not know it': {
        evidence: evidence({
          entries: [entry('a', 1, { message: { status: 'failed' } })],
          transmissions: [transmission('a')],
        }),
        says: /a was taken and is failed/,
      },
    },
  },
  takenInOnce: {
    well: evidence({
      history: [
        asked({ operation: 'network-message', status: 200, request: { externalId: 'in.1' } }),
      ],
      entries: [entry('in', 1, { externalId: 'in.1', message: { direction: 'in' } })],
    }),
    wrong: {
      'what a contact wrote is lost': {
        evidence: evidence({
          history: [
            asked({ operation: 'network-message', status: 200, request: { externalId: 'in.1' } }),
          ],
        }),
        says: /in\.1 was told and is stored 0 times/,
      },
      'what a member typed on the phone is there twice': {
        evidence: evidence({
          history: [
            asked({ operation: 'network-echo', status: 200, request: { externalId: 'in.2' } }),
          ],
          entries: [
            entry('x', 1, { externalId: 'in.2' }),
            { ...entry('x', 2, { externalId: 'in.2' }), _id: 'msg_again' },
          ],
        }),
        says: /in\.2 was told and is stored 2 times/,
      },
    },
  },
};
