/** State that is forgotten and comes back: well, and gone wrong. */
import type { EntryDocument } from '../../../../../actors/conversation/api.ts';
import { PROBE_MAX_MS } from '../../../../../actors/domain/breaker.ts';
import { conversationFixture } from '../../../../support/actors/domain/message-fixture.ts';
import type { Asked } from '../../history.ts';
import { asked, delivery, entry, evidence, NOW, type Shown, sent } from './evidence-fixture.ts';

const LONG = { healedAt: 0, endedAt: PROBE_MAX_MS + 60_000 };
const AT = new Date(NOW).toISOString();

const parked = delivery({ event: 'message.sent', subject: {}, status: 'parked', counted: 0 });

const comingBack: Shown = {
  well: evidence({ ...LONG, deliveries: [parked], disabled: new Set(['sub_all']) }),
  wrong: {
    'a delivery stays parked with a healthy subscriber': {
      evidence: evidence({ ...LONG, deliveries: [parked] }),
      says: /is parked although its subscriber is well/,
    },
  },
};

const probed: Shown = {
  well: evidence({
    ...LONG,
    channels: ['chn_1'],
    probes: [{ channelId: 'chn_1', at: LONG.endedAt - 60_000 }],
  }),
  wrong: {
    'a channel is not looked at any more': {
      evidence: evidence({
        ...LONG,
        channels: ['chn_1', 'chn_2'],
        probes: [
          { channelId: 'chn_1', at: LONG.endedAt - 60_000 },
          { channelId: 'chn_2', at: LONG.endedAt - 80_000 },
        ],
      }),
      says: /nobody has looked at channel chn_2/,
    },
  },
};

function keyed(value: string, over: Partial<Asked> = {}): Asked {
  const request = { path: 'deals/deal_1', title: value, keyed: value };
  return asked({ operation: 'deal-change-once', status: 200, request, ...over });
}

const titled = (value: string) => ({ id: 'deal_1', field: 'title', value }) as const;
const became = (value: string) => ({ id: 'deal_1', field: 'status', value }) as const;

const onceEach: Shown = {
  well: evidence({
    history: [
      keyed('m1'),
      keyed('m3', { status: 503 }),
      keyed('m4', { status: 404 }),
      // Without a value of its own.
      asked({ operation: 'deal-change-once', request: { status: 'won' } }),
    ],
    changes: [titled('m1'), titled('m2')],
  }),
  wrong: {
    'a repeat overwrites what another has written since': {
      evidence: evidence({
        history: [keyed('m1')],
        changes: [titled('m1'), titled('m2'), titled('m1')],
      }),
      says: /deal-change-once m1 \(200\) took effect 2 times/,
    },
    'it happens twice although nobody could say of it': {
      evidence: evidence({
        history: [keyed('m1', { status: 503 })],
        changes: [titled('m1'), titled('m2'), titled('m1')],
      }),
      says: /deal-change-once m1 \(503\) took effect 2 times/,
    },
    'it is acknowledged and has not happened': {
      evidence: evidence({ history: [keyed('m1')] }),
      says: /deal-change-once m1 \(200\) was acknowledged and had no effect/,
    },
    'it is refused and has happened': {
      evidence: evidence({ history: [keyed('m1', { status: 404 })], changes: [titled('m1')] }),
      says: /deal-change-once m1 \(404\) took effect all the same/,
    },
  },
};

const won = delivery({ event: 'deal.won', subject: { deal: { id: 'deal_1' } } });

const stages: Shown = {
  well: evidence({
    changes: [became('open'), became('won'), became('open'), became('lost')],
    deliveries: [
      won,
      delivery({ event: 'deal.lost', subject: { deal: { id: 'deal_1' } } }),
      delivery({ event: 'deal.reopened', subject: { deal: { id: 'deal_1' } } }),
    ],
  }),
  wrong: {
    'a deal is won again and nobody is told': {
      evidence: evidence({
        changes: [became('won'), became('open'), became('won')],
        deliveries: [won],
      }),
      says: /deal_1 became won 2 times, deal\.won was told 1 times/,
    },
  },
};

/** The entry of a message that its conversation shows last. */
function shown(text: string, seq: number): EntryDocument {
  const latest = { id: 'cnv_1', seq, lastMessageAt: NOW, lastMessagePreview: text };
  return { ...entry(text, seq), after: conversationFixture(latest) };
}

const LOG = [shown('a', 1), shown('b', 2)];

const both = [sent('a'), sent('b')];
const asOfFirst = [{ _id: 'cnv_1', snapshot: { seq: 1 } }];

const listed: Shown = {
  well: evidence({
    entries: LOG,
    history: [sent('a'), sent('b', { status: 503, response: null })],
    conversations: asOfFirst,
  }),
  wrong: {
    'a conversation is on no list': {
      evidence: evidence({ entries: LOG, history: both }),
      says: /conversation cnv_1 is on no list/,
    },
    'a conversation is listed without its last entry': {
      evidence: evidence({ entries: LOG, history: both, conversations: asOfFirst }),
      says: /conversation cnv_1 is listed as of 1, 2 was answered/,
    },
  },
};

/** A list requested after the answer for `a`, and before that for `b`. */
function list(...rows: readonly Readonly<Record<string, unknown>>[]): Asked {
  return asked({
    operation: 'list-conversations',
    status: 200,
    startedAt: 20,
    endedAt: 30,
    response: { data: rows },
  });
}

const row = (preview: string) => ({
  id: 'cnv_1',
  lastMessageAt: AT,
  lastMessagePreview: preview,
});

const late = { startedAt: 25, endedAt: 40 };

const acknowledged: Shown = {
  well: evidence({
    entries: LOG,
    history: [sent('a'), sent('b', late), list(row('a')), list(row('b')), list(row('b'))],
  }),
  wrong: {
    'a list misses a conversation': {
      evidence: evidence({ entries: LOG, history: [sent('a'), list()] }),
      says: /the list of 20 has no conversation cnv_1, which holds a/,
    },
    'a list shows a conversation as it was before': {
      evidence: evidence({ entries: LOG, history: [sent('a'), sent('b'), list(row('a'))] }),
      says: /the list of 20 shows cnv_1 without b/,
    },
  },
};

export const SLOW_TIME: Readonly<Record<string, Shown>> = {
  parkedDeliveriesComeBack: comingBack,
  everyChannelIsProbed: probed,
  noKeyedCallHasTwoEffects: onceEach,
  everyStageOfADealIsTold: stages,
  everyConversationIsListed: listed,
  listsShowWhatWasAcknowledged: acknowledged,
};
