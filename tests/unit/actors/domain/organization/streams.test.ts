/** Event streams of an organization: connections, limits, scope, end (D255). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  changedStreams,
  hears,
  liveStreams,
  openStream,
  type Streaming,
  streamsAfter,
  touchStream,
} from '../../../../../actors/domain/organization/streams.ts';
import type { KeyEntry, StreamEntry } from '../../../../../actors/domain/organization.ts';
import {
  EVENT_STREAM_RETENTION_MS,
  EVENT_STREAMS_PER_KEY,
  EVENT_STREAMS_PER_ORGANIZATION,
} from '../../../../../shared/limits.ts';
import { pluck } from '../../../../support/pluck.ts';

const NOW = 1_700_000_000_000;

function key(id: string, more: Partial<KeyEntry> = {}): KeyEntry {
  return {
    ...{ id, ref: id, name: id, scope: 'account', channelId: null, digest: id, prefix: id },
    ...{ createdAt: 0, revokedAt: null },
    ...more,
  };
}

const KEY = key('key');

function stream(id: string, more: Partial<StreamEntry> = {}): StreamEntry {
  return {
    ...{ id, keyId: 'key', name: id, events: ['*'], connection: 1, opened: [] },
    ...{ createdAt: NOW - 60_000, seenAt: NOW - 30_000 },
    ...more,
  };
}

function open(state: Streaming, streamId: string, more: { id?: string; keyId?: string } = {}) {
  const command = { id: 'cmd', keyId: 'key', ...more, name: streamId, events: ['a'] };
  return openStream(state, { ...command, streamId }, NOW);
}

describe('a connection of a stream', () => {
  it('begins the stream, beside the others', () => {
    const others = [stream('one'), stream('two')];
    const begun = { events: ['a'], connection: 1, opened: [{ id: 'cmd', connection: 1 }] };
    assert.deepEqual(open({ keys: [KEY], streams: others }, 'three'), {
      streams: [...others, { ...stream('three', { createdAt: NOW, seenAt: NOW }), ...begun }],
      ...{ connection: 1, generation: NOW },
    });
  });

  it('replaces the stream that is there, which keeps its beginning', () => {
    const one = stream('one', { connection: 4, opened: [{ id: 'before', connection: 4 }] });
    const opened = [...one.opened, { id: 'cmd', connection: 5 }];
    assert.deepEqual(open({ keys: [KEY], streams: [one, stream('two')] }, 'one'), {
      streams: [stream('two'), { ...one, events: ['a'], connection: 5, opened, seenAt: NOW }],
      ...{ connection: 5, generation: NOW - 60_000 },
    });
  });

  it('forgets the streams that have ended', () => {
    const late = stream('late', { seenAt: NOW - EVENT_STREAM_RETENTION_MS });
    const result = open({ keys: [KEY], streams: [late, stream('one')] }, 'two');
    assert.ok('streams' in result);
    assert.deepEqual(pluck(result.streams ?? [], 'id'), ['one', 'two']);
  });

  it('is remembered over the next seven: a repeated command opens it once', () => {
    let state: Streaming = { keys: [KEY] };
    const connect = (command: number) => {
      const result = open(state, 'one', { id: `cmd_${command}` });
      assert.ok('streams' in result);
      state = { ...state, streams: result.streams ?? state.streams ?? [] };
      return result.connection;
    };
    const commands = [1, 2, 3, 4, 5, 6, 7, 8];
    assert.deepEqual(commands.map(connect), commands);
    assert.equal(connect(1), 1);
    const again = open(state, 'one', { id: 'cmd_1' });
    assert.ok('streams' in again);
    assert.equal(again.generation, NOW);
    assert.equal(connect(9), 9);
    assert.equal(connect(2), 2);
    const { opened = [] } = state.streams?.[0] ?? {};
    assert.deepEqual(pluck(opened, 'connection'), [2, 3, 4, 5, 6, 7, 8, 9]);
  });
});

it('a sign of a connection is of that stream alone', () => {
  const [one, two] = [stream('one'), stream('two')];
  const state = { keys: [KEY], streams: [one, two] };
  assert.deepEqual(touchStream(state, 'two', NOW), [one, { ...two, seenAt: NOW }]);
  assert.equal(touchStream(state, 'three', NOW), null);
});

describe('a key that is not good', () => {
  it('opens nothing, and its streams end', () => {
    const before = { keys: [KEY], streams: [stream('one')] };
    const table: readonly (readonly [string, Streaming])[] = [
      ['of a removed organization', { ...before, removed: true }],
      ['removed', { ...before, keys: [{ ...KEY, removed: true }] }],
      ['revoked', { ...before, keys: [{ ...KEY, revokedAt: NOW }] }],
      ['of another id', { ...before, keys: [{ ...KEY, id: 'other' }] }],
      ['expired', { ...before, keys: [{ ...KEY, expiresAt: NOW }] }],
      ['none', { ...before, keys: [] }],
    ];
    for (const [title, after] of table) {
      assert.deepEqual(open(after, 'one'), { kind: 'unauthorized' }, title);
      assert.deepEqual(liveStreams(after, NOW), [], title);
      assert.equal(touchStream(after, 'one', NOW), null, title);
      assert.deepEqual(changedStreams({ before, after }, NOW), ['one'], title);
    }
    assert.deepEqual(changedStreams({ before, after: before }, NOW), []);
  });

  it('ends its streams for good: where it is good again they begin anew', () => {
    const streams = [stream('one')];
    const good = { keys: [KEY], streams };
    const expired = { keys: [{ ...KEY, expiresAt: NOW }], streams };
    const revoked = { keys: [{ ...KEY, revokedAt: NOW }], streams };
    const gone = { ...good, removed: true, streams };
    for (const before of [expired, revoked, gone]) {
      assert.deepEqual(streamsAfter({ before, after: good }, NOW), []);
      assert.equal(streamsAfter({ before: good, after: before }, NOW), streams);
      assert.equal(streamsAfter({ before, after: before }, NOW), streams);
    }
    const later = { keys: [{ ...KEY, expiresAt: NOW + 1 }], streams };
    assert.equal(streamsAfter({ before: later, after: good }, NOW), streams);
  });

  it('comes with its time, and a change of it is told', () => {
    const until = (expiresAt: number) => ({
      keys: [{ ...KEY, expiresAt }],
      streams: [stream('one')],
    });
    const expiresAt = NOW + 1;
    const live = { ...stream('one'), channelId: null, expiresAt };
    assert.deepEqual(liveStreams(until(expiresAt), NOW), [live]);
    assert.deepEqual(liveStreams(until(expiresAt), expiresAt), []);
    const before = until(expiresAt);
    assert.deepEqual(changedStreams({ before, after: until(expiresAt + 1) }, NOW), ['one']);
    assert.deepEqual(changedStreams({ before, after: until(expiresAt) }, NOW), []);
    const begun = open(before, 'two');
    assert.ok('streams' in begun);
    assert.deepEqual(begun.streams?.[0], stream('one'), 'what is stored is the key’s alone');
  });

  it('is not one that says that nothing was removed', () => {
    const said = { removed: false, keys: [{ ...KEY, removed: false }], streams: [stream('one')] };
    assert.deepEqual(liveStreams(said, NOW), [{ ...stream('one'), channelId: null }]);
  });
});

describe('event streams of an organization', () => {
  it('have ten names a key, and are fifty in all', () => {
    let state: Streaming = { keys: Array.from({ length: 6 }, (_, n) => key(`key_${n}`)) };
    const refusal = (keyId: string, n: number): string | null => {
      const result = open(state, `str_${keyId}_${n}`, { id: `cmd_${keyId}_${n}`, keyId });
      if ('kind' in result) return result.kind;
      state = { ...state, streams: result.streams ?? state.streams ?? [] };
      return null;
    };
    for (let n = 0; n < EVENT_STREAMS_PER_KEY; n++) assert.equal(refusal('key_0', n), null);
    assert.equal(refusal('key_0', EVENT_STREAMS_PER_KEY), 'too_many_streams');
    assert.equal(refusal('key_0', 0), null, 'a name that is there connects again');
    for (let n = EVENT_STREAMS_PER_KEY; n < EVENT_STREAMS_PER_ORGANIZATION; n++) {
      assert.equal(refusal(`key_${Math.floor(n / EVENT_STREAMS_PER_KEY)}`, n), null);
    }
    assert.equal(refusal('key_5', 0), 'too_many_streams');
  });

  it('of a channel’s key hear its messages and conversations, and contacts, deals and tasks', () => {
    const keys = [key('key', { scope: 'channel', channelId: 'ch_1' })];
    const [live] = liveStreams({ keys, streams: [stream('one')] }, NOW);
    assert.ok(live);
    assert.equal(hears(live, 'message.received', { channelId: 'ch_1' }), true);
    assert.equal(hears(live, 'message.received', { channelId: 'ch_2' }), false);
    const of = (id: string) => ({ conversation: { id: 'cnv_1', channel: { id } } });
    assert.equal(hears(live, 'conversation.assigned', of('ch_1')), true);
    assert.equal(hears(live, 'conversation.assigned', of('ch_2')), false);
    assert.equal(hears(live, 'deal.won', { deal: {} }), true);
  });

  it('are kept for a day after their last sign', () => {
    const state = { keys: [KEY], streams: [stream('one', { seenAt: NOW })] };
    const late = NOW + EVENT_STREAM_RETENTION_MS;
    assert.equal(liveStreams(state, late - 1).length, 1);
    assert.equal(liveStreams(state, late).length, 0);
    assert.equal(touchStream(state, 'one', late), null);
    const streams = touchStream(state, 'one', late - 1) ?? [];
    assert.equal(liveStreams({ ...state, streams }, late).length, 1);
  });
});
