/** Streams of one process: bounds, the end of a session, and a listener that comes later. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Listening, LiveStreams } from '../../../../../gateway/panel/live/live-streams.ts';
import type { LiveListener } from '../../../../../shared/ports/live.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';

type OnHints = Parameters<LiveListener['listen']>[1];

function fixture() {
  const clock = new ManualClock();
  const streams = new LiveStreams(clock);
  const heard = new Map<string, Set<OnHints>>();
  const listener: LiveListener = {
    listen(orgId, onHints) {
      const callbacks = heard.get(orgId) ?? new Set();
      heard.set(orgId, callbacks.add(onHints));
      return () => void callbacks.delete(onHints);
    },
    onGap: () => undefined,
  };
  const listening = (sessionId: string, more: Partial<Listening> = {}): Listening => ({
    ...{ subjects: ['org_a'], sessionId, memberId: 'mbr_a' },
    isStillOpen: () => Promise.resolve(true),
    ...more,
  });
  const tell: OnHints = (kind, hints) => {
    for (const onHints of heard.get('org_a') ?? []) onHints(kind, hints);
  };
  const listeners = (orgId = 'org_a') => heard.get(orgId)?.size;
  return { clock, streams, listener, listening, tell, listeners };
}

const turn = (): Promise<void> => new Promise((resume) => setImmediate(resume));

test('a session has six streams, and a closed one makes room', () => {
  const { streams, listening } = fixture();
  const opened = Array.from({ length: 6 }, () => streams.open(listening('ses_a')));
  assert.ok(opened.every((stream) => stream !== null));
  assert.equal(streams.open(listening('ses_a')), null);
  assert.ok(streams.open(listening('ses_b')));
  opened[0]?.end();
  assert.ok(streams.open(listening('ses_a')));
});

test('the end of a session closes its streams alone; the last one stops to listen', () => {
  const { streams, listener, listening, tell, listeners } = fixture();
  const openAs = (sessionId: string) => streams.open(listening(sessionId));
  const opened = Array.from({ length: 6 }, () => openAs('ses_a'));
  streams.connect(listener);
  for (let n = 0; n < 6; n++) opened.push(openAs('ses_b'));
  assert.ok(opened.every((stream) => stream !== null));
  assert.equal(listeners(), 1);
  tell('session', [{ id: 'ses_a', seq: 1 }]);
  assert.equal(listeners(), 1);
  assert.equal(openAs('ses_b'), null);
  assert.ok(openAs('ses_a'));
  streams.close();
  assert.equal(listeners(), 0);
});

test('a hint reaches every stream, a member’s writing those of others', async () => {
  const { clock, streams, listener, listening, tell } = fixture();
  streams.connect(listener);
  const mine = streams.open(listening('ses_a'));
  const other = streams.open(listening('ses_b', { memberId: 'mbr_b' }));
  const heardBy = async (stream: typeof mine): Promise<string> => {
    const events = stream?.chunks[Symbol.asyncIterator]();
    await events?.next();
    const { value } = (await events?.next()) ?? {};
    return Buffer.from(value ?? []).toString();
  };
  tell('presence', [{ id: 'cnv_a', seq: 1, by: { id: 'mbr_a', name: 'Ana' } }]);
  tell('deal', [{ id: 'dea_a', seq: 1 }]);
  clock.advance(0);
  const [told, toldOther] = [await heardBy(mine), await heardBy(other)];
  assert.match(told, /dea_a/);
  assert.doesNotMatch(told, /typing/);
  assert.match(toldOther, /dea_a.*typing.*Ana/s);
});

test('a stream whose session is found ended closes, and one that cannot ask goes on', async () => {
  const { clock, streams, listener, listening, listeners } = fixture();
  streams.connect(listener);
  const isStillOpen = () => Promise.resolve(false);
  streams.open(listening('ses_a', { isStillOpen, subjects: ['org_b'] }));
  streams.open(listening('ses_b', { isStillOpen: () => Promise.reject(new Error('no answer')) }));
  assert.equal(listeners('org_b'), 1);
  clock.advance(15_000);
  await turn();
  assert.equal(listeners('org_b'), 0);
  assert.equal(listeners(), 1);
});
