/**
 * A step that ends its owner is executed by three owners at most, in whatever way they ended. The
 * try is in the store before the step is executed, and a step that is executed once costs no write.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { snapshotWrite } from '../../../actors/conversation/documents.ts';
import type { ConversationState } from '../../../actors/domain/conversation.ts';
import { timerOf } from '../../../actors/domain/flow/run.ts';
import type { Answer } from '../../../shared/ports/bus.ts';
import type { Write } from '../../../shared/ports/store.ts';
import { shelved } from '../../../shared/wire/subjects.ts';
import { begun, flowOf } from '../../support/actors/flow/flow-fixture.ts';
import { Database } from '../simulation/memory/database.ts';
import { LeasedConversations } from './leased-conversations.ts';
import { modelStore, watched } from './model-store.ts';

const STEPS = [{ id: 'hi', do: 'send', text: 'oi', next: null }];
const STATE = begun(flowOf(STEPS));

/** Whether a commit appends an entry. */
function appends(writes: readonly Write[]): boolean {
  return writes.some((each) => 'insert' in each && each.insert === 'entries');
}

/** A conversation whose run is due, and owners of which each dies in its step if told so. */
class Owners {
  readonly database = new Database();
  dies = true;
  executed = 0;
  written = 0;
  readonly #conversations: LeasedConversations;

  constructor(state: ConversationState = STATE) {
    const { id, orgId, channelId, seq } = state;
    const timer = { ...shelved('conversation', id), orgId, at: timerOf(state) ?? 0 };
    const entry = { _id: 'run_1', conversationId: id, orgId, channelId, seq, after: state, timer };
    this.database.apply({ insert: 'entries', document: entry });
    this.database.apply(snapshotWrite(state, 1, { recount: false }));
    const version = { _id: 'flw_1.a', flowId: 'flw_1', orgId, steps: STEPS, writtenAt: 0 };
    this.database.apply({ insert: 'flowVersions', document: version });
    this.#conversations = new LeasedConversations(this.database, () =>
      watched(modelStore(this.database), { commit: (writes) => this.#onCommit(writes) }),
    );
  }

  #onCommit(writes: readonly Write[]): void {
    this.written += writes.length;
    if (!appends(writes)) return;
    this.executed++;
    if (this.dies) throw new Error('killed');
  }

  post(epoch: number, more: { readonly recovered?: true } = { recovered: true }): Promise<Answer> {
    const command = { id: 'timer', type: 'flow-timer', seq: STATE.seq, ...more } as const;
    return this.#conversations.turn(STATE.id, epoch, command);
  }

  get times(): number {
    const [entry] = this.database.find('entries', { _id: 'run_1' });
    const timer: unknown = Reflect.get(entry ?? {}, 'timer');
    return Number(Reflect.get(Object(Reflect.get(Object(timer), 'recovered')), 'times') ?? 0);
  }

  get last() {
    const entries = this.database.all('entries') as readonly { ended?: object; message?: object }[];
    return entries.at(-1);
  }
}

describe('a step that ends its owner', () => {
  test('is executed by three owners, and its run ends with the fourth', async () => {
    const owners = new Owners();
    await assert.rejects(owners.post(1, {}), /killed/, 'the owner of the start');
    for (const epoch of [2, 3]) {
      await assert.rejects(owners.post(epoch), /killed/);
      assert.equal(owners.times, epoch - 1, 'counted before it was executed');
    }
    assert.equal(owners.executed, 3);
    owners.dies = false;
    await owners.post(4);
    const { ended, message } = owners.last ?? {};
    assert.deepEqual([Reflect.get(Object(ended), 'reason'), message], ['not_finished', undefined]);
  });

  test('is counted once in an epoch, however often it is posted', async () => {
    const owners = new Owners();
    for (let post = 0; post < 5; post++) await assert.rejects(owners.post(2), /killed/);
    assert.equal(owners.times, 1);
    owners.dies = false;
    await owners.post(3);
    assert.ok(owners.last?.message, 'the second recovering owner may execute it');
  });

  test('costs no write where no owner ended', async () => {
    const [healthy, recovered] = [new Owners(), new Owners()];
    for (const each of [healthy, recovered]) each.dies = false;
    await healthy.post(1, {});
    await recovered.post(2);
    assert.equal(recovered.written - healthy.written, 1);
    assert.equal(healthy.times, 0);
  });
});
