/** Fair sending: well, and gone wrong. */
import { fairness } from './fairness.ts';
import { call, type Ended, message, PHONE, show, transmission } from './fixture.ts';
import type { Message, SendQueue, Transmission } from './history.ts';

const CHANNEL = 'chn_1';
const OWNER = 'actors0';
const TOLD_AT = 10_000;

/** A message of a conversation of its own; it waits, and its turn comes at that moment. */
interface Waiting extends Partial<Message> {
  readonly id: string;
  readonly turnAt: number;
  readonly knownAt?: number;
  /** Null: the network never got it. */
  readonly sentAt?: number | null;
}

function waiting(...all: readonly Waiting[]) {
  const messages = all.map(({ id, turnAt: _, knownAt: __, sentAt: ___, ...over }) =>
    message(id, { channelId: CHANNEL, conversationId: `cnv_${id}`, urgency: 'normal', ...over }),
  );
  const transmissions: Transmission[] = all.flatMap(({ id, turnAt, sentAt = turnAt + 1 }) =>
    sentAt === null ? [] : transmission(id, { channelId: CHANNEL, by: OWNER, at: sentAt }),
  );
  const fact = (messageId: string, at: number) => ({ messageId, by: OWNER, at });
  const queue: SendQueue = {
    channelId: CHANNEL,
    owners: [{ by: OWNER, at: 0 }],
    known: all.map(({ id, knownAt = 9_000 }) => fact(id, knownAt)),
    turns: all.map(({ id, turnAt }) => fact(id, turnAt)),
  };
  return { messages, transmissions, queues: [queue] };
}

const reply = (turnAt: number, over: Partial<Waiting> = {}): Waiting => ({
  ...{ id: 'r', urgency: 'reply', knownAt: TOLD_AT, turnAt },
  ...over,
});
const at = (ms: number): number => TOLD_AT + ms;
const others = (...turns: readonly number[]): readonly Waiting[] =>
  turns.map((ms, index) => ({ id: `o${index}`, turnAt: at(ms) }));
const asks = (text: string, over: object, ended: Ended = {}) =>
  call('send', { phone: PHONE, text, ...over }, ended);

show(fairness, {
  noReplyWaitsBehindOthers: {
    well: [
      waiting(reply(at(300)), ...others(100)),
      // What goes while it looks for the message before it, and what goes after it all the same.
      waiting(reply(at(200), { sentAt: at(900) }), ...others(100, 200, 300, 400)),
      waiting(reply(at(300)), ...others(100), { id: 'late', turnAt: at(200), sentAt: at(400) }),
      // Before it was known, and beside it.
      waiting(reply(at(200)), ...others(-50, 0, 100, 200, 200)),
      // One for every third of the replies that go ahead, where something is sent or not.
      waiting(
        reply(at(900)),
        ...others(100, 200),
        ...[400, 500, 600].map((ms, n) => ({
          ...{ id: `a${n}`, urgency: 'reply', turnAt: at(ms), sentAt: n === 0 ? null : at(ms) },
          // They are judged nowhere: this owner did not know them to wait.
          knownAt: at(2_000),
        })),
      ),
      // Its conversation has a message on its way.
      waiting(
        reply(at(900), { conversationId: 'cnv_1', place: 2 }),
        { id: 'p', conversationId: 'cnv_1', place: 1, turnAt: at(-100), endedAt: at(800) },
        ...others(100, 200, 300, 400),
      ),
      // What goes before it goes at the turns of replies.
      waiting(
        reply(at(900), { conversationId: 'cnv_1', place: 2 }),
        { id: 'p', conversationId: 'cnv_1', place: 1, turnAt: at(200) },
        ...others(100, 300, 400, 500),
      ),
    ],
    'r (r) waited from 10000 to 10400 behind 2 others, not 1': [
      waiting(reply(at(400)), ...others(200, 200)),
    ],
    'r (r) waited from 10000 to 10500 behind 2 others, not 1': [
      waiting(
        reply(at(900), { conversationId: 'cnv_1', place: 2 }),
        { id: 'p', conversationId: 'cnv_1', place: 1, turnAt: at(500) },
        ...others(100, 400),
      ),
    ],
  },
  classesAreThoseOfTheirCalls: {
    well: [
      {
        ...waiting(
          { id: 'b', urgency: 'bulk', turnAt: 1 },
          { id: 'r', urgency: 'reply', turnAt: 2 },
        ),
        calls: [asks('b', { priority: 'bulk' }), asks('r', { isMembers: true })],
      },
    ],
    'b (b) is normal': [
      { ...waiting({ id: 'b', turnAt: 1 }), calls: [asks('b', { priority: 'bulk' })] },
    ],
    'r (r) is normal': [
      { ...waiting({ id: 'r', turnAt: 1 }), calls: [asks('r', { isMembers: true })] },
    ],
    'n (n) is bulk': [
      { ...waiting({ id: 'n', urgency: 'bulk', turnAt: 1 }), calls: [asks('n', {})] },
    ],
  },
});
