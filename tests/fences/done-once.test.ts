/**
 * A command under an `Idempotency-Key`, or of an outbox, is committed and its answer is lost. Up to
 * a day later, after other callers' changes, it is asked again, of another owner: it changes
 * nothing (decisions: Asked again). On the real engine and on the simulation's model of it.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newDefaultPipeline } from '../../actors/domain/pipeline.ts';
import { createStore } from '../../infra/mongo/store.ts';
import { defaultStageId } from '../../shared/keys.ts';
import { ASK_DEADLINE_MS, IDEMPOTENCY_KEPT_MS } from '../../shared/limits.ts';
import type { Command, Store } from '../../shared/ports.ts';
import type { ActorKind } from '../../shared/vocabulary.ts';
import { applied } from '../domain/organization-given.ts';
import { Database } from '../simulation/memory/database.ts';
import { type Engine, startEngine } from './engine.ts';
import { modelStore } from './model-store.ts';
import { CONTACT, FLOW, ids, Owner } from './owners.ts';
import { BEGIN, StillClock } from './still-clock.ts';

const ORG = 'org_1';
const said = { orgId: ORG, phone: '5511998877665', origin: 'api' } as const;
const stage = (position: number): string => defaultStageId(ids, ORG, position);

interface Schedule {
  readonly what: string;
  readonly kind: ActorKind;
  readonly key: string;
  /** Makes the entity; absent where `late` does. */
  readonly first?: Command;
  /** Its answer is lost. */
  readonly late: Command;
  /** Other callers' changes after it; the last undoes it. */
  readonly others: readonly Command[];
  /** One of many that come between. */
  readonly filler: (number: number) => Command;
  /** The kind's one that is tried among hundreds of others. */
  readonly crowded?: boolean;
  /** What the present state shows, in the answer of the repeat. */
  readonly shows?: string;
}

const deal = {
  ...{ contactId: CONTACT, title: 'Plano', valueCents: 0, stageId: null },
  ...{ ownerId: null, expectedCloseOn: null, conversationId: null, origin: 'api' },
};
const task = {
  ...{ title: 'Ligar', notes: null, contactId: null, contactNamedBy: 'contactId', dealId: null },
  ...{ assigneeId: null, dueOn: null, dueTime: null, origin: 'api' },
};
const change = (id: string, fields: object): Command => ({
  ...{ id, type: 'change', ...said },
  ...fields,
});
const upsert = (id: string, fields: object): Command => ({
  ...{ id, type: 'upsert', source: 'api', ...said },
  ...fields,
});
const send = (id: string): Command => ({
  ...{ id, type: 'send', channelId: 'chn_1', byConversation: false, channelScope: false },
  ...{ text: `diz ${id}`, authorLabel: 'ERP', ...said },
});
const start = (id: string): Command => ({
  ...{ id, type: 'start-flow', channelId: 'chn_1', flowId: FLOW.flowId, contactId: CONTACT },
  ...said,
});
const receipt = (id: string, status: string): Command => ({
  ...{ id, type: 'receipt', messageId: 'said', networkId: null },
  receipt: { status, at: BEGIN, externalId: 'wamid.1' },
});
const lasting = (command: Command): Command => ({ ...command, lasting: true });

const DEAL = {
  kind: 'deal',
  first: { id: 'made', type: 'create', orgId: ORG, ...deal },
  filler: (number: number) => change(`filler ${number}`, { valueCents: number }),
} as const;
const TASK = {
  kind: 'task',
  first: { id: 'made', type: 'create', orgId: ORG, ...task },
  filler: (number: number) => change(`filler ${number}`, { notes: `nota ${number}` }),
} as const;
const PERSON = {
  kind: 'contact',
  filler: (number: number) => upsert(`filler ${number}`, { fields: { cor: `${number}` } }),
} as const;
const TALK = {
  kind: 'conversation',
  filler: (number: number) => send(`filler ${number}`),
} as const;

const SCHEDULES: readonly Schedule[] = [
  {
    ...DEAL,
    what: 'a move',
    crowded: true,
    key: 'dea_moved',
    late: change('late', { stageId: stage(1) }),
    others: [change('other', { stageId: stage(2) })],
    shows: stage(2),
  },
  {
    ...DEAL,
    what: 'a close',
    key: 'dea_won',
    late: change('late', { status: 'won' }),
    others: [change('other', { status: 'open' })],
    shows: '"status":"open"',
  },
  {
    ...DEAL,
    what: 'a change that changed nothing',
    key: 'dea_same',
    late: change('late', { status: 'open' }),
    others: [change('other', { status: 'won' })],
    shows: '"status":"won"',
  },
  {
    ...DEAL,
    what: 'a create',
    key: 'dea_made',
    late: { id: 'dea_made', type: 'create', orgId: ORG, ...deal },
    others: [change('other', { title: 'outra' })],
    shows: 'outra',
  },
  {
    ...TASK,
    what: 'a completion',
    crowded: true,
    key: 'tsk_done',
    late: change('late', { done: true }),
    others: [change('other', { done: false })],
    shows: '"done":false',
  },
  {
    ...TASK,
    what: 'a create',
    key: 'tsk_made',
    late: { id: 'tsk_made', type: 'create', orgId: ORG, ...task },
    others: [change('other', { title: 'outra' })],
    shows: 'outra',
  },
  {
    ...PERSON,
    what: 'an upsert that created it',
    crowded: true,
    key: 'ctc_created',
    late: upsert('late', { name: 'primeira' }),
    others: [upsert('other', { name: 'outra' })],
    shows: 'outra',
  },
  {
    ...PERSON,
    what: 'a word that opts out',
    key: 'ctc_word',
    first: upsert('made', { name: 'Bia' }),
    late: { id: 'late', type: 'opt', optIn: false, source: 'contact', ...said },
    others: [upsert('other', { optIn: true })],
  },
  {
    ...PERSON,
    what: 'a step that opts out',
    key: 'ctc_step',
    first: upsert('made', { tags: ['vip'] }),
    late: { id: 'late', type: 'flow-change', optIn: false, untags: ['vip'], ...said },
    others: [upsert('other', { optIn: true, tags: ['vip'] })],
  },
  {
    ...TALK,
    what: 'a send',
    key: 'cnv_send',
    late: send('sent late'),
    others: [send('sent other')],
  },
  {
    ...TALK,
    what: 'a start of a flow that has ended',
    key: 'cnv_start',
    first: send('said'),
    late: start('run_late'),
    others: [{ id: 'stop', type: 'stop-flow' }],
  },
  {
    ...TALK,
    what: 'an opt-out that ended a flow',
    key: 'cnv_stop',
    first: start('run_first'),
    late: { id: 'late', type: 'stop-flow', at: BEGIN },
    others: [start('run_second')],
  },
  {
    ...TALK,
    what: 'a receipt',
    key: 'cnv_receipt',
    first: send('said'),
    late: receipt('late', 'sent'),
    others: [receipt('other', 'read')],
  },
];

/** When the repeat comes, and how many other commands before it. */
interface Delay {
  readonly what: string;
  readonly ms: number;
  readonly fillers: number;
  /** Asked again by the gateway, within the deadline of its call. */
  readonly plain?: boolean;
}

const DELAYS: readonly Delay[] = [
  { what: '31 s later', ms: 31_000, fillers: 0 },
  { what: 'after 20 others', ms: 1_000, fillers: 20 },
  { what: 'a day later', ms: IDEMPOTENCY_KEPT_MS, fillers: 0 },
  { what: 'a day and 210 others later', ms: IDEMPOTENCY_KEPT_MS, fillers: 210 },
  { what: 'plain, after 20 others', ms: 1_000, fillers: 20, plain: true },
  { what: 'plain, after 210 others', ms: ASK_DEADLINE_MS, fillers: 210, plain: true },
];

async function furnish(store: Store): Promise<void> {
  const { id: _, ...state } = applied({
    ...{ ref: 'loja', name: 'Loja', timeZone: 'America/Sao_Paulo', country: 'BR' },
  });
  const contact = { _id: CONTACT, orgId: ORG, phone: said.phone, name: 'Ana', optIn: true };
  const pipelines = [newDefaultPipeline(ids, ORG)];
  const version = { _id: FLOW.versionId, flowId: FLOW.flowId, orgId: ORG, writtenAt: 0 };
  const steps = [{ id: 'fim', do: 'delay', for: '30d', next: null }];
  await store.commit([
    { insert: 'organizations', document: { _id: ORG, ...state, pipelines } },
    { insert: 'contacts', document: contact },
    { insert: 'flowVersions', document: { ...version, steps } },
  ]);
}

type Fields = Readonly<Record<string, unknown>>;

/** Everything that has been decided about the entity. */
async function recordOf(store: Store, { kind, key }: { kind: ActorKind; key: string }) {
  if (kind === 'conversation') {
    const entries = await store.find('entries', { conversationId: key }, { sort: { seq: 1 } });
    return entries.map(({ _id, after: state, message }: Fields) => [_id, state, message]);
  }
  const document: Fields = (await store.byId(`${kind}s`, key)) ?? {};
  // What was handed on is cleared beside.
  const { outbox: _, pending: __, ...decided } = document;
  return decided;
}

class Play {
  readonly #store: Store;
  readonly #clock = new StillClock();
  readonly #schedule: Schedule;
  readonly #key: string;
  readonly #owners: Owner[] = [];

  constructor(store: Store, schedule: Schedule, name: string) {
    this.#store = store;
    this.#schedule = schedule;
    const creates = schedule.late.type === 'create' || schedule.key.startsWith('cnv_');
    this.#key = creates ? `${schedule.key}_${name}` : schedule.key + name;
  }

  /** Of a new owner, who reads what is on record. */
  async ask(command: Command, repeat = false) {
    const owner = new Owner(this.#schedule.kind, this.#store, this.#clock);
    this.#owners.push(owner);
    const answer = await owner.turn(this.#key, this.#own(command), repeat);
    assert.ok([200, 201].includes(answer.status), `${answer.status} ${answer.body}`);
    return answer;
  }

  /** Entries of all conversations share their ids. */
  #own(command: Command): Command {
    if (this.#schedule.kind === 'conversation') {
      const named = command.messageId ? { messageId: `${command.messageId} ${this.#key}` } : {};
      return { ...command, id: `${command.id} ${this.#key}`, ...named };
    }
    return command.type === 'create' ? { ...command, id: this.#key } : command;
  }

  async run({ ms, fillers, plain = false }: Delay): Promise<void> {
    const as = plain ? (command: Command) => command : lasting;
    const { first, late, others, filler, shows = '' } = this.#schedule;
    if (first && late.type !== 'create') await this.ask(first);
    const answered = await this.ask(as(late));
    for (let number = 0; number < fillers; number++) await this.ask(as(filler(number)));
    this.#clock.pass(ms);
    for (const other of others) await this.ask(other);
    const place = { kind: this.#schedule.kind, key: this.#key };
    const decided = await recordOf(this.#store, place);
    const again = await this.ask(as(late), plain);
    assert.deepEqual(await recordOf(this.#store, place), decided, 'nothing is decided again');
    assert.equal(again.status, answered.status, 'answered as then');
    assert.ok(again.body.includes(shows), `${again.body} shows the present state`);
    this.#tellsEachTransitionOnce();
  }

  #tellsEachTransitionOnce(): void {
    const told = this.#owners.flatMap(({ asked }) =>
      asked.flatMap(({ type, events }) =>
        type === 'fan-out' && Array.isArray(events) ? events : [],
      ),
    );
    const transitions = new Set(told.map(({ event, data }) => JSON.stringify([event, data])));
    assert.equal(new Set(told.map(({ id }) => id)).size, transitions.size);
  }
}

const STORES: Readonly<Record<string, () => Store>> = {
  'the real engine': () => createStore(engine.mongo),
  'the simulation’s model of it': () => modelStore(new Database()),
};

let engine: Engine;

before(
  async () => {
    engine = await startEngine();
  },
  { timeout: 60_000 },
);
after(() => engine?.close());

for (const [name, storeOf] of Object.entries(STORES)) {
  describe(`a command asked again on ${name}`, { timeout: 120_000 }, () => {
    let store: Store;
    before(async () => {
      store = storeOf();
      await furnish(store);
    });
    for (const [at, delay] of DELAYS.entries()) {
      for (const schedule of SCHEDULES) {
        if (delay.fillers > 20 && schedule.crowded !== true) continue;
        test(`${delay.what}, ${schedule.what} of a ${schedule.kind}, changes nothing`, () =>
          new Play(store, schedule, String(at)).run(delay));
      }
    }
  });
}
