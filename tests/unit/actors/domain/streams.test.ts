/** Event streams of an organization: connections, limits, scope, end. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KeyEntry } from '../../../../actors/domain/organization/state.ts';
import {
  endedStreams,
  hears,
  liveStreams,
  openStream,
  type Streaming,
  touchStream,
} from '../../../../actors/domain/organization/streams.ts';
import {
  EVENT_STREAM_KEPT_MS,
  EVENT_STREAMS_PER_KEY,
  EVENT_STREAMS_PER_ORGANIZATION,
} from '../../../../shared/limits.ts';

const NOW = 1_000;

function key(id: string, more: Partial<KeyEntry> = {}): KeyEntry {
  return {
    ...{ id, ref: id, name: id, scope: 'account', channelId: null, digest: id, prefix: id },
    ...{ createdAt: 0, revokedAt: null },
    ...more,
  };
}

function opened(state: Streaming, id: string, more: { name?: string; keyId?: string } = {}) {
  const { name = 'default', keyId = 'key' } = more;
  const streamId = `str_${keyId}_${name}`;
  const result = openStream(state, { id, streamId, keyId, name, events: ['*'] }, NOW);
  if ('kind' in result) return { state, refusal: result.kind, connection: 0 };
  const streams = result.streams ?? state.streams ?? [];
  return { state: { ...state, streams }, refusal: null, connection: result.connection };
}

describe('event streams of an organization', () => {
  test('a repeated command opens its connection once', () => {
    const first = opened({ keys: [key('key')] }, 'cmd_1');
    const second = opened(first.state, 'cmd_2');
    assert.deepEqual([first.connection, second.connection], [1, 2]);
    const repeated = opened(second.state, 'cmd_1');
    assert.equal(repeated.connection, 1);
    assert.deepEqual(repeated.state.streams, second.state.streams);
  });

  test('a key has ten names, and an organization fifty', () => {
    const keys = Array.from({ length: 6 }, (_, n) => key(`key_${n}`));
    let state: Streaming = { keys };
    const open = (keyId: string, n: number): string | null => {
      const result = opened(state, `cmd_${keyId}_${n}`, { keyId, name: `name-${n}` });
      state = result.state;
      return result.refusal;
    };
    for (let n = 0; n < EVENT_STREAMS_PER_KEY; n++) assert.equal(open('key_0', n), null);
    assert.equal(open('key_0', EVENT_STREAMS_PER_KEY), 'too_many_streams');
    assert.equal(open('key_0', 0), null, 'a name that is there connects again');
    for (let n = EVENT_STREAMS_PER_KEY; n < EVENT_STREAMS_PER_ORGANIZATION; n++) {
      const owner = Math.floor(n / EVENT_STREAMS_PER_KEY);
      assert.equal(open(`key_${owner}`, n), null);
    }
    assert.equal(open('key_5', 0), 'too_many_streams');
  });

  test('a channel’s key hears messages of its channel, and contacts, deals and tasks', () => {
    const keys = [key('key', { scope: 'channel', channelId: 'ch_1' })];
    const [stream] = liveStreams(opened({ keys }, 'cmd').state, NOW);
    assert.ok(stream);
    assert.equal(hears(stream, 'message.received', { channelId: 'ch_1' }), true);
    assert.equal(hears(stream, 'message.received', { channelId: 'ch_2' }), false);
    assert.equal(hears(stream, 'deal.won', { deal: {} }), true);
  });

  test('a stream is kept for a day after its last sign', () => {
    const { state } = opened({ keys: [key('key')] }, 'cmd');
    const late = NOW + EVENT_STREAM_KEPT_MS;
    assert.equal(liveStreams(state, late - 1).length, 1);
    assert.equal(liveStreams(state, late).length, 0);
    assert.equal(touchStream(state, 'str_key_default', late), null);
    const touched = touchStream(state, 'str_key_default', late - 1);
    assert.equal(liveStreams({ ...state, streams: touched ?? [] }, late).length, 1);
  });

  test('a revoked key opens nothing, and ends its streams', () => {
    const { state } = opened({ keys: [key('key')] }, 'cmd');
    const after = { ...state, keys: [key('key', { revokedAt: NOW })] };
    assert.deepEqual(endedStreams({ before: state, after }, NOW), ['str_key_default']);
    assert.deepEqual(endedStreams({ before: state, after: state }, NOW), []);
    assert.equal(opened(after, 'cmd_2').refusal, 'unauthorized');
  });
});
