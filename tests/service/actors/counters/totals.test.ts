/**
 * `total` under fire (C4.2): all listed entities are created and changed at once while the actors
 * are killed. A total contains every creation answered before the read, and none that was not
 * requested. Afterwards every list, walked page by page, is as long as its total.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import * as v from 'valibot';
import { OUTSIDE } from '../../../../actors/counters/counted-collection.ts';
import { crmFixtureOf, TEAM } from '../../../support/api/crm-fixture.ts';
import { freshPhone } from '../../../support/api.ts';
import { named } from '../../../support/applied.ts';
import { killHard } from '../../../support/kills.ts';
import { useDatabase, useOrganizations, useStack } from '../../../support/stack-hooks.ts';
import { waitUntil } from '../../../support/wait-for.ts';

const ListSchema = v.object({ data: v.array(v.object({ id: v.string() })), total: v.number() });

/** In the flow for a moment, then resolved. */
const FLOW = [
  { id: 'wait', do: 'wait', timeout: '200ms', next: 'end' },
  { id: 'end', do: 'end', status: 'resolved' },
];

const BETWEEN_LOOKS_MS = 30;

const stack = useStack();
const { org } = useOrganizations(stack, () => {
  const flows = [{ ref: 'brief', name: 'Breve', steps: FLOW }];
  return { org: { more: { ...TEAM.more, flows } } };
});
const crm = crmFixtureOf(stack, org);
const database = useDatabase(stack);

async function list(path: string) {
  const answer = await crm.get(path);
  return answer.status === 200 ? v.parse(ListSchema, answer.json) : null;
}

/** Creates entities one after the other, and counts the bounds for a list's total. */
class Maker {
  readonly #make: (n: number) => Promise<number>;
  /** Calls that were begun, and those that were answered with a 2xx. */
  begun = 0;
  answered = 0;

  constructor(make: (n: number) => Promise<number>) {
    this.#make = make;
  }

  async work(goOn: () => boolean): Promise<void> {
    while (goOn()) {
      const status = await this.#make(this.begun++);
      if (status < 300) this.answered++;
    }
  }
}

async function posted(path: string, body: object): Promise<number> {
  return (await crm.post(path, { ...body })).status;
}

function makers() {
  const contacts = new Maker(() => posted('contacts', { phone: freshPhone(), name: 'Ana' }));
  const conversations = new Maker((n) =>
    posted('messages', {
      channelId: n % 2 === 0 ? org.main : org.shop,
      phone: freshPhone(),
      text: 'Olá',
    }),
  );
  const flow = named(org.applied.flows, 'brief');
  const starts = new Maker(() =>
    posted(`flows/${flow}/start`, { channelId: org.main, phone: freshPhone() }),
  );
  return { contacts, talks: conversations, starts };
}

async function makeDeals(goOn: () => boolean): Promise<void> {
  const stages = (await crm.pipeline()).stages.map(({ id }) => id);
  for (let n = 0; goOn(); n++) {
    const made = await crm.post('deals', { title: 'Plano', phone: '5511987654321' });
    const id = Object(made.json).data?.id;
    if (n % 2 === 0) await crm.post(`deals/${id}`, { stageId: stages[n % stages.length] });
    if (n % 3 === 0) await crm.post(`deals/${id}`, { status: 'won' });
    const assigneeId = n % 2 === 0 ? crm.member('ana') : undefined;
    const task = await crm.post('tasks', { title: 'Ligar', ...(assigneeId ? { assigneeId } : {}) });
    if (n % 3 === 0) await crm.post(`tasks/${Object(task.json).data?.id}`, { done: true });
  }
}

/**
 * Compares a list's total with the calls answered before the read and those begun until its end.
 */
async function watch(
  all: readonly Maker[],
  path: string,
  goOn: () => boolean,
): Promise<{ readonly wrong: readonly string[]; readonly looks: number }> {
  const wrong: string[] = [];
  let looks = 0;
  while (goOn()) {
    await pause(BETWEEN_LOOKS_MS);
    const least = all.reduce((sum, { answered }) => sum + answered, 0);
    const listed = await list(path);
    if (!listed) continue;
    const most = all.reduce((sum, { begun }) => sum + begun, 0) + 1;
    looks++;
    const { total } = listed;
    if (total < least || total > most) wrong.push(`${path}: ${total} not in ${least}..${most}`);
  }
  return { wrong, looks };
}

const isOf = (field: string) => ({ [`${field}orgId`]: org.id });

/** Every list, and the same question to the database. */
function questions(stage: string): readonly (readonly [string, string, object])[] {
  const conversations = isOf('snapshot.');
  const records = isOf('state.');
  return [
    ['contacts', 'contacts', isOf('')],
    ['contacts?query=an', 'contacts', { ...isOf(''), search: /an/ }],
    ['conversations', 'conversations', conversations],
    ...['open', 'in_flow', 'resolved'].map(
      (status) =>
        [
          `conversations?status=${status}`,
          'conversations',
          { ...conversations, 'snapshot.status': status },
        ] as const,
    ),
    [`conversations?channelId=${org.shop}`, 'conversations', inChannel(org.shop)],
    [
      `conversations?channelId=${org.main}&status=resolved`,
      'conversations',
      { ...inChannel(org.main), 'snapshot.status': 'resolved' },
    ],
    ['deals', 'deals', records],
    ['deals?status=won', 'deals', { ...records, 'state.status': 'won' }],
    [`deals?stageId=${stage}`, 'deals', { ...records, 'state.stageId': stage }],
    [`deals?stageId=${stage}&pipelineId=nobody`, 'deals', { _id: 'none' }],
    ['tasks', 'tasks', records],
    ['tasks?status=done', 'tasks', { ...records, 'state.done': true }],
    [
      `tasks?assigneeId=${crm.member('ana')}`,
      'tasks',
      { ...records, 'state.assigneeId': crm.member('ana') },
    ],
  ];
}

function inChannel(id: string) {
  return { ...isOf('snapshot.'), 'snapshot.channelId': id };
}

async function walked(path: string): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let page = 1; ; page++) {
    const join = path.includes('?') ? '&' : '?';
    const listed = await list(`${path}${join}limit=70&page=${page}`);
    assert.ok(listed, path);
    ids.push(...listed.data.map(({ id }) => id));
    if (listed.data.length === 0) return ids;
  }
}

/**
 * The number of counter documents whose sum equals their collection, with no document left dirty.
 */
async function countersAgree(stage: string): Promise<number> {
  let agreed = 0;
  for (const { _id, counts } of await database.db
    .collection('tallies')
    .find({ orgId: org.id })
    .toArray()) {
    const [collection = ''] = String(_id).split(':');
    // Other ids of the contacts are counted apart, and are in no list.
    const shown = counts.filter(({ of }: { of: string }) => of !== OUTSIDE);
    const sum = shown.reduce((all: number, { n }: { n: number }) => all + n, 0);
    const [, , filter = {}] = questions(stage).find(([path]) => path === collection) ?? [];
    const there = await database.db.collection(collection).countDocuments(filter);
    const marked = await database.db.collection(collection).countDocuments({ recount: org.id });
    if (sum === there && marked === 0) agreed++;
  }
  return agreed;
}

test('killed three times while everything grows, every total is exact and no page skips', async (t) => {
  const stage = (await crm.pipeline()).stages[0]?.id ?? '';
  await posted('contacts', { phone: '5511987654321', name: 'Bia' });
  let isOver = false;
  const goOn = () => !isOver;
  const { contacts, talks: conversations, starts } = makers();
  const all = [contacts, conversations, starts];
  const work = [
    ...all.flatMap((maker) => [maker.work(goOn), maker.work(goOn)]),
    makeDeals(goOn),
    makeDeals(goOn),
  ];
  const watches = [
    watch(all, 'contacts?limit=1', goOn),
    watch([contacts], 'contacts?limit=1&query=an', goOn),
    watch([conversations, starts], 'conversations?limit=1', goOn),
  ];
  for (const _ of [1, 2, 3]) {
    const { answered } = conversations;
    await waitUntil('20 more', () => conversations.answered > answered + 20);
    await killHard(stack, 'actors');
  }
  isOver = true;
  await Promise.all(work);
  const seen = await Promise.all(watches);
  t.diagnostic(`${JSON.stringify(all)} ${seen.map(({ looks }) => looks)} looks`);
  const wrong = seen.flatMap((each) => (each.looks > 0 ? each.wrong : ['nobody looked']));
  assert.deepEqual(wrong, []);
  await waitUntil(
    'no flow runs any more',
    async () => (await list('conversations?status=in_flow'))?.total === 0,
  );
  for (const [path, collection, filter] of questions(stage)) {
    const listed = await list(path);
    assert.equal(
      listed?.total,
      await database.db.collection(collection).countDocuments(filter),
      path,
    );
    const ids = await walked(path);
    assert.equal(new Set(ids).size, ids.length, `${path} repeats`);
    assert.equal(ids.length, listed?.total, `${path} skips`);
  }
  await waitUntil(
    'all of it is counted by the ledgers',
    async () => (await countersAgree(stage)) === 4,
  );
});
