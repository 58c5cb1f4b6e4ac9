/** Agenda of scheduled messages: never before their time, late by no poll, and fair. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DueMessages } from '../../../../../actors/conversation/schedule/due-messages.ts';
import { DuePoller, POLL_EVERY_MS } from '../../../../../actors/runtime/due-poller.ts';
import type { Address, Answer } from '../../../../../shared/ports/bus.ts';
import { answerOf } from '../../../../../shared/wire/answer.ts';
import { EVERY_PARTITION, partitionOf, shelved } from '../../../../../shared/wire/subjects.ts';
import { modelStore } from '../../../../faults/fencing/model-store.ts';
import { Database } from '../../../../faults/simulation/memory/database.ts';
import { SILENT } from '../../../../support/engine.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';

const STEP_MS = 50;

interface Asked {
  readonly conversationId: string;
  readonly at: number;
}

/** The agenda of a process that holds all partitions; a conversation settles what is due in it. */
class Fixture {
  readonly clock = new ManualClock();
  readonly database = new Database();
  readonly asked: Asked[] = [];
  readonly settled: Asked[] = [];
  failing = 0;
  /** Called once, while a conversation is being asked. */
  duringAsk: (() => void) | null = null;
  underWay = 0;
  most = 0;
  readonly due: DueMessages;

  constructor() {
    const { clock, database } = this;
    const store = modelStore(database);
    const bus = { ask: (to: Address) => this.#ask(to.key) };
    const environment = { clock, store, bus, log: SILENT, leaseHeld: () => true };
    this.due = new DueMessages(environment as never, new DuePoller(environment));
  }

  begin(): void {
    for (const partition of EVERY_PARTITION) this.due.acquire(partition, 1);
  }

  schedule(conversationId: string, inMs: number, orgId = 'org_1') {
    const due = { ...shelved('conversation', conversationId), orgId, at: this.clock.now() + inMs };
    const seq = this.database.count('entries', {}) + 1;
    const document = { _id: `msg_${seq}`, conversationId, orgId, seq, due };
    this.database.apply({ insert: 'entries', document });
    return { conversationId, due };
  }

  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      this.clock.advance(STEP_MS);
      for (let turn = 0; turn < 20; turn++) await new Promise((go) => setImmediate(go));
    }
  }

  async #ask(conversationId: string): Promise<Answer> {
    const now = this.clock.now();
    this.asked.push({ conversationId, at: now });
    this.underWay++;
    this.most = Math.max(this.most, this.underWay);
    await new Promise((go) => setImmediate(go));
    this.underWay--;
    if (this.failing-- > 0) return { status: 500, body: '{}' };
    const answer = this.#settle(conversationId, now);
    this.duringAsk?.();
    this.duringAsk = null;
    return answer;
  }

  #settle(conversationId: string, now: number): Answer {
    const filter = { conversationId, due: { $exists: true } };
    const waiting = this.database.find('entries', filter, { sort: { 'due.at': 1 } });
    for (const { _id, due } of waiting) {
      const { at } = Object(due);
      if (at > now) return answerOf({ next: at });
      this.settled.push({ conversationId, at: now - at });
      const change = { $unset: { due: '' } };
      this.database.apply({ update: 'entries', filter: { _id, conversationId }, change });
    }
    return answerOf({ next: null });
  }
}

test('a conversation is asked at the time of each message, and not before', async () => {
  const fixture = new Fixture();
  fixture.begin();
  const start = fixture.clock.now();
  fixture.due.accepted(fixture.schedule('cnv_1', 1_000));
  fixture.due.accepted(fixture.schedule('cnv_1', 400));
  fixture.due.accepted(fixture.schedule('cnv_1', 2_000));
  await fixture.pass(3_000);
  const times = fixture.asked.map(({ at }) => at - start);
  assert.deepEqual(times, [400, 1_000, 2_000]);
  const late = fixture.settled.map(({ at }) => at);
  assert.deepEqual(late, [0, 0, 0]);
});

test('messages of an earlier owner are found by the poll, and go at their time', async () => {
  const fixture = new Fixture();
  const start = fixture.clock.now();
  fixture.schedule('cnv_late', -5_000);
  fixture.schedule('cnv_soon', 4_000);
  fixture.schedule('cnv_far', 90_000);
  fixture.begin();
  await fixture.pass(95_000);
  const asked = new Map(fixture.asked.map(({ conversationId, at }) => [conversationId, at]));
  assert.ok((asked.get('cnv_late') ?? 0) - start <= 100, 'at once');
  assert.deepEqual([asked.get('cnv_soon'), asked.get('cnv_far')], [start + 4_000, start + 90_000]);
});

test('a conversation that failed is asked again within a poll', async () => {
  const fixture = new Fixture();
  fixture.begin();
  fixture.failing = 2;
  fixture.due.accepted(fixture.schedule('cnv_1', 100));
  await fixture.pass(3 * POLL_EVERY_MS);
  assert.equal(fixture.settled.length, 1);
  assert.equal(fixture.asked.length, 3);
});

test('a message that becomes due while its conversation is asked is settled then, not by a poll', async () => {
  const fixture = new Fixture();
  fixture.begin();
  fixture.duringAsk = () => fixture.due.accepted(fixture.schedule('cnv_1', 0));
  fixture.due.accepted(fixture.schedule('cnv_1', 100));
  await fixture.pass(100 + STEP_MS);
  assert.equal(fixture.settled.length, 2);
});

test('a partition that was released is asked nothing', async () => {
  const fixture = new Fixture();
  fixture.begin();
  fixture.due.accepted(fixture.schedule('cnv_1', 1_000));
  fixture.due.release(partitionOf('conversation', 'cnv_1'));
  await fixture.pass(2 * POLL_EVERY_MS);
  assert.deepEqual(fixture.asked, []);
});

test('a campaign of one moment is settled whole, within bounds, beside another', async () => {
  const fixture = new Fixture();
  for (let n = 0; n < 2_500; n++) fixture.schedule(`cnv_many_${n}`, -10, 'org_many');
  fixture.schedule('cnv_other', 200, 'org_other');
  fixture.begin();
  await fixture.pass(2 * POLL_EVERY_MS);
  assert.equal(fixture.settled.length, 2_501);
  const other = fixture.settled.find(({ conversationId }) => conversationId === 'cnv_other');
  assert.ok((other?.at ?? Infinity) < POLL_EVERY_MS);
  assert.ok(fixture.most <= 512, `${fixture.most} at once`);
});
