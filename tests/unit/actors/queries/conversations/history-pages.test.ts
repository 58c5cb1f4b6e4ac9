/**
 * Pages of one conversation's history while it is written to, on the model of the store (C4.8;
 * actors/queries/messages). A page and its total are of one moment, so that a caller who walks as
 * many pages as the total has misses no message.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Environment } from '../../../../../actors/environment.ts';
import { listMessages } from '../../../../../actors/queries/conversations/messages.ts';
import { OrganizationScheduler } from '../../../../../actors/runtime/organization-scheduler.ts';
import { modelStore } from '../../../../faults/fencing/model-store.ts';
import { Database } from '../../../../faults/simulation/memory/database.ts';
import type {
  Document,
  Filter,
  FindOptions,
  Store,
  Stored,
} from '../../../../support/plain-store.ts';

const ORG = 'org_1';
const LIMIT = 3;
const OURS = 'cnv_older';
const JOINED = 'cnv_younger';
const NONE = { sent: null, delivered: null, read: null };

interface Written {
  readonly conversationId: string;
  readonly seq: number;
  /** As many as the conversation has with this one. */
  readonly messages: number;
  readonly joined?: readonly string[];
}

function entryOf({ conversationId, seq, messages, joined }: Written): Document {
  const at = conversationId === JOINED ? seq : 100 + seq;
  const message = { direction: 'out', text: 'Olá', receipts: NONE, createdAt: at };
  const state = {
    id: conversationId,
    orgId: ORG,
    channelId: 'chn_1',
    seq,
    messages,
    notes: 0,
    lastMessageAt: at,
  };
  const after = joined ? { ...state, joined } : state;
  return { _id: `${conversationId}_${seq}`, conversationId, seq, message, after };
}

/** The ids and the total of a page that is read while the next message is appended. */
async function pageBeside(written: readonly Written[], next: Written) {
  const model = modelStore(new Database());
  const append = (each: Written) => model.commit([{ insert: 'entries', document: entryOf(each) }]);
  for (const each of written) await append(each);
  let appended = false;
  const find = async <T extends Stored>(from: string, filter: Filter, how?: FindOptions) => {
    if (!appended) await append(next);
    appended = true;
    return model.find<T>(from, filter, how);
  };
  const store: Store = { ...model, find };
  const environment = { store } as unknown as Environment;
  const turns = new OrganizationScheduler({ perOrganization: 1, perProcess: 1 });
  const { body } = await listMessages({ environment: environment, scheduler: turns })(environment, {
    ...{ orgId: ORG, conversationId: OURS, channelScope: null, includeNotes: false },
    ...{ page: 1, limit: LIMIT },
  });
  assert.ok(appended);
  const { data, total } = JSON.parse(body) as { data: { id: string }[]; total: number };
  return { ids: data.map(({ id }) => id), total };
}

const ours = (seq: number): Written => ({ conversationId: OURS, seq, messages: seq });

test('section 4: a page that its total calls the only one has all that was answered before', async () => {
  assert.deepEqual(await pageBeside([1, 2, 3].map(ours), ours(4)), {
    ids: [`${OURS}_3`, `${OURS}_2`, `${OURS}_1`],
    total: 3,
  });
});

test('section 4: so it has where conversations have been joined', async () => {
  const younger = [1, 2].map((seq) => ({ conversationId: JOINED, seq, messages: seq }));
  const older = (seq: number) => ({ ...ours(seq), messages: 2 + seq, joined: [JOINED] });
  assert.deepEqual(await pageBeside([...younger, older(1)], older(2)), {
    ids: [`${OURS}_1`, `${JOINED}_2`, `${JOINED}_1`],
    total: 3,
  });
});
