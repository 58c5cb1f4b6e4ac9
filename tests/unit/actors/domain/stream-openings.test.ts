/** Connections of event streams: what they leave of the others, and keys that open nothing. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KeyEntry, StreamEntry } from '../../../../actors/domain/organization/state.ts';
import {
  endedStreams,
  liveStreams,
  openStream,
  type Streaming,
  touchStream,
} from '../../../../actors/domain/organization/streams.ts';
import { EVENT_STREAM_KEPT_MS } from '../../../../shared/limits.ts';

const NOW = 1_700_000_000_000;

const KEY: KeyEntry = {
  ...{ id: 'key', ref: 'key', name: 'K', scope: 'account', channelId: null, digest: 'd' },
  ...{ prefix: 'p', createdAt: 0, revokedAt: null },
};

function stream(id: string, more: Partial<StreamEntry> = {}): StreamEntry {
  return {
    ...{ id, keyId: 'key', name: id, events: ['*'], connection: 1, opened: [] },
    ...{ createdAt: NOW - 60_000, seenAt: NOW - 30_000 },
    ...more,
  };
}

function open(state: Streaming, streamId: string, id = 'cmd') {
  return openStream(state, { id, streamId, keyId: 'key', name: streamId, events: ['a'] }, NOW);
}

describe('a connection of a stream', () => {
  it('begins the stream, beside the others', () => {
    const others = [stream('one'), stream('two')];
    assert.deepEqual(open({ keys: [KEY], streams: others }, 'three'), {
      streams: [
        ...others,
        {
          ...{ id: 'three', keyId: 'key', name: 'three', events: ['a'], connection: 1 },
          ...{ opened: [{ id: 'cmd', connection: 1 }], createdAt: NOW, seenAt: NOW },
        },
      ],
      connection: 1,
    });
  });

  it('replaces the stream that is there, which keeps its beginning', () => {
    const one = stream('one', { connection: 4, opened: [{ id: 'before', connection: 4 }] });
    const opened = [...one.opened, { id: 'cmd', connection: 5 }];
    assert.deepEqual(open({ keys: [KEY], streams: [one, stream('two')] }, 'one'), {
      streams: [stream('two'), { ...one, events: ['a'], connection: 5, opened, seenAt: NOW }],
      connection: 5,
    });
  });

  it('forgets the streams that have ended', () => {
    const late = stream('late', { seenAt: NOW - EVENT_STREAM_KEPT_MS });
    const result = open({ keys: [KEY], streams: [late, stream('one')] }, 'two');
    assert.ok('streams' in result);
    assert.deepEqual(
      result.streams?.map(({ id }) => id),
      ['one', 'two'],
    );
  });

  it('is remembered over the next seven', () => {
    let state: Streaming = { keys: [KEY] };
    const connect = (command: number) => {
      const result = open(state, 'one', `cmd_${command}`);
      assert.ok('streams' in result);
      state = { ...state, streams: result.streams ?? state.streams ?? [] };
      return result.connection;
    };
    const commands = [1, 2, 3, 4, 5, 6, 7, 8];
    assert.deepEqual(commands.map(connect), commands);
    assert.equal(connect(1), 1);
    assert.equal(connect(9), 9);
    assert.equal(connect(2), 2);
    assert.deepEqual(
      state.streams?.[0]?.opened.map(({ connection }) => connection),
      [2, 3, 4, 5, 6, 7, 8, 9],
    );
  });
});

describe('a sign of a connection', () => {
  it('is of that stream alone', () => {
    const [one, two] = [stream('one'), stream('two')];
    const state = { keys: [KEY], streams: [one, two] };
    assert.deepEqual(touchStream(state, 'two', NOW), [one, { ...two, seenAt: NOW }]);
    assert.equal(touchStream(state, 'three', NOW), null);
  });
});

describe('a key that is not good', () => {
  it('opens nothing, and its streams end', () => {
    const before = { keys: [KEY], streams: [stream('one')] };
    const table: readonly (readonly [string, Streaming])[] = [
      ['of a removed organization', { ...before, removed: true }],
      ['removed', { ...before, keys: [{ ...KEY, removed: true }] }],
      ['revoked', { ...before, keys: [{ ...KEY, revokedAt: NOW }] }],
      ['of another id', { ...before, keys: [{ ...KEY, id: 'other' }] }],
      ['none', { ...before, keys: [] }],
    ];
    for (const [title, after] of table) {
      assert.deepEqual(open(after, 'one'), { kind: 'unauthorized' }, title);
      assert.deepEqual(liveStreams(after, NOW), [], title);
      assert.equal(touchStream(after, 'one', NOW), null, title);
      assert.deepEqual(endedStreams({ before, after }, NOW), ['one'], title);
    }
  });

  it('is not one that says that nothing was removed', () => {
    const said = { removed: false, keys: [{ ...KEY, removed: false }], streams: [stream('one')] };
    assert.deepEqual(liveStreams(said, NOW), [{ ...stream('one'), channelId: null }]);
  });
});
