/**
 * Fills an organization with copies of documents that the service itself wrote. Each made-up person
 * gets one contact, one conversation and one message, straight in the store.
 */
import type { Db, Document } from 'mongodb';
import { contactId, conversationId } from '../../../shared/entity-ids.ts';
import type { Ids } from '../../../shared/ports/ids.ts';
import { packed, unpacked } from '../../adapters/mongo/packing.ts';
import { draw, type Person, person, plain } from './people.ts';

const BATCH = 1_000;
const STATUSES = ['open', 'resolved', 'resolved', 'resolved'];
const MINUTE_MS = 60_000;

type Seeded = Document & { readonly _id: string };

/** The service's documents for one contact: never changed, only copied. */
interface Models {
  readonly contact: Seeded;
  readonly conversation: Seeded;
  readonly entry: Seeded;
}

export interface Seed {
  readonly db: Db;
  readonly ids: Ids;
  readonly orgId: string;
  readonly channelIds: readonly string[];
  /** People number 0 to `people` - 1. */
  readonly people: number;
  readonly onBatch?: (done: number) => void;
}

export async function seed(wanted: Seed): Promise<void> {
  const models = await modelsOf(wanted);
  const { db, people, onBatch } = wanted;
  for (let from = 0; from < people; from += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, people - from) }, (_, at) => from + at);
    const rows = numbers.map((n) => rowsOf(wanted, models, n));
    const some = { ordered: false, writeConcern: { w: 1, journal: false } } as const;
    await Promise.all([
      named(db, 'contacts').insertMany(
        rows.map(({ contact }) => contact),
        some,
      ),
      named(db, 'conversations').insertMany(
        rows.map(({ conversation }) => conversation),
        some,
      ),
      named(db, 'entries').insertMany(
        rows.map(({ entry }) => entry),
        some,
      ),
    ]);
    onBatch?.(from + numbers.length);
  }
  // No dirty flag was set for them: the counters are built again at the next poll.
  await db.collection('tallies').deleteMany({ orgId: wanted.orgId });
}

function named(db: Db, collection: string) {
  return db.collection<Seeded>(collection);
}

async function modelsOf({ db, orgId }: Seed): Promise<Models> {
  const contact = await named(db, 'contacts').findOne({ orgId });
  const conversation = await named(db, 'conversations').findOne({ 'snapshot.orgId': orgId });
  const conversationId = conversation?._id ?? '';
  const entry = await named(db, 'entries').findOne({ conversationId });
  if (!contact || !conversation || !entry) throw new Error('the service has written no model yet');
  return {
    contact,
    conversation: unpacked('conversations', conversation),
    entry: unpacked('entries', entry),
  };
}

function rowsOf({ ids, orgId, channelIds }: Seed, models: Models, n: number): Models {
  const who = person(n);
  const id = contactId(ids, orgId, who.phone);
  const channelId = channelIds[n % channelIds.length] ?? '';
  const conversation = conversationId(ids, channelId, id);
  const at = models.contact.createdAt - (n + 1) * MINUTE_MS;
  const state = {
    ...models.conversation.snapshot.state,
    id: conversation,
    channelId,
    contact: { id, phone: who.phone, name: who.name },
    status: STATUSES[Math.floor(draw(11 * n) * STATUSES.length)],
    lastMessageAt: at,
    createdAt: at,
    at,
  };
  return {
    contact: contactOf(models.contact, { id, who, at }),
    conversation: packed('conversations', conversationOf(models.conversation, state)),
    entry: packed('entries', entryOf(models.entry, { state, id: ids.fresh('msg') })),
  };
}

/** Without the model's work in progress. */
function settled({ outbox: _o, pending: _p, recount: _r, counted: _c, ...rest }: Document) {
  return rest;
}

function contactOf(
  model: Document,
  { id, who, at }: { readonly id: string; readonly who: Person; readonly at: number },
): Seeded {
  const search = plain([who.name, who.phone, who.email].join('\n'));
  return { ...settled(model), ...who, _id: id, search, answers: [], createdAt: at, updatedAt: at };
}

function conversationOf(model: Document, state: Document): Seeded {
  const { channelId, status, lastMessageAt } = state;
  const contactId = state.contact.id;
  const snapshot = { ...model.snapshot, channelId, contactId, status, lastMessageAt, state };
  return { ...settled(model), _id: state.id, snapshot };
}

function entryOf(
  model: Document,
  { state, id }: { readonly state: Document; readonly id: string },
): Seeded {
  const { send: _s, timer: _t, externalId: _e, ...rest } = settled(model);
  const message = { ...model.message, status: 'sent', createdAt: state.at };
  const { channelId } = state;
  return { ...rest, _id: id, conversationId: state.id, channelId, message, after: state };
}
