/** What the compiler refuses of a query and of a write: each line marked here would compile else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type {
  Change,
  Collections,
  Filter,
  Store,
  Write,
} from '../../../../actors/model/collections.ts';
import type { EntryDocument } from '../../../../actors/model/conversation.ts';
import type { SHARDED_BY } from '../../../../infra/adapters/mongo/group-writes.ts';
import type { IN_TEXT, PACKING } from '../../../../infra/adapters/mongo/packing.ts';
import type { Path } from '../../../../shared/ports/store-paths.ts';

type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <_ extends true>(): void => undefined;

const _id = 'msg_1';
const conversationId = 'cnv_1';
const place = { _id, conversationId };

/** Never called: only its types count. */
export async function queries(store: Store): Promise<void> {
  const [shown] = await store.find('entries', { conversationId }, { project: { seq: 1 } });
  holds<Same<NonNullable<typeof shown>['seq'], number>>();
  // @ts-expect-error: a whole document of a projection
  const whole: EntryDocument | undefined = shown;
  // @ts-expect-error: a field that the projection leaves out
  void shown?.channelId;
  void whole;

  const part = await store.findOne('entries', place, { project: { 'send.at': 1 } });
  holds<Same<NonNullable<typeof part>['send'], { readonly at: number } | undefined>>();
  // @ts-expect-error: a part that the projection leaves out
  void part?.send?.attempt;

  const [rest] = await store.find('deliveries', {}, { project: { body: 0 } });
  // @ts-expect-error: a field that the projection takes away
  void rest?.body;

  const [sized] = await store.find('tasks', {}, { wholeMaxBytes: 1 });
  holds<Same<NonNullable<typeof sized>['bytes'], number>>();

  // @ts-expect-error: a collection that there is not, and a path of none
  await store.find('entires', { converzationId: conversationId });
  // @ts-expect-error: a path that there is not
  await store.find('entries', { converzationId: conversationId });
  // @ts-expect-error: a path into a subdocument that there is not
  await store.count('entries', { 'send.chanelId': 'chn_1' });
  // @ts-expect-error: a type of the caller's own
  await store.find<EntryDocument>('entries', { conversationId });
  // @ts-expect-error: a type of the caller's own
  await store.byId<EntryDocument>('entries', _id);

  // @ts-expect-error: a part of a packed field
  await store.find('entries', { 'message.text': 'oi' });
  // @ts-expect-error: a field that is stored in the document's text
  await store.find('entries', { orgId: 'org_1' });
  // @ts-expect-error: the text of a packed field equals nothing
  await store.find('deliveries', { state: null });
  // @ts-expect-error: a part that is not stored as one
  await store.find('conversations', { 'snapshot.state.status': 'open' });
  // @ts-expect-error: a part of a packed field is not read alone
  await store.find('entries', place, { project: { 'message.origin': 1 } });
  // @ts-expect-error: an order by a part of a packed field
  await store.find('entries', place, { sort: { 'message.createdAt': 1 } });

  // @ts-expect-error: a number that is compared with a text
  await store.find('entries', { seq: '2' });
  // @ts-expect-error: a word that is not of the vocabulary
  await store.find('deals', { 'state.status': 'done' });
  // @ts-expect-error: a list of another type
  await store.find('entries', { seq: { $in: ['2'] } });
  // @ts-expect-error: an order that is none
  await store.find('entries', place, { sort: { seq: 2 } });

  await store.find('entries', { 'message.status': 'queued', message: { $exists: true } });
  await store.find('entries', { 'outbox.id': { $in: ['evt_1'] } });
  await store.find('organizations', { 'channels.network.baseUrl': 'sandbox' });
  await store.existsEach([{ collection: 'tasks', filter: { remindAt: { $lte: 1 } } }]);
  // @ts-expect-error: a filter of another collection
  await store.existsEach([{ collection: 'tasks', filter: { snapshot: { $exists: true } } }]);
}

const epoch = (n: number): `timer.begunIn.${string}` => `timer.begunIn.e${n}`;

const CHANGES: readonly Change<'entries'>[] = [
  { $set: { 'timer.at': 1, externalId: 'wamid' }, $inc: { 'timer.tries': 1 } },
  { $set: { [epoch(1)]: true }, $unset: { send: '' } },
  [{ $set: { seq: { $add: ['$seq', 1] } } }],
  // @ts-expect-error: a misspelt path
  { $set: { 'timer.att': 1 } },
  // @ts-expect-error: a value of another type
  { $set: { 'timer.at': '1' } },
  // @ts-expect-error: a field that never changes
  { $set: { requestId: 'req_1' } },
  // @ts-expect-error: a path that there is not
  { $unset: { sent: '' } },
  // @ts-expect-error: a sum of a text
  { $inc: { externalId: 1 } },
  // @ts-expect-error: an item of another type
  { $push: { outbox: { $each: ['evt_1'] } } },
  // @ts-expect-error: a subdocument that is not whole
  { $max: { edit: { at: 1 } } },
];

const WRITES: readonly Write[] = [
  { insert: 'tags', document: { _id, orgId: 'org_1', name: 'vip' } },
  { remove: 'uploads', filter: { _id } },
  // @ts-expect-error: a document without one of its fields
  { insert: 'tags', document: { _id, orgId: 'org_1' } },
  // @ts-expect-error: a collection that there is not
  { remove: 'upload', filter: { _id } },
  // @ts-expect-error: a change of another collection
  { update: 'tags', filter: { _id }, change: { $set: { uploadId: 'x' } } },
];

const FILTERS: readonly Filter<'windows'>[] = [
  { 'keys.key_1': { $exists: true } },
  // @ts-expect-error: a value of a record has its type
  { 'lastUsedAt.key_1': 'yesterday' },
];

type Packings = {
  readonly [Name in keyof typeof PACKING]: {
    readonly [Each in (typeof PACKING)[Name][number] as Each['field']]: Each['open'][number];
  };
};
type Declared = {
  readonly [Name in keyof Collections as keyof Collections[Name]['packed'] extends never
    ? never
    : Name]: Collections[Name]['packed'];
};
type InText = {
  readonly [Name in keyof Collections as Collections[Name]['inText'] extends never
    ? never
    : Name]: Collections[Name]['inText'];
};
type Keys = {
  readonly [Name in keyof Collections as Collections[Name]['key'] extends never
    ? never
    : Name]: Collections[Name]['key'];
};

test('what the collections declare as packed and as sharded is what the adapter does', () => {
  holds<[Packings, Declared] extends [Declared, Packings] ? true : false>();
  holds<Same<InText, { readonly entries: (typeof IN_TEXT.entries)[number] }>>();
  holds<Same<Keys, typeof SHARDED_BY>>();
});

test('paths end where a record has names of its own, and where a field is packed', () => {
  holds<
    Same<
      Extract<Path<Collections['entries']>, `message.${string}`>,
      `message.${'revision' | 'direction' | 'status'}`
    >
  >();
  holds<Same<Extract<Path<Collections['windows']>, `keys.${string}`>, `keys.${string}`>>();
  assert.deepEqual([CHANGES.length, WRITES.length, FILTERS.length], [10, 5, 2]);
});
