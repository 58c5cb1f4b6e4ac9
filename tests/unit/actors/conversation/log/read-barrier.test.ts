/** A list shows what was acknowledged before it was asked for (I12), whoever else is silent. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  conversationPartitions,
  ReadBarrier,
} from '../../../../../actors/conversation/log/read-barrier.ts';
import type { Environment } from '../../../../../actors/environment.ts';
import { AskFailed } from '../../../../../shared/ports/bus.ts';
import { partitionOf } from '../../../../../shared/wire/subjects.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import type { Store } from '../../../../support/plain-store.ts';

const PARTITIONS: Readonly<Record<string, readonly number[]>> = {
  here: [1, 2],
  elsewhere: [3],
  empty: [],
};

const nextTurn = (): Promise<void> => new Promise((go) => setImmediate(go));

/** A barrier whose questions the test answers. */
function furnished() {
  const clock = new ManualClock();
  const questions: { readonly answer: (partitions: readonly number[]) => void; open: boolean }[] =
    [];
  const bus = {
    askAll: (_topic: string, onAnswer: (answer: unknown) => void) => {
      const question = {
        open: true,
        answer: (partitions: readonly number[]) => {
          if (question.open) onAnswer({ partitions });
        },
      };
      questions.push(question);
      return () => {
        question.open = false;
      };
    },
  };
  const environment = { clock, bus } as unknown as Pick<Environment, 'clock' | 'bus'>;
  const barrier = new ReadBarrier(environment, async (orgId) => new Set(PARTITIONS[orgId]));
  const passed: string[] = [];
  const list = async (orgId: string, name = orgId): Promise<void> => {
    barrier.pass(orgId).then(
      () => passed.push(name),
      (cause: unknown) => passed.push(`${name} ${cause instanceof AskFailed ? 'failed' : cause}`),
    );
    await nextTurn();
  };
  const answer = async (at: number, ...partitions: readonly number[]): Promise<void> => {
    const question = questions.at(at) ?? assert.fail('nothing was asked');
    question.answer(partitions);
    await nextTurn();
  };
  const pass = async (ms: number): Promise<void> => {
    for (let gone = 0; gone < ms; gone += 10) {
      clock.advance(10);
      await nextTurn();
    }
  };
  return { clock, questions, passed, list, answer, pass };
}

test('a list waits for every owner of its own organization, and for no other', async () => {
  const { passed, list, answer, clock, questions } = furnished();
  await list('here');
  await answer(0, 3, 4, 5);
  await answer(0, 2);
  assert.deepEqual(passed, []);
  await answer(0, 1);
  assert.deepEqual(passed, ['here']);
  assert.equal(questions.length, 1);
  assert.equal(questions[0]?.open, false);
  assert.equal(clock.waiting, 0);
});

test('an organization without channels has no owner to wait for', async () => {
  const { passed, list, questions } = furnished();
  await list('empty');
  assert.deepEqual(passed, ['empty']);
  assert.equal(questions.length, 0);
});

test('a question that was asked before a list came does not count for it', async () => {
  const { passed, list, answer, questions } = furnished();
  await list('here', 'first');
  await list('here', 'second');
  assert.equal(questions.length, 1);
  await answer(0, 1, 2);
  assert.deepEqual(passed, ['first']);
  await answer(0, 1, 2);
  assert.deepEqual(passed, ['first']);
  assert.equal(questions.length, 2);
  await answer(1, 1, 2);
  assert.deepEqual(passed, ['first', 'second']);
});

test('lists that come while a question is under way share the next one', async () => {
  const { passed, list, answer, questions } = furnished();
  await list('here', 'first');
  await list('here', 'second');
  await list('elsewhere', 'third');
  await answer(0, 1, 2, 3);
  await answer(1, 1, 2, 3);
  assert.deepEqual(passed, ['first', 'second', 'third']);
  assert.equal(questions.length, 2);
});

test('a list whose owner is missing holds up no list of another organization', async () => {
  const { passed, list, answer, pass, questions } = furnished();
  await list('here');
  await answer(0, 1);
  await list('elsewhere');
  await pass(20);
  assert.equal(questions.length, 2, 'it is asked anew before the retry');
  await answer(1, 1, 3);
  assert.deepEqual(passed, ['elsewhere']);
});

test('the missing owner is asked again until it answers', async () => {
  const { passed, list, answer, pass, questions } = furnished();
  await list('here');
  await answer(0, 1);
  await pass(160);
  assert.equal(questions.length, 2);
  await answer(1, 2);
  assert.deepEqual(passed, ['here']);
});

test('an answer that takes longer than a retry counts', async () => {
  const { passed, list, answer, pass } = furnished();
  await list('here');
  await pass(400);
  await answer(0, 1, 2);
  assert.deepEqual(passed, ['here']);
});

test('a list whose owner stays away fails after 7 s, and leaves nothing behind', async () => {
  const { passed, list, pass, clock, questions } = furnished();
  await list('here');
  await pass(6_900);
  assert.deepEqual(passed, []);
  await pass(300);
  assert.deepEqual(passed, ['here failed']);
  await pass(1_000);
  assert.equal(clock.waiting, 0);
  assert.ok(questions.every(({ open }) => !open));
});

test('conversations of a removed channel lie beside it as before', async () => {
  const channels = [{ id: 'chn_a' }, { id: 'chn_b', removed: true }];
  const store = { findOne: async () => ({ channels }) } as unknown as Store;
  const found = await conversationPartitions(store, 'org_1');
  assert.deepEqual(found, new Set(channels.map(({ id }) => partitionOf('channel', id))));
});
