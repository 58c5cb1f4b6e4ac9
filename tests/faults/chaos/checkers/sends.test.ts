/** Whether the checkers of sends can fail at all: histories that pass, and some that must not. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Ended, HistoryBuilder } from './history-builder.ts';
import { checkNetwork } from './network.ts';
import { checkSends } from './sends.ts';

const PHONE = '5511987000001';
const OTHER = '5511987000002';

function send(builder: HistoryBuilder, text: string, ended: Ended): void {
  builder.call('send', { phone: PHONE, text }, ended);
}

type Stored = readonly [id: string, text: string, status?: string];

function read(builder: HistoryBuilder, stored: readonly Stored[], phone = PHONE): HistoryBuilder {
  const messages = stored.map(([id, text, status = 'read']) => {
    return { id, direction: 'out', text, status };
  });
  const conversation = { phone, conversationId: 'c', status: 'open', messages };
  return builder.seen('read-conversation', conversation);
}

/** Three accepted, one with unknown outcome, one refused. */
function told(): HistoryBuilder {
  const builder = new HistoryBuilder();
  send(builder, 'w-0', { ok: { messageId: 'm0' } });
  send(builder, 'w-1', { ok: { messageId: 'm1' } });
  send(builder, 'w-2', { info: true });
  send(builder, 'w-3', { refused: { status: 429 } });
  send(builder, 'w-4', { ok: { messageId: 'm4' } });
  return builder;
}

const [M0, M1, M2, M3, M4] = [
  ['m0', 'w-0'],
  ['m1', 'w-1'],
  ['m2', 'w-2'],
  ['m3', 'w-3'],
  ['m4', 'w-4'],
] as const;

function faultsOf(stored: readonly Stored[]): readonly string[] {
  return checkSends(read(told(), stored).history).violations;
}

describe('sends', () => {
  test('what nobody could answer is there or not', () => {
    assert.deepEqual(faultsOf([M0, M1, M2, M4]), []);
    assert.deepEqual(faultsOf([M0, M1, M4]), []);
    assert.deepEqual(faultsOf([M0, M1, M4, M2]), [], 'also later');
    const { counted } = checkSends(told().history);
    assert.deepEqual(counted, { accepted: 3, refused: 1, unanswered: 1 });
  });

  test('calls under way at the same time may stand in either order', () => {
    const builder = new HistoryBuilder();
    const first = builder.begin('send', { phone: PHONE, text: 'a' });
    const second = builder.begin('send', { phone: PHONE, text: 'b' });
    first({ ok: { messageId: 'ma' } });
    second({ ok: { messageId: 'mb' } });
    const pairs: Stored[] = [
      ['mb', 'b'],
      ['ma', 'a'],
    ];
    assert.deepEqual(checkSends(read(builder, pairs).history).violations, []);
  });

  for (const [what, stored] of Object.entries({
    'a lost one': [M0, M4],
    'the first one lost': [M1, M4],
    'the last one lost': [M0, M1],
    'a doubled one': [M0, M1, M4, ['m5', 'w-4']],
    'an unanswered one doubled': [M0, M1, M2, ['m5', 'w-2'], M4],
    'one that nobody sent': [M0, M1, ['m9', 'w-9'], M4],
    'one that was refused': [M0, M1, M3, M4],
    'another id than was answered': [M0, ['mx', 'w-1'], M4],
    'a swapped pair': [M1, M0, M4],
    'an unanswered one before one that had been answered': [M0, M2, M1, M4],
    'one that never left the queue': [M0, M1, ['m4', 'w-4', 'queued']],
  } satisfies Record<string, readonly Stored[]>)) {
    test(`${what} is found`, () => assert.equal(faultsOf(stored).length, 1, `${faultsOf(stored)}`));
  }

  test('a conversation that could not be read is no pass', () => {
    assert.equal(checkSends(told().history).violations.length, 1);
  });
});

describe('the network', () => {
  const stored: readonly Stored[] = [M0, M1, M4];

  function took(
    builder: HistoryBuilder,
    [messageId, text]: Stored,
    externalId = `x-${messageId}`,
  ): HistoryBuilder {
    return builder.seen('network-accepted', { to: PHONE, text, externalId, messageId });
  }

  function faults(tell: (builder: HistoryBuilder) => void): readonly string[] {
    const builder = read(new HistoryBuilder(), stored);
    tell(builder);
    return checkNetwork(builder.history).violations;
  }

  const all = (builder: HistoryBuilder) => {
    for (const each of stored) took(builder, each);
  };

  test('everything once and in order passes', () => assert.deepEqual(faults(all), []));

  test('what the network could not tell of may come again, and is counted', () => {
    const again = (builder: HistoryBuilder) => {
      took(builder, M0);
      took(builder.wait(13_000), M0, 'x-again');
      took(builder, M1);
      took(builder, M4);
    };
    assert.deepEqual(faults(again), []);
    const builder = read(new HistoryBuilder(), stored);
    again(builder);
    assert.equal(checkNetwork(builder.history).counted.sentAgain, 1);
  });

  test('what the network had told of must not come again', () => {
    const found = faults((builder) => {
      all(builder);
      builder.seen('network-told', { externalId: 'x-m4' });
      took(builder.wait(13_000), M4, 'x-again');
    });
    assert.match(found.join(), /sent again 13001 ms after the network had told/);
  });

  test('a second request right behind the first is found, told of or not', () => {
    const found = faults((builder) => {
      all(builder);
      took(builder.wait(500), M4, 'x-again');
    });
    assert.equal(found.length, 1);
  });

  test('a request that a fault held up may come after the telling', () => {
    const heldUp = (parts: readonly string[]) => (builder: HistoryBuilder) => {
      all(builder);
      builder.seen('network-told', { externalId: 'x-m4' });
      builder.seen('fault', { kind: 'stall', parts, from: 1_000_000, to: 1_009_000 });
      took(builder.wait(5_000), M4, 'x-again');
    };
    assert.deepEqual(faults(heldUp(['network'])), []);
    assert.equal(faults(heldUp(['gateway-1'])).length, 1, 'not by a fault elsewhere');
  });

  for (const [what, tell] of Object.entries({
    'one that never came': (builder: HistoryBuilder) => {
      took(took(builder, M0), M1);
    },
    'one that is not in the history': (builder: HistoryBuilder) => {
      all(builder);
      took(builder, ['m9', 'w-9']);
    },
    'a swapped pair': (builder: HistoryBuilder) => {
      for (const each of [M1, M0, M4]) took(builder, each);
    },
  })) {
    test(`${what} is found`, () => assert.equal(faults(tell).length, 1, `${faults(tell)}`));
  }

  test('other conversations do not matter for the order', () => {
    const builder = read(read(new HistoryBuilder(), stored), [['n0', 'v-0']], OTHER);
    took(took(builder, M0), M1);
    builder.seen('network-accepted', { to: OTHER, text: 'v-0', externalId: 'y', messageId: 'n0' });
    took(builder, M4);
    assert.deepEqual(checkNetwork(builder.history).violations, []);
  });
});
