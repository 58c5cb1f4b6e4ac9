/**
 * The agenda of flows under more than it can move at once (actors/conversation/flow/timers). No
 * run's timers hide another's, each is posted once, and memory stays within its bounds.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { DueEntry } from '../../../../../actors/conversation/flow/stored-timers.ts';
import { FlowTimers } from '../../../../../actors/conversation/flow/timers.ts';
import { DuePoller, POLL_EVERY_MS } from '../../../../../actors/runtime/due-poller.ts';
import { FairScheduler } from '../../../../../actors/runtime/fair-scheduler.ts';
import { BUFFERED_MAX, TimerBuffer } from '../../../../../actors/runtime/timer-buffer.ts';
import type { Address, Answer, CommandOf } from '../../../../../shared/ports/bus.ts';
import { EVERY_PARTITION, shelved } from '../../../../../shared/wire/subjects.ts';
import { modelStore } from '../../../../faults/fencing/model-store.ts';
import { Database } from '../../../../faults/simulation/memory/database.ts';
import { SILENT } from '../../../../support/engine.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';

const STEP_MS = 100;
const DONE: Answer = { status: 200, body: '{}' };

type Post = (address: Address) => Promise<Answer>;

/** The timers of a process that holds all partitions; `take` is what becomes of a post. */
class Fixture {
  readonly clock = new ManualClock();
  readonly database = new Database();
  readonly posts = new Map<string, number>();
  /** Conversations whose timer was posted as one that an earlier owner may have begun. */
  readonly recovered = new Set<string>();
  underWay = 0;
  most = 0;
  readonly #post: Post;

  constructor(post: Post) {
    this.#post = post;
  }

  /** Runs that wait: one timer each, due `inMs` from now. */
  insertTimers(orgId: string, count: number, inMs: number): void {
    for (let n = 0; n < count; n++) {
      const conversationId = `cnv_${orgId}_${n}`;
      const timer = { ...shelved('conversation', conversationId), at: this.clock.now() + inMs };
      const document = { _id: `msg_${conversationId}`, conversationId, orgId, seq: 1, timer };
      this.database.apply({ insert: 'entries', document });
    }
  }

  begin(): void {
    const { clock } = this;
    const store = modelStore(this.database);
    const bus = { ask: (address: Address, command: CommandOf) => this.#ask(address, command) };
    const environment = { ...{ clock, store, bus, log: SILENT, leaseHeld: () => true } };
    const timers = new FlowTimers(environment as never, new DuePoller(environment));
    for (const partition of EVERY_PARTITION) timers.acquire(partition, 1);
  }

  async #ask(address: Address, command: CommandOf): Promise<Answer> {
    const seq = command.type === 'flow-timer' ? command.seq : undefined;
    const { key } = address;
    if (command.type === 'flow-timer' && command.recovered) this.recovered.add(key);
    this.posts.set(key, (this.posts.get(key) ?? 0) + 1);
    this.underWay++;
    this.most = Math.max(this.most, this.underWay);
    try {
      const answer = await this.#post(address);
      const change = { $unset: { timer: '' } };
      const filter = { conversationId: key, seq };
      const moved = { update: 'entries', filter, change } as const;
      if (answer.status === 200) this.database.apply(moved);
      return answer;
    } finally {
      this.underWay--;
    }
  }

  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= STEP_MS) {
      this.clock.advance(STEP_MS);
      for (let turn = 0; turn < 4; turn++) await new Promise((go) => setImmediate(go));
    }
  }

  postsOf(orgId: string): readonly number[] {
    const of = `cnv_${orgId}_`;
    return [...this.posts].flatMap(([key, posts]) => (key.startsWith(of) ? [posts] : []));
  }
}

/** Until its deadline, as a mailbox that tries again and again. */
function never(clock: () => ManualClock): Promise<Answer> {
  return new Promise((_, reject) => {
    clock().after(8_000, () => reject(new Error('no answer in time')));
  });
}

test('timers that cannot move hide no other organization, whose begin within 5 s', async () => {
  const fixture: Fixture = new Fixture(async ({ key }) =>
    key.startsWith('cnv_stuck') ? never(() => fixture.clock) : DONE,
  );
  fixture.insertTimers('stuck', 3_000, -60_000);
  fixture.insertTimers('other', 50, 0);
  fixture.insertTimers('later', 50, 45_000);
  fixture.begin();
  await fixture.pass(5_000);
  assert.equal(fixture.postsOf('other').length, 50);
  await fixture.pass(45_000);
  assert.equal(fixture.postsOf('later').length, 50);
  const posts = [...fixture.postsOf('other'), ...fixture.postsOf('later')];
  assert.deepEqual(new Set(posts), new Set([1]));
});

test('what fails at once is put off, each time for longer, and goes on when it can', async () => {
  let broken = true;
  const fixture = new Fixture(async ({ key }) =>
    broken && key.startsWith('cnv_broken') ? { status: 500, body: '{}' } : DONE,
  );
  fixture.insertTimers('broken', 20, 0);
  fixture.begin();
  await fixture.pass(60_000);
  const posts = fixture.postsOf('broken');
  assert.ok(
    posts.every((each) => each > 3 && each < 9),
    String(posts),
  );
  broken = false;
  await fixture.pass(65_000);
  const left = fixture.database.find('entries', { timer: { $exists: true } });
  assert.equal(left.length, 0);
});

test('a backlog drains to its end, each once, with few under way and others in between', async () => {
  const fixture: Fixture = new Fixture(
    () => new Promise((resolve) => void fixture.clock.after(STEP_MS, () => resolve(DONE))),
  );
  fixture.insertTimers('campaign', 9_000, 0);
  fixture.insertTimers('other', 10, 1_000);
  fixture.begin();
  await fixture.pass(2_000);
  assert.deepEqual(fixture.postsOf('other'), new Array(10).fill(1));
  assert.ok(fixture.postsOf('campaign').length < 9_000, 'the campaign is under way');
  assert.ok(fixture.most <= 256 + 10, `${fixture.most} under way`);
  await fixture.pass(2 * POLL_EVERY_MS);
  const posts = fixture.postsOf('campaign');
  assert.equal(posts.length, 9_000, 'the rest is looked for at once while there is more');
  assert.deepEqual(new Set(posts), new Set([1]));
});

test('a campaign that is seen before its time drains at once when it comes', async () => {
  const fixture: Fixture = new Fixture(
    () => new Promise((resolve) => void fixture.clock.after(STEP_MS, () => resolve(DONE))),
  );
  fixture.insertTimers('campaign', 5_000, 4_000);
  fixture.insertTimers('later', 900, 20_000);
  fixture.begin();
  await fixture.pass(3_900);
  assert.equal(fixture.posts.size, 0);
  await fixture.pass(9_000);
  assert.equal(fixture.postsOf('campaign').length, 5_000);
  assert.deepEqual(new Set(fixture.posts.values()), new Set([1]));
});

test('organizations take turns', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 60 }),
      async (orgs) => {
        const started: string[] = [];
        const running: (() => void)[] = [];
        const turns: FairScheduler = new FairScheduler(
          { perOrganization: 1, perProcess: 1 },
          (key) => {
            started.push(key);
            return { ended: new Promise<void>((resolve) => running.push(resolve)) };
          },
        );
        turns.enqueue('z', 'first');
        orgs.forEach((org, n) => {
          turns.enqueue(org, `${org}${n}`);
        });
        while (running.length > 0) {
          assert.equal(running.length, 1);
          running.shift()?.();
          await new Promise((go) => setImmediate(go));
        }
        assert.equal(new Set(started).size, orgs.length + 1);
        const order = started.slice(1).map((key) => key.charAt(0));
        order.forEach((org, at) => {
          const next = order.indexOf(org, at + 1);
          const between = new Set(order.slice(at + 1, next));
          const waiting = order.slice(next).filter((each) => each !== org);
          const fair = next < 0 || waiting.every((each) => between.has(each));
          assert.ok(fair, `${org} had two turns, ${waiting} none: ${order}`);
        });
      },
    ),
  );
});

/** How many timers of the organization find room. */
function putAll(
  inHand: TimerBuffer<DueEntry>,
  orgId: string,
  kind: { due: boolean; fresh: boolean },
): number {
  const cancel = (): void => undefined;
  for (let n = 0; ; n++) {
    const conversationId = `cnv_${orgId}_${kind.due}_${kind.fresh}_${n}`;
    const timer = { entryId: 'msg_1', conversationId, orgId, seq: 1, at: 0 };
    if (!inHand.hasCapacity(timer, kind)) return n;
    inHand.put({ ...timer, due: kind.due, cancel });
  }
}

test('timers in hand are bounded: of an organization, due and near, and of a process', () => {
  const inHand = new TimerBuffer<DueEntry>();
  assert.equal(putAll(inHand, 'a', { due: true, fresh: false }), 1_000);
  assert.deepEqual(inHand.saturated(), ['a']);
  assert.equal(putAll(inHand, 'a', { due: true, fresh: true }), 1_000, 'of its own turns');
  assert.equal(inHand.size, 2_000);
  assert.equal(putAll(inHand, 'a', { due: false, fresh: true }), 1_000);
  assert.equal(putAll(inHand, 'a', { due: false, fresh: false }), 1_000, 'read from the store');
  for (let n = 0; !inHand.full; n++) putAll(inHand, `org_${n}`, { due: true, fresh: false });
  assert.equal(inHand.size, BUFFERED_MAX);
  assert.equal(putAll(inHand, 'z', { due: true, fresh: false }), 0);
});

test('only a timer that was due before its owner acquired the partition is one of an earlier owner', async () => {
  const fixture = new Fixture(async () => DONE);
  fixture.insertTimers('before', 3, -1);
  fixture.insertTimers('after', 3, 1);
  fixture.begin();
  await fixture.pass(POLL_EVERY_MS + STEP_MS);
  assert.equal(fixture.posts.size, 6);
  assert.deepEqual([...fixture.recovered].sort(), ['cnv_before_0', 'cnv_before_1', 'cnv_before_2']);
});
