/**
 * The order of a history of any making: late messages, notes, scheduled messages and joins, decided
 * by the domain, stored in the model of the store and read page by page (D406, D407).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type Appending,
  entryDocument,
  settledEntry,
  settlementWrite,
} from '../../../../../actors/conversation/log/documents.ts';
import {
  type Listed,
  mergeNewest,
  newestMessageId,
} from '../../../../../actors/conversation/log/newest-first.ts';
import {
  appendNote,
  type ConversationState,
  decideSend,
  type OutboundDraft,
} from '../../../../../actors/domain/conversation/conversation.ts';
import { decideAbsorption } from '../../../../../actors/domain/conversation/join.ts';
import {
  decideEcho,
  decideInbound,
} from '../../../../../actors/domain/conversation/network-message.ts';
import {
  decideCancel,
  decideDue,
  decideSchedule,
} from '../../../../../actors/domain/conversation/schedule.ts';
import type { Environment } from '../../../../../actors/environment.ts';
import type { EntryDocument } from '../../../../../actors/model/conversation.ts';
import { listMessages } from '../../../../../actors/queries/conversations/messages.ts';
import { OrganizationScheduler } from '../../../../../actors/runtime/organization-scheduler.ts';
import { modelStore } from '../../../../faults/fencing/model-store.ts';
import { Database } from '../../../../faults/simulation/memory/database.ts';
import {
  CONTACT,
  conversationFixture,
  NOW,
} from '../../../../support/actors/domain/message-fixture.ts';
import type { Filter, FindOptions, Store, Stored } from '../../../../support/plain-store.ts';

const TOLERANCE_MS = 5_000;
const [OURS, JOINED] = ['cnv_older', 'cnv_younger'];

interface Step {
  readonly what:
    | 'inbound'
    | 'taken-back'
    | 'echo'
    | 'send'
    | 'note'
    | 'assign'
    | 'schedule'
    | 'release'
    | 'cancel';
  /** Since the step before. */
  readonly afterMs: number;
  readonly lateMs: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  what: fc.constantFrom(
    ...(['inbound', 'inbound', 'inbound', 'echo', 'send', 'note', 'assign'] as const),
    'taken-back' as const,
    ...(['schedule', 'release', 'cancel'] as const),
  ),
  afterMs: fc.oneof(fc.nat(100), fc.nat(20_000)),
  lateMs: fc.oneof(fc.constant(0), fc.integer({ min: 3_000, max: 9_000 }), fc.nat(60_000)),
});
const steps = fc.array(step, { maxLength: 30 });

/** A conversation as its turns write it. */
class Written {
  readonly store: Store;
  readonly #scheduled: EntryDocument[] = [];
  state: ConversationState;
  #now = NOW;

  constructor(store: Store, id: string) {
    this.store = store;
    this.state = conversationFixture({ id, seq: 0 });
  }

  get now(): number {
    return this.#now;
  }

  async append(appending: Appending): Promise<EntryDocument> {
    const { id, seq } = appending.state;
    const document = entryDocument(`${id}_${seq}`, appending);
    await this.store.commit([{ insert: 'entries', document }]);
    this.state = appending.state;
    return document;
  }

  async take(all: readonly Step[]): Promise<void> {
    for (const each of all) await this.#take(each);
  }

  async #take({ what, afterMs, lateMs }: Step): Promise<void> {
    this.#now += afterMs;
    const { state } = this;
    const now = this.#now;
    const sent = () => decideSend(state, FIRST, now);
    switch (what) {
      case 'inbound':
      case 'taken-back':
      case 'echo': {
        const named = { externalId: `in.${state.seq}`, messageId: 'm', eventId: 'e' };
        const isReaction = what === 'taken-back';
        const content = {
          kind: isReaction ? 'reaction' : 'text',
          text: isReaction ? '' : 'Oi',
        } as const;
        const said = { ...content, networkId: '55', contact: CONTACT };
        const facts = { ...named, ...said, at: now - lateMs, replyToId: null };
        const how = { ...facts, pauseMs: 1, authorLabel: 'Loja' };
        await this.append(
          what === 'echo' ? decideEcho(state, how, now) : decideInbound(state, facts, now),
        );
        return;
      }
      case 'send':
        await this.append(sent());
        return;
      case 'note': {
        const author = { kind: 'member', label: 'Ana' } as const;
        await this.append(appendNote(state, { text: 'Nota', author, origin: 'panel' }, now));
        return;
      }
      case 'assign':
        await this.append({ state: { ...state, seq: state.seq + 1, at: now }, ...NOTHING });
        return;
      case 'schedule': {
        const schedule = { at: now + 1, ifLate: 'send' } as const;
        this.#scheduled.push(await this.append(decideSchedule(state, sent(), { schedule })));
        return;
      }
      default:
        await this.#settle(what);
    }
  }

  async #settle(what: 'release' | 'cancel'): Promise<void> {
    const entry = this.#scheduled.shift();
    if (!entry?.message) return;
    const { _id: id, seq, message } = entry;
    const verdict = { outcome: 'released' } as const;
    const decided =
      what === 'cancel'
        ? decideCancel(this.state, { id }, this.#now)
        : decideDue(
            this.state,
            { id, seq, message },
            { verdict, to: '55', now: this.#now, window: {} },
          );
    const { settles } = decided;
    assert.ok(settles);
    const settlement = await this.append(decided);
    const applied = settledEntry({ ...entry, message }, { seq: settlement.seq, settles });
    await this.store.commit([settlementWrite(applied)]);
  }
}

const FIRST: OutboundDraft = {
  text: 'Olá',
  kind: 'text',
  media: null,
  origin: 'api',
  authorLabel: 'ERP',
};
const NOTHING = { queued: false, outbox: [] } as const;

interface Shown {
  readonly id: string;
  readonly kind: string;
  readonly status: string;
  readonly createdAt: string;
  readonly scheduledAt?: string;
  readonly releasedAt?: string;
}

function timeOf({ createdAt, releasedAt = createdAt }: Shown): number {
  return Date.parse(releasedAt);
}

/** All pages, and what the store was asked for. */
async function pagesOf(store: Store, limit: number, includeNotes: boolean) {
  const environment = { store } as unknown as Environment;
  const scheduler = new OrganizationScheduler({ perOrganization: 1, perProcess: 1 });
  const pages: Shown[][] = [];
  let total = 0;
  do {
    const { body } = await listMessages({ environment, scheduler })(environment, {
      ...{ orgId: 'org_1', conversationId: OURS, channelScope: null, includeNotes },
      ...{ page: pages.length + 1, limit },
    });
    const answer = JSON.parse(body) as { data: Shown[]; total: number };
    total = answer.total;
    pages.push(answer.data);
  } while (pages.length * limit < total);
  return { pages, total };
}

async function assertOrdered(store: Store, limit: number, includeNotes: boolean): Promise<void> {
  const { pages, total } = await pagesOf(store, limit, includeNotes);
  const all = pages.flat();
  assert.equal(new Set(all.map(({ id }) => id)).size, total, 'pages are disjoint and complete');
  assert.ok(pages.slice(0, -1).every((page) => page.length === limit));
  let oldest = Number.POSITIVE_INFINITY;
  for (const shown of all) {
    const at = timeOf(shown);
    assert.ok(
      at - oldest <= TOLERANCE_MS,
      `${shown.id} follows one that is ${at - oldest} ms older`,
    );
    oldest = Math.min(oldest, at);
  }
}

const limits = fc.integer({ min: 1, max: 7 });

test('C4.8, D406: pages of any history are disjoint, complete, and newest first to 5 s', async () => {
  await fc.assert(
    fc.asyncProperty(steps, limits, fc.boolean(), async (all, limit, includeNotes) => {
      const store = modelStore(new Database());
      const written = new Written(store, OURS);
      await written.append(decideSend(written.state, FIRST, NOW));
      await written.take(all);
      await assertOrdered(store, limit, includeNotes);
      await assertNewest(store, written.state);
      const { lastMessageAt, lastMessagePreview } = written.state;
      const { pages } = await pagesOf(store, 200, false);
      const shown = (pages[0] ?? []).filter(isSaid);
      const newest = Math.max(...shown.map(timeOf));
      assert.ok(Math.abs(lastMessageAt - newest) <= TOLERANCE_MS, 'lastMessageAt is the newest');
      assert.ok(lastMessagePreview !== '');
    }),
    { numRuns: 300 },
  );
});

test('D142, D406: so are those of conversations that were joined', async () => {
  await fc.assert(
    fc.asyncProperty(steps, steps, steps, limits, async (ours, theirs, after, limit) => {
      const store = modelStore(new Database());
      const [older, younger] = [new Written(store, OURS), new Written(store, JOINED)];
      await older.append(decideSend(older.state, FIRST, NOW));
      await older.take(ours);
      await younger.take(theirs);
      const now = Math.max(older.now, younger.now);
      const absorbed = decideAbsorption(older.state, younger.state, now);
      assert.ok(absorbed);
      await older.append(absorbed);
      await older.take([{ what: 'assign', afterMs: now - older.now, lateMs: 0 }, ...after]);
      await assertOrdered(store, limit, true);
      await assertNewest(store, older.state);
    }),
    { numRuns: 200 },
  );
});

/** The one that a send may be bound to. */
async function assertNewest(store: Store, state: ConversationState): Promise<void> {
  const { pages } = await pagesOf(store, 1, false);
  assert.equal(await newestMessageId(store, state), pages[0]?.[0]?.id ?? null);
}

/** What waits for its time, was cancelled, or takes a reaction back, is no last message. */
function isSaid({ kind, status, scheduledAt }: Shown): boolean {
  return kind !== 'reaction' && (scheduledAt === undefined || status === 'queued');
}

const listed = fc.record({ at: fc.nat(20), seq: fc.nat(20) });

test('D406: the merge of sorted lists is the sorted list of all', async () => {
  const order = (a: Listed, b: Listed) => b.at - a.at || b.seq - a.seq;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(listed), { maxLength: 4 }), async (given) => {
      const lists = given.map((list, index) =>
        list.map((each) => ({ ...each, id: `${index}` })).toSorted(order),
      );
      const merged: Listed[] = [];
      for await (const one of mergeNewest(lists.map(each))) merged.push(one);
      assert.deepEqual(
        merged.map(({ at, seq }) => [at, seq]),
        lists
          .flat()
          .toSorted(order)
          .map(({ at, seq }) => [at, seq]),
      );
    }),
    { numRuns: 300 },
  );
});

async function* each(list: readonly Listed[]) {
  yield* list;
}

test('D406: a page beside a release, or beside a late message, is that of its total', async () => {
  const model = modelStore(new Database());
  let beside = () => Promise.resolve();
  let happened: Promise<void> | null = null;
  const find = async <T extends Stored>(from: string, filter: Filter, how?: FindOptions) => {
    // The state that gives the total is read by then, and nothing else.
    happened ??= beside();
    await happened;
    return model.find<T>(from, filter, how);
  };
  const store: Store = { ...model, find };
  const written = new Written(model, OURS);
  const inOrder: Step = { what: 'inbound', afterMs: 30_000, lateMs: 0 };
  const late: Step = { what: 'inbound', afterMs: 1_000, lateMs: 20_000 };
  await written.take([inOrder, inOrder, late, { ...inOrder, what: 'schedule' }, inOrder]);
  const idsOf = async () => {
    happened = null;
    const { pages } = await pagesOf(store, 7, false);
    return pages.flat().map(({ id }) => id);
  };
  const before = [5, 4, 2, 3, 1].map((seq) => `${OURS}_${seq}`);
  beside = () => written.take([{ ...inOrder, what: 'release' }, late]);
  assert.deepEqual(await idsOf(), before);
  beside = () => Promise.resolve();
  // The release is the sixth entry, and the late message the seventh.
  assert.deepEqual(
    await idsOf(),
    [4, 7, 5, 2, 3, 1].map((seq) => `${OURS}_${seq}`),
  );
});

test('D406: where nothing has a place of its own a page is one read, in the order of the log', async () => {
  const asked: Filter[] = [];
  const model = modelStore(new Database());
  const find = async <T extends Stored>(from: string, filter: Filter, how?: FindOptions) => {
    asked.push(filter);
    return model.find<T>(from, filter, how);
  };
  const store: Store = { ...model, find };
  const written = new Written(store, OURS);
  const inOrder: Step = { what: 'inbound', afterMs: 60_000, lateMs: 50_000 };
  await written.take([inOrder, { ...inOrder, what: 'send' }, inOrder]);
  assert.deepEqual((await pagesOf(store, 7, false)).pages.flat().length, 3);
  assert.equal(asked.length, 1);
  assert.equal(written.state.ownPlaces, undefined);
  await written.take([{ what: 'inbound', afterMs: 1_000, lateMs: 58_000 }]);
  assert.equal(written.state.ownPlaces, 1);
  const { pages } = await pagesOf(store, 7, false);
  assert.deepEqual(
    pages.flat().map(({ id }) => id),
    [3, 4, 2, 1].map((seq) => `${OURS}_${seq}`),
  );
});
