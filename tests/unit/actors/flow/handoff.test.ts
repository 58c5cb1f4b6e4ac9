/** A flow that leaves its conversation to people, by itself (docs/flows.md, Steps). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Appended, ConversationState } from '../../../../actors/domain/conversation.ts';
import { decideDue } from '../../../../actors/domain/flow/decide.ts';
import { begun, contextOf, flowOf, NOW } from '../../../support/actors/flow/flow-fixture.ts';

const LATER = NOW + 1_000;

function accept(step: object, _: object = {}, change: Partial<ConversationState> = {}): Appended {
  const flow = flowOf([{ id: 'a', ...step }]);
  const appended = decideDue({ ...begun(flow), ...change }, contextOf(flow, { now: LATER }));
  assert.ok(appended);
  return appended;
}

function ends({ state }: Appended): void {
  assert.deepEqual([state.run, state.status], [null, 'open']);
}

describe('handoff', () => {
  it('pauses for half an hour unless it says how long, and never shortens a pause', () => {
    const until = (step: object, change = {}) =>
      (accept({ do: 'handoff', ...step }, {}, change).state.automationPausedUntil ?? 0) - LATER;
    assert.equal(until({}), 1_800_000);
    assert.equal(until({ pause: '2h' }), 7_200_000);
    assert.equal(until({ pause: '2h' }, { automationPausedUntil: LATER - 1 }), 7_200_000);
    const step = { id: 'a', do: 'handoff', pause: '1m' };
    const longer = { ...begun(flowOf([step])), automationPausedUntil: LATER - 1 };
    const context = contextOf(flowOf([step]), { now: LATER - 50_000 });
    assert.equal(
      decideDue({ ...longer, automationPausedUntil: LATER - 50_000 }, context)?.state
        .automationPausedUntil,
      LATER + 10_000,
    );
  });

  it('assigns whom it names, keeps who is assigned where it names nobody, and ends the run', () => {
    const appended = accept({ do: 'handoff', member: 'bia' });
    assert.deepEqual([appended.state.assignedTo, appended.message], ['bia', undefined]);
    ends(appended);
    assert.equal(accept({ do: 'handoff' }, {}, { assignedTo: 'ana' }).state.assignedTo, 'ana');
  });

  it('leaves a note of the flow; one that says nothing or fails is none', () => {
    const { message, state } = accept({ do: 'handoff', note: ' Quer {{contact.name}} ' });
    assert.deepEqual(
      [message?.direction, message?.text, message?.author, message?.origin, message?.status],
      ['note', 'Quer Maria', { kind: 'automation', label: 'Fluxo' }, 'flow', 'received'],
    );
    assert.deepEqual([message?.revision, message?.kind, message?.media], [1, 'text', null]);
    const long = accept({ do: 'handoff', note: 'x'.repeat(5_000) });
    assert.equal(long.message?.text?.length, 4_096);
    assert.deepEqual([state.notes, state.messages, state.run], [1, 0, null]);
    assert.equal(message?.createdAt, LATER);
    for (const note of ['{{answers.none}}', '{% for i in (1..9999999) %}x{% endfor %}']) {
      const without = accept({ do: 'handoff', note });
      assert.equal(without.message, undefined);
      ends(without);
    }
  });
});
