/** Reads beside writes: well, and gone wrong. */

import { call, entry, inTurn, log, PHONE, sent, show, store, type Told } from './fixture.ts';
import type { Entry } from './history.ts';
import { reads } from './reads.ts';

/** Three sends are answered, then a page is read; a fourth one follows. */
function page(ids: readonly string[], total: number): Told {
  const read = call('list-messages', { phone: PHONE }, { ids: [...ids], total });
  return {
    calls: inTurn(sent('1'), sent('2'), sent('3'), read, sent('4')),
    messages: log('1', '2', '3', '4'),
  };
}

/** A page of messages of these times. */
function ordered(...times: readonly number[]): Told {
  const ids = times.map((_, index) => `msg_${index + 1}`);
  return { calls: [call('list-messages', {}, { ids, times: [...times] })] };
}

const both = inTurn(sent('a'), sent('b'));
const entries = ['a', 'b'].map((id, index) => entry(id, index + 1));
const listed = (...as: readonly (readonly [string, number])[]) =>
  store({ entries, snapshots: new Map(as) });

/** Of the newest entry, whose state names a message; and the message that it names. */
const named = (
  lastMessagePreview: string,
  newest: Partial<Entry>,
  message: Partial<Entry> = {},
) => [entry('a', 1, message), entry('b', 2, { lastMessagePreview, ...newest })];

const rowOf = (lastMessagePreview: string) => ({
  id: 'cnv_1',
  lastMessageAt: '',
  lastMessagePreview,
});
/** Requested after the answer for `a`, and before that for `b` unless it was made ahead. */
function list(preview: string | null, isAhead = false): Told {
  const rows = preview === null ? [] : [rowOf(preview)];
  const request = call('list-conversations', {}, { rows });
  return {
    calls: isAhead ? inTurn(sent('a'), sent('b'), request) : inTurn(sent('a'), request, sent('b')),
    messages: log('a', 'b'),
    store: store({ entries }),
  };
}

show(reads, {
  pagesShowWhatWasAnswered: {
    well: [
      page(['3', '2', '1'], 3),
      // Newer ones fill the page.
      page(['3', '2'], 3),
      page(['4', '3', '2'], 4),
      // Another one came meanwhile.
      page(['4', '3', '2', '1'], 4),
    ],
    '3 was answered and then not shown': [page(['2', '1'], 3)],
    '2 was answered and then not shown': [page(['3', '1'], 3)],
    '1 was answered and then not shown': [page(['4', '3', '2'], 3)],
    'a total of 2, 3 were answered': [page(['3', '2'], 2)],
  },
  pagesAreNewestFirst: {
    well: [ordered(), ordered(90_000, 60_000, 60_000, 10_000), ordered(60_000, 65_000, 10_000)],
    'the page of 0 has msg_2 after a message that is 5001 ms older': [ordered(60_000, 65_001)],
    'the page of 0 has msg_3 after a message that is 6000 ms older': [
      ordered(60_000, 63_000, 66_000),
    ],
  },
  everyConversationIsListed: {
    well: [
      { calls: both, store: listed(['cnv_1', 2]) },
      { calls: inTurn(sent('a'), sent('b', 'unknown')), store: listed(['cnv_1', 1]) },
    ],
    'conversation cnv_1 is on no list': [{ calls: both, store: listed() }],
    'conversation cnv_1 is listed as of 1, 2 was answered': [
      { calls: both, store: listed(['cnv_1', 1]) },
    ],
  },
  rowsNameTheirMessages: {
    well: [
      { store: store({ entries }) },
      { store: store({ entries: named('a', { lastMessageSeq: 1 }) }) },
      { store: store({ entries: named('a nova', { lastMessageSeq: 1 }, { isChanged: true }) }) },
      { store: store({ entries: named('[image]', { lastMessageSeq: 1 }, { text: null }) }) },
    ],
    'conversation cnv_1 names 7 as its last message': [
      { store: store({ entries: named('a', { lastMessageSeq: 7 }) }) },
    ],
    'conversation cnv_1 shows b of the message a': [
      { store: store({ entries: named('b', { lastMessageSeq: 1 }) }) },
    ],
  },
  listsShowWhatWasAcknowledged: {
    well: [list('a'), list('b'), list('b', true)],
    'the list of 40 has no conversation cnv_1, which holds a': [list(null)],
    'the list of 60 shows cnv_1 without b': [list('a', true)],
  },
});
