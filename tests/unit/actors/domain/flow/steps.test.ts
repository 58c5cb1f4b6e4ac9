/** Commit of each kind of step, by itself (docs/flows.md, Steps). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type {
  Appended,
  ConversationState,
} from '../../../../../actors/domain/conversation/conversation.ts';
import type { FlowContext } from '../../../../../actors/domain/flow/context.ts';
import { decideDue } from '../../../../../actors/domain/flow/decide.ts';
import type { StepDecision } from '../../../../../actors/domain/flow/unable.ts';
import {
  begun,
  contextOf,
  flowOf,
  NOW,
  ORG,
} from '../../../../support/actors/conversation/flow/flow-fixture.ts';

type Overrides = Partial<Omit<FlowContext, 'steps'>>;

const END = { id: 'end', do: 'end' };
const LATER = NOW + 1_000;
const COSTLY = '{% for i in (1..9999999) %}x{% endfor %}';

/** The first step of a flow, taken a second after the flow began. */
function taken(step: object, over: Overrides = {}, change: Partial<ConversationState> = {}) {
  const flow = flowOf([{ id: 'a', ...step }, END]);
  const state = { ...begun(flow), ...change };
  const context = contextOf(flow, { now: LATER, ...over });
  const appended = decideDue(state, context);
  if (appended) {
    assert.equal(appended.state.seq, state.seq + 1, 'one entry');
    assert.ok(appended.state.at >= state.at);
  }
  return { flow, state, context, appended };
}

function accept(
  step: object,
  over: Overrides = {},
  change: Partial<ConversationState> = {},
): StepDecision {
  const { appended } = taken(step, over, change);
  assert.ok(appended);
  return appended;
}

/** The commands that an entry leaves to others. */
function commands(appended: Appended) {
  return appended.outbox.map((item) => {
    assert.equal(item.type, 'command');
    return item.type === 'command' ? { to: item.to, ...item.command } : null;
  });
}

function ends({ state }: Appended): void {
  assert.deepEqual([state.run, state.status], [null, 'open']);
}

function goesOn({ state }: Appended): void {
  assert.deepEqual([state.run?.stepId, state.run?.visit, state.status], ['end', 2, 'in_flow']);
}

describe('send', () => {
  const file = { kind: 'image', media: { id: 'med_1', mimeType: 'image/png' } };

  it('says the text under the flow’s name and goes on', () => {
    const appended = accept({ do: 'send', text: ' Oi {{contact.name}} ', next: 'end' });
    const { message } = appended;
    assert.deepEqual([message?.text, message?.kind, message?.media], ['Oi Maria', 'text', null]);
    assert.deepEqual([message?.author.label, message?.origin], ['Fluxo', 'flow']);
    assert.ok(appended.queued);
    goesOn(appended);
  });

  it('says at most 4,096 characters, 1,024 beside a file, as people count them', () => {
    const text = '👍'.repeat(5_000);
    const length = (over: Overrides) =>
      Array.from(accept({ do: 'send', text, next: 'end' }, over).message?.text ?? '').length;
    assert.equal(length({}), 4_096);
    assert.equal(length({ file } as unknown as Overrides), 1_024);
  });

  it('says nothing where there is nothing to say, and a file without a caption', () => {
    const silent = accept({ do: 'send', text: '{{answers.none}} ', next: 'end' });
    assert.deepEqual([silent.message, silent.queued], [undefined, false]);
    goesOn(silent);
    const step = { do: 'send', text: '{{answers.none}} ', next: 'end' };
    const { message } = accept(step, { file } as unknown as Overrides);
    assert.deepEqual([message?.text, message?.kind, message?.media], [null, 'image', file.media]);
  });

  it('a template that fails ends the run without a word', () => {
    const appended = accept({ do: 'send', text: COSTLY, next: 'end' });
    assert.equal(appended.message, undefined);
    ends(appended);
  });
});

describe('choose, assign, start and end', () => {
  it('the first case that holds leads on, `else` where none does', () => {
    const cases = [
      { when: { tag: 'none' }, next: 'x' },
      { when: { tag: 'vip' }, next: 'y' },
      { when: { optIn: true }, next: 'z' },
    ];
    const target = (step: object) => {
      const more = ['x', 'y', 'z'].map((id) => ({ id, do: 'end' }));
      const flow = flowOf([{ id: 'a', do: 'choose', else: 'end', ...step }, ...more, END]);
      return decideDue(begun(flow), contextOf(flow))?.state.run?.stepId;
    };
    assert.equal(target({ cases }), 'y');
    assert.equal(target({ cases: cases.slice(0, 1) }), 'end');
  });

  it('a member is assigned and takes part, once; null takes the assignment away', () => {
    const step = { do: 'assign', member: 'ana', next: 'end' };
    const first = accept(step);
    assert.deepEqual([first.state.assignedTo, first.state.participants], ['ana', ['ana']]);
    const joined = accept(step, {}, { participants: ['bia'] });
    assert.deepEqual(joined.state.participants, ['bia', 'ana']);
    const again = accept(step, {}, { participants: ['bia', 'ana'] });
    assert.deepEqual(again.state.participants, ['bia', 'ana']);
    const own = { assignedTo: 'ana', participants: ['ana'] };
    const nobody = accept({ ...step, member: null }, {}, own);
    assert.deepEqual([nobody.state.assignedTo, nobody.state.participants], [null, ['ana']]);
    goesOn(nobody);
  });

  it('another flow goes on with the same answers; none, or the 21st, ends the run', () => {
    const other = { ...flowOf([{ id: 'first', do: 'wait', next: 'end' }, END]), flowId: 'flw_2' };
    const step = { do: 'start', flow: 'flw_2' };
    const { run } = accept(step, { other }).state;
    assert.deepEqual([run?.flowId, run?.stepId, run?.hops], ['flw_2', 'first', 1]);
    const { state } = taken(step);
    assert.ok(state.run);
    for (const [hops, goes] of [
      [19, true],
      [20, false],
    ] as const) {
      const change = { run: { ...state.run, hops, answers: { a: 'b' } } };
      const appended = accept(step, { other }, change);
      assert.equal(appended.state.run !== null, goes, `${hops}`);
      if (goes) assert.deepEqual(appended.state.run?.answers, { a: 'b' });
    }
    ends(accept(step, { other: null }));
    ends(accept(step));
  });

  it('the end leaves the status that it names, open where it names none', () => {
    for (const status of ['open', 'resolved'] as const) {
      const { state } = accept({ do: 'end', status });
      assert.deepEqual([state.status, state.run], [status, null]);
    }
    ends(accept({ do: 'end' }));
  });
});

describe('what a step leaves to others', () => {
  const CONTACT = { kind: 'contact', key: 'ctc_1' };
  const HEAD = { id: 'cmd_named', type: 'flow-change', orgId: 'org_1', phone: '5511987654321' };

  it('fields, tags and the opt-in change at the contact', () => {
    const table = [
      [{ do: 'set', fields: { a: ' {{org.name}} ', b: 'x' } }, { fields: { a: 'Loja', b: 'x' } }],
      [{ do: 'tag', tags: ['Novo'] }, { tags: ['Novo'] }],
      [{ do: 'untag', tags: ['Velho'] }, { untags: ['Velho'] }],
      [
        { do: 'opt', optIn: true, next: 'end' },
        { optIn: true, runId: 'run_1' },
      ],
      [
        { do: 'opt', optIn: false },
        { optIn: false, runId: 'run_1' },
      ],
    ] as const;
    for (const [step, change] of table) {
      const ending = 'optIn' in step && !step.optIn;
      const appended = accept(ending ? step : { next: 'end', ...step });
      assert.deepEqual(commands(appended), [{ to: CONTACT, ...HEAD, ...change }]);
      if (ending) ends(appended);
      else goesOn(appended);
    }
  });

  it('a value has at most 500 characters, and one template that fails ends the run', () => {
    const [long] = commands(accept({ do: 'set', fields: { a: '👍'.repeat(600) }, next: 'end' }));
    const { a = '' } = (long as unknown as { fields: Record<string, string> }).fields;
    assert.equal(Array.from(a).length, 500);
    const fields = { a: 'x', b: COSTLY };
    const failed = accept({ do: 'set', fields, next: 'end' });
    assert.deepEqual(failed.outbox, []);
    ends(failed);
  });

  const stages = [
    { id: 'stg_1', name: 'Novo' },
    { id: 'stg_2', name: ' Proposta' },
    { id: 'stg_3', name: 'proposta' },
  ];

  it('a deal is made for the contact, and is the run’s from then on', () => {
    const step = { do: 'deal', action: 'create', title: 'Plano {{contact.name}}', next: 'end' };
    const appended = accept({ ...step, valueCents: 990, stage: 'PROPOSTA ' }, { stages });
    const made = {
      ...{ to: { kind: 'deal', key: 'deal_named' }, id: 'deal_named', type: 'create' },
      ...{ orgId: 'org_1', contactId: 'ctc_1', title: 'Plano Maria', valueCents: 990 },
      ...{ stageId: 'stg_2', ownerId: null, expectedCloseOn: null, conversationId: 'cnv_1' },
      origin: 'flow',
    };
    assert.deepEqual(commands(appended), [made]);
    assert.equal(appended.state.run?.dealId, 'deal_named');
    const plain = commands(accept({ ...step, title: '{{answers.none}}' }));
    assert.deepEqual(plain, [{ ...made, title: ORG.name, valueCents: 0, stageId: null }]);
    const [named] = commands(accept({ ...step, stage: 'stg_3' }, { stages }));
    assert.equal((named as unknown as { stageId: string }).stageId, 'stg_3', 'an id is itself');
    ends(accept({ ...step, title: COSTLY }));
  });

  it('a deal is moved and closed: the run’s own, else the contact’s, else none', () => {
    const move = { do: 'deal', action: 'move', stage: 'novo', next: 'end' };
    const head = { id: 'cmd_named', type: 'change', orgId: 'org_1', origin: 'flow' };
    const theirs = { kind: 'deal', key: 'deal_2' };
    const moved = commands(accept(move, { stages, dealId: 'deal_2' }));
    assert.deepEqual(moved, [{ to: theirs, ...head, stageId: 'stg_1' }]);
    const { run } = taken(move).state;
    const change = { run: run && { ...run, dealId: 'deal_1' } };
    const own = accept(move, { stages, dealId: 'deal_2' }, change);
    assert.deepEqual(commands(own)[0]?.to, { kind: 'deal', key: 'deal_1' });
    const close = { do: 'deal', action: 'close', status: 'lost', lostReason: 'preço', next: 'end' };
    const closed = commands(accept(close, { dealId: 'deal_2' }));
    assert.deepEqual(closed, [{ to: theirs, ...head, status: 'lost', lostReason: 'preço' }]);
    const none = accept(move, { stages, dealId: null });
    assert.deepEqual(none.outbox, []);
    goesOn(none);
    assert.equal(none.state.run?.dealId, null, 'only one that was made is the run’s');
    assert.equal(none.message, undefined, 'a contact without a deal is no problem');
  });

  it('a deal step that cannot do it leaves a note in its place, and the run goes on', () => {
    const create = { do: 'deal', action: 'create', title: 'Plano', stage: 'Fechamento' };
    const made = accept({ ...create, next: 'end' }, { stages });
    assert.deepEqual([made.outbox, made.unable], [[], 'stage_not_found']);
    assert.equal(made.message?.direction, 'note');
    const why = 'o negócio não foi criado, porque não há a etapa "Fechamento" no funil.';
    assert.equal(made.message?.text, `Fluxo "Fluxo", etapa "a": ${why}`);
    goesOn(made);
    assert.equal(made.state.run?.dealId, 'deal_named', 'no later step changes another deal');
    const move = { do: 'deal', action: 'move', stage: 'novo', next: 'end' };
    const close = { do: 'deal', action: 'close', status: 'won', next: 'end' };
    const { run } = taken(move).state;
    const own = { run: run && { ...run, dealId: 'deal_1' } };
    const facts = { stages, dealId: 'deal_2' };
    for (const step of [move, close]) {
      assert.equal(accept(step, { ...facts, ownDeal: null }, own).unable, 'deal_not_found');
      assert.equal(accept(step, { ...facts, ownDeal: 'won' }, own).unable, 'deal_closed');
      const done = accept(step, { ...facts, ownDeal: 'open' }, own);
      assert.deepEqual(commands(done)[0]?.to, { kind: 'deal', key: 'deal_1' });
      assert.equal(done.message, undefined);
    }
  });

  it('a task is made for the contact, due so many days from today in the zone', () => {
    const step = { do: 'task', title: 'Ligar {{contact.name}}', next: 'end' };
    const more = { notes: '{{org.name}}', assignee: 'ana', dueInDays: 2, dueTime: '09:30' };
    const made = {
      ...{ to: { kind: 'task', key: 'task_named' }, id: 'task_named', type: 'create' },
      ...{ orgId: 'org_1', title: 'Ligar Maria', notes: 'Loja', contactId: 'ctc_1' },
      ...{ contactNamedBy: 'contactId', dealId: null, assigneeId: 'ana', dueOn: '2026-11-22' },
      ...{ dueTime: '09:30', origin: 'flow' },
    };
    assert.deepEqual(commands(accept({ ...step, ...more })), [made]);
    const bare = { ...made, title: ORG.name, notes: null, assigneeId: null, dueOn: null };
    const plain = commands(accept({ ...step, title: '{{answers.none}}' }));
    assert.deepEqual(plain, [{ ...bare, dueTime: null }]);
    for (const failing of [{ title: COSTLY }, { notes: COSTLY }]) {
      ends(accept({ ...step, ...failing }));
    }
  });

  it('titles have 120 and 160 characters at most, notes 2,000', () => {
    const long = 'x'.repeat(3_000);
    const lengths = (step: object) => {
      const [made] = commands(accept({ title: long, next: 'end', ...step }));
      const { title, notes } = made as unknown as { title: string; notes?: string };
      return [title.length, notes?.length];
    };
    assert.deepEqual(lengths({ do: 'deal', action: 'create' }), [120, undefined]);
    assert.deepEqual(lengths({ do: 'task', notes: long }), [160, 2_000]);
  });
});

describe('handoff', () => {
  it('pauses for half an hour unless it says how long, and never shortens a pause', () => {
    const until = (step: object, change = {}) =>
      (accept({ do: 'handoff', ...step }, {}, change).state.automationPausedUntil ?? 0) - LATER;
    assert.equal(until({}), 1_800_000);
    assert.equal(until({ pause: '2h' }), 7_200_000);
    assert.equal(until({ pause: '2h' }, { automationPausedUntil: LATER - 1 }), 7_200_000);
    const now = LATER - 50_000;
    const early = accept({ do: 'handoff', pause: '1m' }, { now }, { automationPausedUntil: now });
    assert.equal(early.state.automationPausedUntil, LATER + 10_000);
  });

  it('assigns whom it names, keeps who is assigned where it names nobody, and ends the run', () => {
    const appended = accept({ do: 'handoff', member: 'bia' });
    assert.deepEqual([appended.state.assignedTo, appended.message], ['bia', undefined]);
    ends(appended);
    assert.equal(accept({ do: 'handoff' }, {}, { assignedTo: 'ana' }).state.assignedTo, 'ana');
  });

  it('leaves a note of the flow; one that says nothing or fails is none', () => {
    const { message, state } = accept({ do: 'handoff', note: ' Quer {{contact.name}} ' });
    assert.deepEqual([message?.direction, message?.text], ['note', 'Quer Maria']);
    assert.deepEqual(message?.author, { kind: 'automation', label: 'Fluxo' });
    assert.deepEqual([message?.origin, message?.status], ['flow', 'received']);
    assert.deepEqual([message?.revision, message?.kind, message?.media], [1, 'text', null]);
    const long = accept({ do: 'handoff', note: 'x'.repeat(5_000) });
    assert.equal(long.message?.text?.length, 4_096);
    assert.deepEqual([state.notes, state.messages, state.run], [1, 0, null]);
    assert.equal(message?.createdAt, LATER);
    for (const note of ['{{answers.none}}', COSTLY]) {
      const without = accept({ do: 'handoff', note });
      assert.equal(without.message, undefined);
      ends(without);
    }
  });
});
