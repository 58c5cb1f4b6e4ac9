/** Merge of two conversations of one person, compared as a whole (D142). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ConversationState } from '../../../../../actors/domain/conversation/conversation.ts';
import {
  decideAbsorption,
  decideJoin,
  decideReaddress,
  isOlder,
} from '../../../../../actors/domain/conversation/join.ts';
import type { Run } from '../../../../../actors/domain/flow-run.ts';
import type { OutboxItem } from '../../../../../shared/wire/outbox.ts';
import {
  CONTACT,
  conversationFixture,
  NOW,
} from '../../../../support/actors/domain/message-fixture.ts';

const LATER = NOW + 60_000;

const RUN: Run = {
  ...{ id: 'run_1', flowId: 'flw_1', flowName: 'Boas-vindas', versionId: 'v1', stepId: 'pergunta' },
  ...{ visit: 1, phase: { kind: 'ready' }, answers: {}, parsed: [], hops: 0, dealId: null },
  startedAt: NOW,
};

it('of two conversations the older one stays, of two of one moment the one with the lesser id', () => {
  const first = { id: 'cnv_b', createdAt: NOW };
  const second = { id: 'cnv_a', createdAt: NOW + 1 };
  const twin = { id: 'cnv_c', createdAt: NOW };
  const stays = [first, second, twin].map((a) => [first, second, twin].map((b) => isOlder(a, b)));
  assert.deepEqual(stays, [
    [false, true, true],
    [false, false, false],
    [false, true, false],
  ]);
});

describe('the younger conversation', () => {
  const told = { id: 'evt_1', type: 'event', event: 'message.sent', data: {} } as const;
  const outbox: OutboxItem[] = [told];
  const join = (state: ConversationState) => decideJoin(state, { into: 'cnv_0', outbox }, LATER);

  it('answers for nothing any more: it is read, has no run, and names the older one', () => {
    const state = conversationFixture({ seq: 3, messages: 3, unread: 2, status: 'resolved' });
    const joined = { ...state, seq: 4, at: LATER, unread: 0, joinedTo: 'cnv_0' };
    assert.deepEqual(join(state), { state: joined, queued: false, outbox });
  });

  it('is open where its run goes on in the older one', () => {
    const state = join(conversationFixture({ status: 'in_flow', run: RUN }))?.state;
    assert.deepEqual([state?.status, state?.run], ['open', null]);
  });

  it('joins once', () => {
    const joined = join(conversationFixture())?.state ?? assert.fail();
    assert.equal(join(joined), null);
  });
});

const OLDER = conversationFixture({
  ...{ id: 'cnv_0', seq: 7, messages: 5, notes: 2, received: 3, unread: 1, queuedSeq: 6 },
  ...{ lastMessageAt: NOW, lastMessagePreview: 'da antiga', lastMessageSeq: 7 },
  ...{ status: 'resolved', networkId: 'BR.old', participants: ['mbr_a', 'mbr_b'] },
});
const YOUNGER = conversationFixture({
  ...{ id: 'cnv_1', seq: 4, messages: 30, notes: 10, received: 20, unread: 4, queuedSeq: 2 },
  ...{ createdAt: NOW + 1, lastMessageAt: NOW + 1, lastMessagePreview: 'da nova' },
  ...{ lastMessageSeq: 4, status: 'resolved', networkId: 'BR.new' },
  participants: ['mbr_b', 'mbr_c'],
});

function absorbed(older: Partial<ConversationState>, younger: Partial<ConversationState> = {}) {
  const decided = decideAbsorption({ ...OLDER, ...older }, { ...YOUNGER, ...younger }, LATER);
  return decided?.state ?? assert.fail();
}

describe('the older conversation', () => {
  it('counts and lists what both have, and shows the latest message of both', () => {
    const { lastMessageSeq: _, ...known } = OLDER;
    const state = {
      ...{ ...known, seq: 8, at: LATER, joined: ['cnv_1'], unread: 5 },
      ...{ messages: 35, notes: 12, received: 23, participants: ['mbr_a', 'mbr_b', 'mbr_c'] },
      ...{ lastMessageAt: NOW + 1, lastMessagePreview: 'da nova', networkId: 'BR.new' },
    };
    const decided = decideAbsorption(OLDER, YOUNGER, LATER);
    assert.deepEqual(decided, { state, queued: false, outbox: [] });
  });

  it('shows its own last message, by its place, where the other one has no later one', () => {
    for (const lastMessageAt of [NOW - 1, NOW]) {
      const state = absorbed({}, { lastMessageAt });
      assert.deepEqual([state.lastMessageAt, state.lastMessagePreview], [NOW, 'da antiga']);
      assert.deepEqual([state.lastMessageSeq, state.networkId], [7, 'BR.old']);
    }
  });

  it('has no place of a last message that an earlier join brought', () => {
    const { lastMessageSeq: _, ...older } = OLDER;
    const decided = decideAbsorption(older, { ...YOUNGER, lastMessageAt: NOW - 1 }, LATER);
    assert.ok(decided);
    assert.equal(decided.state.lastMessagePreview, 'da antiga');
    assert.equal('lastMessageSeq' in decided.state, false);
  });

  it('is resolved where both are, and else open', () => {
    const rows = [
      ['resolved', 'resolved', 'resolved'],
      ['resolved', 'open', 'open'],
      ['open', 'resolved', 'open'],
      ['open', 'open', 'open'],
    ] as const;
    for (const [older, younger, status] of rows) {
      const joined = absorbed({ status: older }, { status: younger });
      assert.equal(joined.status, status, `${older} and ${younger}`);
    }
  });

  it('continues the run under way, its own before the other’s', () => {
    const other: Run = { ...RUN, id: 'run_2' };
    const ofBoth = absorbed({ status: 'in_flow', run: RUN }, { status: 'in_flow', run: other });
    assert.deepEqual([ofBoth.run, ofBoth.status], [RUN, 'in_flow']);
    const ofOther = absorbed({}, { status: 'in_flow', run: other });
    assert.deepEqual([ofOther.run, ofOther.status], [other, 'in_flow']);
    const own = absorbed({ status: 'in_flow', run: RUN });
    assert.deepEqual([own.run, own.status], [RUN, 'in_flow']);
  });

  it('stays with its member, and takes over the other’s where it has none', () => {
    const rows = [
      ['mbr_a', 'mbr_b', 'mbr_a'],
      ['mbr_a', null, 'mbr_a'],
      [null, 'mbr_b', 'mbr_b'],
      [null, null, null],
    ] as const;
    for (const [own, other, assignedTo] of rows) {
      const joined = absorbed({ assignedTo: own }, { assignedTo: other });
      assert.equal(joined.assignedTo, assignedTo, `${own} and ${other}`);
    }
  });

  it('keeps any network id rather than none', () => {
    const rows = [
      [null, 'BR.new', NOW - 1, 'BR.new'],
      ['BR.old', null, NOW + 1, 'BR.old'],
      [null, null, NOW + 1, null],
    ] as const;
    for (const [own, other, lastMessageAt, networkId] of rows) {
      const joined = absorbed({ networkId: own }, { networkId: other, lastMessageAt });
      assert.equal(joined.networkId, networkId);
    }
  });

  it('knows the contact’s latest message of both, and none where there is none', () => {
    const [early, late] = [{ lastInboundAt: NOW }, { lastInboundAt: NOW + 1 }];
    assert.equal(absorbed(early, late).lastInboundAt, NOW + 1);
    assert.equal(absorbed(late, early).lastInboundAt, NOW + 1);
    assert.equal(absorbed(early).lastInboundAt, NOW);
    assert.equal(absorbed({}, early).lastInboundAt, NOW);
    assert.equal('lastInboundAt' in absorbed({}), false);
  });

  it('answers for all that either one absorbed before, in their order and once', () => {
    const { joined } = absorbed({ joined: ['cnv_4', 'cnv_3'] }, { joined: ['cnv_3', 'cnv_2'] });
    assert.deepEqual(joined, ['cnv_4', 'cnv_3', 'cnv_2', 'cnv_1']);
  });

  it('absorbs another one once', () => {
    assert.equal(decideAbsorption(absorbed({}), YOUNGER, LATER), null);
    assert.deepEqual(absorbed({ joined: ['cnv_9'] }).joined, ['cnv_9', 'cnv_1']);
  });
});

describe('a conversation whose contact is another', () => {
  const state = conversationFixture({ seq: 3, networkId: 'BR.1', windowFrom: NOW });
  const stays = { numberLeft: false, now: LATER };
  const leaves = { numberLeft: true, now: LATER };

  it('has the new contact, each part of which counts, and is sent to as before', () => {
    for (const other of [{ id: 'ctc_0' }, { phone: '5511900000000' }, { name: null }]) {
      const contact = { ...CONTACT, ...other };
      assert.deepEqual(decideReaddress(state, contact, stays), {
        state: { ...state, contact, seq: 4, at: LATER },
        ...{ queued: false, outbox: [] },
      });
    }
  });

  it('forgets the network id of a number that the contact has left, and does so once', () => {
    const decided = decideReaddress(state, CONTACT, leaves) ?? assert.fail();
    const left = { networkId: null, windowFrom: 0, undecidedFrom: NOW };
    assert.deepEqual(decided, {
      state: { ...state, ...left, seq: 4, at: LATER },
      ...{ queued: false, outbox: [] },
    });
    assert.equal(decideReaddress(decided.state, CONTACT, leaves), null);
  });

  it('is the same where nothing of the contact is new', () => {
    assert.equal(decideReaddress(state, { ...CONTACT }, stays), null);
    assert.equal(decideReaddress({ ...state, networkId: null }, { ...CONTACT }, stays), null);
  });
});
