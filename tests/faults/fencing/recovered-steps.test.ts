/**
 * A step that ends its process is executed by three owners at most. The try is in the store before
 * the step is executed, and a step that is executed once costs no write. An owner that outlives its
 * try is none of the three: what failed was the store, or its lease ended.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { snapshotWrite } from '../../../actors/conversation/log/documents.ts';
import type { ConversationState } from '../../../actors/domain/conversation/conversation.ts';
import { timerOf } from '../../../actors/domain/flow-run.ts';
import { shelved } from '../../../shared/wire/subjects.ts';
import { begun, flowOf } from '../../support/actors/conversation/flow/flow-fixture.ts';
import type { Write } from '../../support/plain-store.ts';
import { Database } from '../simulation/memory/database.ts';
import { LeasedConversations } from './leased-conversations.ts';
import { modelStore, watched } from './model-store.ts';

const STEPS = [{ id: 'hi', do: 'send', text: 'oi', next: null }];
const STATE = begun(flowOf(STEPS));

/** Whether a commit appends an entry. */
function appends(writes: readonly Write[]): boolean {
  return writes.some((each) => 'insert' in each && each.insert === 'entries');
}

/** What a commit of the step comes to. */
type Fate = 'committed' | 'process dies' | 'store fails';

/** A conversation whose run is due, and its owners, one process after the other. */
class Owners {
  readonly database = new Database();
  fate: Fate = 'process dies';
  executed = 0;
  written = 0;
  #died = Promise.withResolvers<'dead'>();
  #process = this.#start();

  constructor(state: ConversationState = STATE) {
    const { id, orgId, channelId, seq } = state;
    const timer = { ...shelved('conversation', id), orgId, at: timerOf(state) ?? 0 };
    const entry = { _id: 'run_1', conversationId: id, orgId, channelId, seq, after: state, timer };
    this.database.apply({ insert: 'entries', document: entry });
    this.database.apply(snapshotWrite(state, 1, { recount: false }));
    const version = { _id: 'flw_1.a', flowId: 'flw_1', orgId, steps: STEPS, writtenAt: 0 };
    this.database.apply({ insert: 'flowVersions', document: version });
  }

  #start(): LeasedConversations {
    this.#died = Promise.withResolvers<'dead'>();
    return new LeasedConversations(this.database, () =>
      watched(modelStore(this.database), { commit: (writes) => this.#onCommit(writes) }),
    );
  }

  async #onCommit(writes: readonly Write[]): Promise<void> {
    this.written += writes.length;
    if (!appends(writes)) return;
    this.executed++;
    if (this.fate === 'committed') return;
    if (this.fate === 'store fails') throw new Error('no answer');
    this.#died.resolve('dead');
    await new Promise(() => undefined);
  }

  async post(epoch: number, more: { recovered?: true } = { recovered: true }): Promise<unknown> {
    const command = { id: 'timer', type: 'flow-timer', seq: STATE.seq, ...more } as const;
    const ended = await Promise.race([
      this.#process.turn(STATE.id, epoch, command),
      this.#died.promise,
    ]);
    if (ended === 'dead') this.#process = this.#start();
    return ended;
  }

  /** Lets what goes on beside the turns come to its end. */
  async settle(): Promise<void> {
    await setImmediate();
    this.#process.clock.advance(1_000);
    await setImmediate();
  }

  get tries(): number {
    const [entry] = this.database.find('entries', { _id: 'run_1' });
    const timer: unknown = Reflect.get(entry ?? {}, 'timer');
    return Object.keys(Object(Reflect.get(Object(timer), 'begunIn'))).length;
  }

  get last() {
    const entries = this.database.all('entries') as readonly { ended?: object; message?: object }[];
    return entries.at(-1);
  }
}

describe('a step that ends its process', () => {
  test('is executed by three owners, and its run ends with the fourth', async () => {
    const owners = new Owners();
    assert.equal(await owners.post(1, {}), 'dead', 'the owner of the start');
    for (const epoch of [2, 3]) {
      assert.equal(await owners.post(epoch), 'dead');
      assert.equal(owners.tries, epoch - 1, 'counted before it was executed');
    }
    assert.equal(owners.executed, 3);
    owners.fate = 'committed';
    await owners.post(4);
    const { ended, message } = owners.last ?? {};
    assert.deepEqual([Reflect.get(Object(ended), 'reason'), message], ['not_finished', undefined]);
  });

  test('costs no write where no owner ended', async () => {
    const [healthy, recovered] = [new Owners(), new Owners()];
    for (const each of [healthy, recovered]) each.fate = 'committed';
    await healthy.post(1, {});
    await recovered.post(2);
    assert.equal(recovered.written - healthy.written, 1);
    assert.equal(healthy.tries, 0);
  });
});

describe('a step whose owners outlive it', () => {
  test('is executed by every owner until the store takes it', async () => {
    const owners = new Owners();
    owners.fate = 'store fails';
    for (const epoch of [2, 3, 4, 5]) {
      await assert.rejects(owners.post(epoch), /no answer/);
      await owners.settle();
      assert.equal(owners.tries, 0, 'taken back');
    }
    owners.fate = 'committed';
    await owners.post(6);
    assert.ok(owners.last?.message, 'the run goes on');
  });

  test('is counted once in an epoch, however often it is posted', async () => {
    const owners = new Owners();
    owners.fate = 'store fails';
    for (let post = 0; post < 5; post++) {
      await assert.rejects(owners.post(2), /no answer/);
      assert.ok(owners.tries <= 1);
    }
    await owners.settle();
    owners.fate = 'process dies';
    assert.equal(await owners.post(3), 'dead');
    assert.equal(owners.tries, 1, 'only the one that died');
    owners.fate = 'committed';
    await owners.post(4);
    assert.ok(owners.last?.message, 'the second recovering owner may execute it');
  });
});
