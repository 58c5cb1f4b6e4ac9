/**
 * A stage is removed while deals enter it (D440): whatever is on its way, and whoever dies, every
 * deal ends in a stage that is there, and its events tell of each step once. The real actors on the
 * real engine, and on the simulation's model of it.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { DealState } from '../../../actors/domain/deal.ts';
import { newDefaultPipeline, type OrganizationState } from '../../../actors/domain/organization.ts';
import { ASK_DEADLINE_MS } from '../../../shared/limits.ts';
import type { Address, Answer, CommandOf } from '../../../shared/ports/bus.ts';
import { partitionOf } from '../../../shared/wire/subjects.ts';
import { applied } from '../../support/actors/domain/organization-fixture.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import type { Store, Write } from '../../support/plain-store.ts';
import { bothStores } from './both-stores.ts';
import { environmentOf, ids, kindOf, OK, quiet } from './environment.ts';
import { SHOP } from './organization-owner.ts';
import { deal as fields } from './schedules.ts';
import { settle } from './settle.ts';

type Answering = (payload: unknown) => Promise<unknown>;
/** A process has several who hear of changes. */
type Heard = readonly [process: string, answer: Answering];
type Told = Readonly<{ id: string; event: string; data: Readonly<Record<string, unknown>> }>;

const KINDS = ['deal', 'organization'] as const;
let organizations = 0;

/** Two processes on one record: whoever is asked last about a kind owns it. */
class Installation {
  readonly orgId = `org_left_${++organizations}`;
  readonly pipeline = newDefaultPipeline(ids, this.orgId);
  readonly stages = this.pipeline.stages.map(({ id }) => id);
  readonly told = new Map<string, Told>();
  readonly clock = new ManualClock();
  readonly store: Store;
  readonly #answering = new Set<Heard>();
  #owner: Process | null = null;

  constructor(store: Store) {
    this.store = store;
  }

  async furnish(): Promise<void> {
    const { id: _, ...state } = applied({ ...SHOP, ref: this.orgId });
    const key = { id: 'key_1', scope: 'account', revokedAt: null };
    const stream = {
      ...{ id: 'str_1', keyId: 'key_1', name: 'default', connection: 1, opened: [] },
      ...{ events: ['*'], createdAt: 1, seenAt: Number.MAX_SAFE_INTEGER },
    };
    const configured = { keys: [key], streams: [stream], pipelines: [this.pipeline] };
    await this.store.commit([
      { insert: 'organizations', document: { _id: this.orgId, ...state, ...configured } },
      { insert: 'contacts', document: { _id: this.contact, orgId: this.orgId, name: 'Ana' } },
    ]);
  }

  get contact(): string {
    return `ctc_${this.orgId}`;
  }

  process(name: string, owner = true): Process {
    const made = new Process(this, name, this.#answering);
    if (owner) this.#owner = made;
    return made;
  }

  ask(to: Address, command: CommandOf): Promise<Answer> {
    return this.#owner?.turn(to, command) ?? assert.fail('nobody owns anything');
  }

  async deal(id: string): Promise<DealState> {
    const document = await this.store.byId('deals', id);
    return document?.state ?? assert.fail(`there is no deal ${id}`);
  }

  async organization(): Promise<Pick<OrganizationState, 'pipelines' | 'leftStages'>> {
    return (await this.store.byId('organizations', this.orgId)) ?? assert.fail();
  }

  /** What listeners were told about a deal, in its order. */
  toldOf(id: string): readonly string[] {
    const about = [...this.told.values()].filter(({ data }) => Object(data.deal).id === id);
    return about.map(({ event, data }) =>
      event === 'deal.stage_changed'
        ? `${event} ${this.#at(data.fromStageId)}>${this.#at(data.toStageId)} ${data.origin}`
        : `${event} ${this.#at(Object(data.deal).stageId)}`,
    );
  }

  #at(stageId: unknown): number {
    return this.stages.indexOf(String(stageId));
  }

  /** Until all is done, or, where nobody is left to do it, for some seconds of the clock. */
  async rest(): Promise<void> {
    for (let times = 0; times < 80; times++) {
      await settle();
      await pause(1);
      this.clock.advance(20);
      if (times > 20 && (await this.#isDone())) return;
    }
  }

  async #isDone(): Promise<boolean> {
    const { leftStages = [] } = await this.organization();
    const unpublished = { 'state.orgId': this.orgId, pending: { $gte: 0 } };
    const pending = await this.store.count('deals', unpublished);
    return pending === 0 && leftStages.every(({ moving }) => moving === undefined);
  }
}

class Process {
  readonly name: string;
  readonly #installation: Installation;
  readonly #kinds;
  #isAlive = true;
  #latch: Promise<void> | null = null;
  #reached = Promise.withResolvers<void>();
  /** It has found no deal left in a stage, and says so only then. */
  beforeSettling: Promise<void> = Promise.resolve();
  /** Deals that it lets follow before it dies. */
  follows = Number.POSITIVE_INFINITY;

  constructor(installation: Installation, name: string, answering: Set<Heard>) {
    this.#installation = installation;
    this.name = name;
    const { store, clock } = installation;
    const ask = async (to: Address, command: CommandOf): Promise<Answer> => {
      if (!this.#isAlive) throw new Error('dead');
      if (command.type === 'stage-followed') await this.beforeSettling;
      if (command.type === 'record-events') return this.#record(command.events);
      if (command.type === 'follow' && this.follows-- <= 0) {
        this.die();
        throw new Error('dead');
      }
      return this.#installation.ask(to, command);
    };
    const environment = environmentOf({
      store: { ...store, commit: (writes: readonly Write[]) => this.#commit(writes) },
      ...{ clock, leaseHeld: () => this.#isAlive },
      members: { own: () => name, live: async () => [...answering].map(([each]) => each) },
      bus: {
        ask,
        answerAll: (_: string, answer: Answering) => answering.add([name, answer]),
        askAll: (_: string, onAnswer: (answer: unknown) => void, payload: unknown) => {
          if (!this.#isAlive) return quiet;
          for (const [, answer] of answering) void answer(payload).then(onAnswer);
          return quiet;
        },
      },
      settings: { callsPerKey: 120, callsPerOrganization: 600 },
    });
    this.#kinds = new Map(KINDS.map((kind) => [kind, kindOf(kind, environment)] as const));
    this.#answering = answering;
  }

  readonly #answering: Set<Heard>;

  #record(events: readonly Told[]): Answer {
    for (const event of events) this.#installation.told.set(event.id, event);
    return OK;
  }

  async #commit(writes: readonly Write[]) {
    if (!this.#isAlive) throw new Error('dead');
    const isOfDeal = writes.some((write) => Object.values(write).includes('deals'));
    if (isOfDeal && this.#latch) {
      this.#reached.resolve();
      await this.#latch;
    }
    return this.#installation.store.commit(writes);
  }

  /** Its commits of deals stay on their way until the answered function is called. */
  holdDeals(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#latch = promise;
    this.#reached = Promise.withResolvers<void>();
    return () => {
      this.#latch = null;
      resolve();
    };
  }

  /** A commit of a deal is on its way. */
  get held(): Promise<void> {
    return this.#reached.promise;
  }

  die(): void {
    this.#isAlive = false;
    for (const heard of this.#answering) {
      if (heard[0] === this.name) this.#answering.delete(heard);
    }
  }

  async turn({ kind, key }: Address, command: CommandOf): Promise<Answer> {
    if (!this.#isAlive) throw new Error('dead');
    if (kind !== 'deal' && kind !== 'organization') return OK;
    const actors = this.#kinds.get(kind) ?? assert.fail();
    const deadline = this.#installation.clock.now() + ASK_DEADLINE_MS;
    const actor = actors.open(key, 1, true);
    const answer = await actor.turn(command, { deadline, repeat: false, epoch: 1 });
    await actor.answersAfter?.();
    return answer;
  }

  async acquire(...keys: readonly string[]): Promise<void> {
    for (const [kind, actors] of this.#kinds) {
      for (const key of keys) await actors.acquire(partitionOf(kind, key), 2);
    }
  }

  create(id: string, more: object = {}): Promise<Answer> {
    const { orgId, contact } = this.#installation;
    const command = { ...fields, contactId: contact, id, type: 'create', orgId, ...more } as const;
    return this.turn({ kind: 'deal', key: id }, command);
  }

  change(id: string, more: object): Promise<Answer> {
    const { orgId } = this.#installation;
    const command: CommandOf<'deal'> = {
      ...{ id: ids.fresh('cmd'), type: 'change', orgId, origin: 'api' },
      ...more,
    };
    return this.turn({ kind: 'deal', key: id }, command);
  }

  /** Removes stages of the board, whose deals are to go to another one. */
  async remove(moves: Readonly<Record<number, number>>): Promise<Answer> {
    const { orgId, stages } = this.#installation;
    const { pipelines = [] } = await this.#installation.organization();
    const known = pipelines[0]?.stages ?? [];
    const removed = Object.entries(moves).map(([from, to]) => [stages[Number(from)], stages[to]]);
    const moveTo = Object.fromEntries(removed);
    return this.turn(
      { kind: 'organization', key: orgId },
      {
        ...{ id: ids.fresh('cmd'), type: 'pipelines.change', origin: 'panel', moveTo },
        ...{ pipelineId: this.#installation.pipeline.id },
        stages: known.filter(({ id }) => !(id in moveTo)),
      },
    );
  }
}

async function installed(store: Store): Promise<Installation> {
  const made = new Installation(store);
  await made.furnish();
  return made;
}

async function assertDone(installation: Installation): Promise<void> {
  const { leftStages = [] } = await installation.organization();
  assert.ok(leftStages.length > 0 && leftStages.every(({ moving }) => moving === undefined));
}

for (const [name, storeOf] of bothStores()) {
  describe(`a removed stage on ${name}`, () => {
    test('takes no deal along: the open ones follow, told once, the closed ones silently', async () => {
      const all = await installed(storeOf());
      const owner = all.process('a');
      await owner.acquire(all.orgId);
      const dealIds = Array.from({ length: 70 }, (_, n) => `deal_${all.orgId}_${n}`);
      for (const [n, id] of dealIds.entries()) {
        await owner.create(id, { stageId: all.stages[3] });
        if (n % 2 === 0) await owner.change(id, { status: 'won' });
      }
      await all.rest();
      assert.equal((await owner.remove({ 3: 1 })).status, 200);
      await all.rest();
      for (const [n, id] of dealIds.entries()) {
        const { stageId, updatedAt, closedAt } = await all.deal(id);
        assert.equal(stageId, all.stages[1]);
        if (n % 2 === 0) assert.equal(updatedAt, closedAt, 'it has not changed');
        const last = n % 2 === 0 ? 'deal.won 3' : 'deal.stage_changed 3>1 panel';
        assert.deepEqual(all.toldOf(id), ['deal.created 3', last]);
      }
      await assertDone(all);
    });

    for (const [what, enter] of [
      ['is made', (owner: Process, id: string, stageId: string) => owner.create(id, { stageId })],
      [
        'moves there',
        (owner: Process, id: string, stageId: string) => owner.change(id, { stageId }),
      ],
    ] as const) {
      const isMove = what !== 'is made';

      test(`a deal that ${what} at the same moment follows, seen by nobody`, async () => {
        const all = await installed(storeOf());
        const [deals, owner] = [all.process('b'), all.process('a')];
        await owner.acquire(all.orgId);
        const [id, seen] = [`deal_${all.orgId}`, `deal_${all.orgId}_seen`];
        if (isMove) await deals.create(id);
        // It has read the organization a moment ago.
        await deals.create(seen);
        await all.rest();
        const release = deals.holdDeals();
        const entering = enter(deals, id, all.stages[2] ?? '');
        await deals.held;
        assert.equal((await owner.remove({ 2: 0 })).status, 200);
        await all.rest();
        await assertDone(all);
        release();
        assert.ok((await entering).status < 300);
        await all.rest();
        assert.equal((await all.deal(id)).stageId, all.stages[0]);
        const before = isMove
          ? ['deal.created 0', 'deal.stage_changed 0>2 api']
          : ['deal.created 2'];
        const told = all.toldOf(id).toSorted();
        assert.deepEqual(told, [...before, 'deal.stage_changed 2>0 panel'].toSorted());
      });
    }

    test('one that no process was told of yet is told of before its deals are read', async () => {
      const all = await installed(storeOf());
      const [deals, owner] = [all.process('b', false), all.process('a')];
      const id = `deal_${all.orgId}`;
      await deals.create(`${id}_seen`);
      await settle();
      const release = deals.holdDeals();
      const entering = deals.create(id, { stageId: all.stages[2] });
      await deals.held;
      // Whoever removed it is gone before anyone has heard of it.
      const state = await all.organization();
      const left = {
        ...{ id: all.stages[2], to: all.stages[0], pipelineId: all.pipeline.id },
        ...{ commandId: 'cmd_gone', origin: 'api', moving: true },
      };
      const stages = all.pipeline.stages.filter((stage) => stage.id !== left.id);
      const version = Number(Object(state).version) + 1;
      const pipelines = [{ ...all.pipeline, stages }];
      await all.store.commit([
        {
          update: 'organizations',
          filter: { _id: all.orgId },
          change: { $set: { pipelines, leftStages: [left], version } },
        },
      ]);
      const { promise, resolve } = Promise.withResolvers<void>();
      owner.beforeSettling = promise;
      await owner.acquire(all.orgId);
      await all.rest();
      release();
      await entering;
      for (let times = 0; times < 20; times++) await pause(1);
      resolve();
      await all.rest();
      assert.equal((await all.deal(id)).stageId, all.stages[0]);
      await assertDone(all);
    });

    test('a crash before a deal has followed leaves it to the next owner', async () => {
      const all = await installed(storeOf());
      const [deals, owner] = [all.process('b'), all.process('a')];
      await owner.acquire(all.orgId);
      const id = `deal_${all.orgId}`;
      const release = deals.holdDeals();
      const entering = deals.create(id, { stageId: all.stages[2] });
      await deals.held;
      await owner.remove({ 2: 1 });
      await all.rest();
      // Its write arrives, and it does nothing any more.
      deals.follows = 0;
      release();
      await entering;
      await all.rest();
      assert.equal((await all.deal(id)).stageId, all.stages[2], 'where it was going');
      await owner.acquire(id);
      await all.rest();
      assert.equal((await all.deal(id)).stageId, all.stages[1]);
      assert.deepEqual(all.toldOf(id).toSorted(), [
        'deal.created 2',
        'deal.stage_changed 2>1 panel',
      ]);
    });

    test('a crash amid many is gone on from, and none is told of twice', async () => {
      const all = await installed(storeOf());
      const first = all.process('a');
      await first.acquire(all.orgId);
      const dealIds = Array.from({ length: 60 }, (_, n) => `deal_${all.orgId}_${n}`);
      for (const id of dealIds) await first.create(id, { stageId: all.stages[3] });
      await all.rest();
      first.follows = 23;
      await first.remove({ 3: 0 });
      await all.rest();
      const second = all.process('b');
      await second.acquire(all.orgId, ...dealIds);
      await all.rest();
      for (const id of dealIds) {
        assert.equal((await all.deal(id)).stageId, all.stages[0]);
        assert.deepEqual(all.toldOf(id).toSorted(), [
          'deal.created 3',
          'deal.stage_changed 3>0 panel',
        ]);
      }
      await assertDone(all);
    });

    test('a change of a deal that has not followed yet is decided in the stage in its place', async () => {
      const all = await installed(storeOf());
      const owner = all.process('a');
      const id = `deal_${all.orgId}`;
      await owner.create(id, { stageId: all.stages[3] });
      await owner.remove({ 3: 1 });
      const answer = await owner.change(id, { status: 'won' });
      assert.equal(JSON.parse(answer.body).data.stageId, all.stages[1]);
      await owner.remove({ 1: 0 });
      const reopened = await owner.change(id, { status: 'open' });
      assert.equal(JSON.parse(reopened.body).data.stageId, all.stages[0]);
      await all.rest();
      const told = ['deal.created 3', 'deal.stage_changed 3>1 panel', 'deal.won 1'];
      assert.deepEqual(all.toldOf(id), told);
    });

    test('a flow that named it a moment ago makes its deal in the stage in its place', async () => {
      const all = await installed(storeOf());
      const owner = all.process('a');
      await owner.remove({ 3: 1 });
      const id = `deal_${all.orgId}`;
      assert.equal((await owner.create(`${id}_api`, { stageId: all.stages[3] })).status, 404);
      assert.equal(
        (await owner.create(id, { stageId: all.stages[3], origin: 'flow' })).status,
        201,
      );
      assert.equal((await all.deal(id)).stageId, all.stages[1]);
    });

    test('its deals need a place to go: without one nothing changes', async () => {
      const all = await installed(storeOf());
      const owner = all.process('a');
      await owner.create(`deal_${all.orgId}`, { stageId: all.stages[3] });
      const stages = all.pipeline.stages.slice(0, 3);
      const command = {
        ...({ id: ids.fresh('cmd'), type: 'pipelines.change', origin: 'api' } as const),
        ...{ pipelineId: all.pipeline.id, stages },
      };
      const before = await all.organization();
      const answer = await owner.turn({ kind: 'organization', key: all.orgId }, command);
      assert.equal(answer.status, 409, answer.body);
      assert.deepEqual(await all.organization(), before);
    });
  });
}
