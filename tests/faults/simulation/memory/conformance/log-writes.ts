/** Writes to conversations' logs, to their snapshots, and to the records of channels. */
import fc from 'fast-check';
import {
  changeWrite,
  entryDocument,
  mediaWrite,
  messageWrite,
  snapshotWrite,
} from '../../../../../actors/conversation/log/documents.ts';
import type {
  Appended,
  ConversationState,
} from '../../../../../actors/domain/conversation/conversation.ts';
import type { Run } from '../../../../../actors/domain/flow-run.ts';
import type { StoredMessage } from '../../../../../shared/message.ts';
import type { OutboxItem } from '../../../../../shared/wire/outbox.ts';
import {
  conversationFixture,
  outboundFixture,
} from '../../../../support/actors/domain/message-fixture.ts';
import type { Write } from '../../../../support/plain-store.ts';
import type { Operation } from './operation.ts';
import {
  CHANNELS,
  committed,
  either,
  few,
  group,
  moment,
  someOf,
  text,
  upserted,
} from './words.ts';

export const CONVERSATIONS = ['cnv_a', 'cnv_b'] as const;
export const ENTRIES = ['msg_1', 'msg_2', 'msg_3', 'msg_4', 'msg_5'] as const;
const EXTERNALS = ['wamid.1', 'wamid.2'] as const;

export const conversationId = either(...CONVERSATIONS);
export const entryId = either(...ENTRIES);
/** Each entry has its own conversation: a filter by both may be one by the entry alone. */
export const entryPlace = entryId.map((_id) => {
  const [first, second] = CONVERSATIONS;
  return { _id, conversationId: Number(_id.slice(-1)) % 2 === 0 ? first : second };
});
export const externalId = either(...EXTERNALS);

const item: fc.Arbitrary<OutboxItem> = fc.record({
  type: fc.constant('event' as const),
  id: either('evt_1', 'evt_2', 'evt_3'),
  event: either('message.sent', 'message.read'),
  data: fc.record({ messageId: entryId, at: moment }),
});
const seq = fc.integer({ min: 1, max: 4 });
const outbox = fc.array(item, { maxLength: 2 });

const message: fc.Arbitrary<StoredMessage> = fc
  .record({
    revision: fc.integer({ min: 1, max: 3 }),
    status: either('sending', 'sent', 'read', 'failed'),
    direction: either('out', 'in', 'note'),
    text: fc.option(text),
    externalId: fc.option(externalId),
    sent: fc.option(moment),
    urgency: either('reply', 'normal', 'bulk'),
  })
  .map(({ sent, urgency, ...over }) =>
    outboundFixture({
      ...{ ...over, receipts: { sent, delivered: null, read: null } },
      ...(urgency === 'bulk' ? { bulk: { expiresAt: 1 } } : {}),
      ...(urgency === 'reply' ? { author: { kind: 'member', label: 'Ana' } } : {}),
    }),
  );

const run: fc.Arbitrary<Run> = fc.record({ until: moment, visit: few }).map(({ until, visit }) => ({
  id: 'run_1',
  flowId: 'flw_1',
  flowName: 'Enquete',
  versionId: 'flw_1.v',
  stepId: 'pausa',
  visit,
  phase: { kind: 'delay', until },
  answers: {},
  parsed: [],
  hops: 0,
  dealId: null,
  startedAt: 1,
}));

const state: fc.Arbitrary<ConversationState> = fc
  .record({
    id: conversationId,
    seq,
    channelId: either(...CHANNELS),
    status: either('open', 'in_flow'),
    lastMessageAt: moment,
    at: moment,
    run: fc.option(run),
    participants: fc.array(either('mbr_1', 'mbr_2'), { maxLength: 2 }),
  })
  .map((over) => conversationFixture(over));

const appended: fc.Arbitrary<Appended> = fc.record(
  {
    state,
    queued: fc.boolean(),
    outbox,
    message,
    previousSeq: few,
    media: fc.constant({ networkMediaId: 'net_1', mimeType: 'image/png' }),
    ownPlace: fc.record({ at: moment, seq }),
  },
  { requiredKeys: ['state', 'queued', 'outbox'] },
);

const entry = fc
  .tuple(entryPlace, appended, fc.option(fc.constant('req_1'), { nil: undefined }))
  .map(([{ _id, conversationId: id }, what, requestId]) =>
    entryDocument(_id, { ...what, state: { ...what.state, id } }, requestId),
  );
const append: fc.Arbitrary<Write> = entry.map((document) => ({ insert: 'entries', document }));

const snapshot: fc.Arbitrary<Write> = fc
  .tuple(state, few, fc.boolean())
  .map(([known, epoch, recount]) => snapshotWrite(known, epoch, { recount }));
const receipt: fc.Arbitrary<Write> = fc
  .tuple(entry, message, outbox)
  .map(([of, now, items]) => messageWrite(of, now, items));
const change: fc.Arbitrary<Write> = fc
  .tuple(
    entryPlace,
    fc.oneof(
      fc.record({ edit: fc.record({ at: moment, text: fc.option(text) }) }),
      fc.record({ deletion: fc.record({ at: moment }) }),
    ),
  )
  .map(([of, changes]) => changeWrite(of, changes));
const media: fc.Arbitrary<Write> = fc.tuple(entry, message).map(([of, now]) => mediaWrite(of, now));

/** As `actors/channel/sending/dispatch-batch` claims and `outcome` puts back. */
const marked: fc.Arbitrary<Write> = fc
  .record({
    ...{ place: entryPlace, held: either('queued', 'sending'), attempt: few },
    ...{ doubt: fc.boolean(), own: fc.boolean() },
  })
  .map(({ place, held, attempt, doubt, own }) => {
    const $set = {
      ...{ 'send.state': 'sending', 'send.epoch': 2, 'send.since': 7 },
      ...(own ? { 'send.ownId': 'wamid.1' } : {}),
      ...(doubt ? { 'send.doubtSince': 7 } : {}),
    };
    const filter = { ...place, 'send.state': held, 'send.attempt': attempt };
    const change = { $set, $inc: { 'send.attempt': 1 } };
    return { update: 'entries', filter, change, upsert: true };
  });
const putBack: fc.Arbitrary<Write> = fc
  .record({ place: entryPlace, attempt: few, failures: few })
  .map(({ place, attempt, failures }) => {
    const failed = failures > 0 ? { 'send.failures': failures } : {};
    const $set = { 'send.state': 'queued', 'send.attempt': attempt - 1, ...failed };
    const filter = { ...place, 'send.state': 'sending', 'send.attempt': attempt };
    return { update: 'entries', filter, change: { $set } };
  });

/** As `actors/conversation/turns/cancel` takes a message out of the send agenda. */
const cancelled: fc.Arbitrary<Write> = fc
  .record({ place: entryPlace, message, previousSeq: few })
  .map(({ place, message: after, previousSeq }) => {
    const filter = { ...place, 'send.state': 'queued', 'send.attempt': 0 };
    const $set = { cancelled: { previousSeq }, pending: 3 };
    const change = { $max: { message: after }, $unset: { send: '' }, $set };
    return { update: 'entries', filter, change, upsert: true };
  });

/** As `actors/conversation/log/snapshot-writer` removes published items. */
const clearing: fc.Arbitrary<Write> = fc
  .tuple(someOf(ENTRIES), someOf(CONVERSATIONS), someOf(['evt_1', 'evt_2', 'evt_3']))
  .map(([ids, conversations, published]) => {
    const cond = { $not: { $in: ['$$this.id', published] } };
    const kept = { $filter: { input: { $ifNull: ['$outbox', []] }, cond } };
    const empty = { $eq: ['$outbox', []] };
    const pending = { $cond: [empty, '$$REMOVE', '$pending'] };
    const left = { $cond: [empty, '$$REMOVE', '$outbox'] };
    return {
      update: 'entries',
      many: true,
      filter: { _id: { $in: ids }, conversationId: { $in: conversations } },
      change: [{ $set: { outbox: kept } }, { $set: { pending, outbox: left } }],
    };
  });

const timerGone: fc.Arbitrary<Write> = fc
  .oneof(fc.record({ conversationId, seq }), entryPlace)
  .map((filter) => ({ update: 'entries', filter, change: { $unset: { timer: '' } } }));
const timerLater: fc.Arbitrary<Write> = fc
  .record({ conversationId, seq, at: moment, later: moment })
  .map(({ at, later, ...place }) => {
    const change = { $set: { 'timer.at': later }, $inc: { 'timer.tries': 1 } };
    return { update: 'entries', filter: { ...place, 'timer.at': at }, change };
  });
const stepBegun: fc.Arbitrary<Write> = fc
  .record({ conversationId, seq, epoch: few, isTakenBack: fc.boolean() })
  .map(({ epoch, isTakenBack, ...place }) => {
    const path = `timer.begunIn.e${epoch}`;
    const change = isTakenBack ? { $unset: { [path]: '' } } : { $set: { [path]: true } };
    return { update: 'entries', filter: { ...place, timer: { $exists: true } }, change };
  });
const mediaLater: fc.Arbitrary<Write> = fc
  .tuple(entryPlace, few, moment)
  .map(([place, attempt, at]) => {
    const change = { $set: { 'mediaDue.at': at }, $inc: { 'mediaDue.attempt': 1 } };
    return { update: 'entries', filter: { ...place, 'mediaDue.attempt': attempt }, change };
  });

const keptEarly = fc.tuple(externalId, moment).map(([_id, at]) => {
  const receipts = { $each: [{ status: 'sent', at }], $slice: -2 };
  return upserted('externals', { _id }, { $push: { receipts }, $set: { at } });
});
/** As `actors/channel/sending/unmatched-receipts` keeps them. */
const changedEarly = fc
  .tuple(externalId, moment, fc.option(text))
  .map(([_id, at, said]) =>
    upserted('externals', { _id }, { $max: { edit: { at, text: said } }, $set: { at } }),
  );
const uploadId = either('chn_1/a', 'chn_1/b');
const uploaded = fc
  .tuple(uploadId, moment)
  .map(([_id, at]) => upserted('uploads', { _id }, { $set: { uploadId: `up.${at}`, at } }));
const readBack = fc
  .tuple(either(...CHANNELS), moment)
  .map(([_id, upTo]) => upserted('readBacks', { _id }, { $max: { upTo } }));
const swept: fc.Arbitrary<Write> = fc.oneof(
  fc
    .tuple(
      fc.oneof(
        fc.record({ remove: fc.constant('externals'), $in: fc.array(externalId) }),
        fc.record({ remove: fc.constant('uploads'), $in: fc.array(uploadId) }),
      ),
      moment,
    )
    .map(([{ remove, $in }, $lt]): Write => ({ remove, filter: { at: { $lt }, _id: { $in } } })),
  // Removes nothing: its answer shows that earlier writes have arrived.
  fc.constant<Write>({ remove: 'entries', filter: { _id: '', conversationId: '' } }),
  externalId.map((_id): Write => ({ remove: 'externals', filter: { _id } })),
  uploadId.map((_id): Write => ({ remove: 'uploads', filter: { _id } })),
);

export const logWrites: fc.Arbitrary<Operation> = fc.oneof(
  { arbitrary: group(append), weight: 6 },
  {
    arbitrary: group(
      fc.oneof(snapshot, receipt, change, media, marked, putBack, cancelled, clearing, timerGone),
    ),
    weight: 8,
  },
  group(fc.oneof(mediaLater, timerLater, stepBegun, keptEarly, changedEarly, uploaded, readBack)),
  committed(swept),
);
