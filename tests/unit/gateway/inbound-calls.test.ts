/** Answered calls of inbound webhooks are told to the channel's owner, a second later. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InboundCalls } from '../../../actors/channel/receiving/inbound-calls.ts';
import { type AnsweredCall, InboundCallLog, maskedPhone } from '../../../gateway/inbound-calls.ts';
import { INBOUND_CALLS_MAX } from '../../../shared/limits.ts';
import type { Caller } from '../../../shared/wire/caller.ts';
import type { InboundCallsNudge } from '../../../shared/wire/inbound-calls.ts';
import { partitionOf } from '../../../shared/wire/subjects.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const CHANNEL = 'chn_1';
const CALLER: Caller = {
  ...{ orgId: 'org_1', country: 'BR', timeZone: 'UTC', keyId: 'key_1', keyName: 'Site' },
  ...{ keyPrefix: 'abc', scope: 'account', channelId: null, version: 1 },
  channels: [{ id: CHANNEL, provider: 'web', ready: true, reason: null }],
};

function callOf(more: Partial<AnsweredCall> = {}): AnsweredCall {
  return {
    ...{ channelId: CHANNEL, requestId: 'req_1', caller: CALLER },
    body: { object: { phone: '+5511988887777', name: 'Ana' }, bytes: Buffer.alloc(0) },
    reply: { status: 201, body: '{}' },
    ...more,
  };
}

function logOf() {
  const clock = new ManualClock();
  const nudges: InboundCallsNudge[] = [];
  const nudge = (_: unknown, payload: unknown) => void nudges.push(payload as InboundCallsNudge);
  return { clock, nudges, log: new InboundCallLog({ nudge }, clock) };
}

test('calls gather for a second, and no value of a body is among them', () => {
  const { clock, nudges, log } = logOf();
  const told = () => nudges;
  log.record(callOf());
  log.record(callOf({ reply: { status: 422, body: '{"error":"e","issues":[]}' } }));
  assert.deepEqual(nudges, []);
  clock.advance(1_000);
  const [first, ...more] = told();
  const outcomes = first?.inboundCalls.map(({ status, error }) => `${status} ${error}`);
  assert.deepEqual([outcomes, more], [['201 null', '422 e'], []]);
  assert.doesNotMatch(JSON.stringify(nudges), /Ana|98888/);
  assert.equal(clock.waiting, 0);
});

test('a stranger’s calls, and those to a channel of others, are not told', () => {
  const { clock, nudges, log } = logOf();
  log.record(callOf({ caller: null }));
  log.record(callOf({ channelId: 'chn_of_others' }));
  clock.advance(1_000);
  assert.deepEqual(nudges, []);
});

test('a burst keeps its newest calls', () => {
  const { clock, nudges, log } = logOf();
  for (let n = 0; n < 3 * INBOUND_CALLS_MAX; n++) log.record(callOf({ requestId: `req_${n}` }));
  clock.advance(1_000);
  const told = nudges.flatMap(({ inboundCalls }) => inboundCalls);
  assert.equal(told.length, INBOUND_CALLS_MAX);
  assert.equal(told.at(-1)?.requestId, `req_${3 * INBOUND_CALLS_MAX - 1}`);
});

test('phones are masked, and those of few digits whole', () => {
  assert.equal(maskedPhone('+55 (11) 98888-7777'), '•••• 7777');
  assert.equal(maskedPhone('12345'), '••••');
  assert.equal(maskedPhone(undefined), null);
});

test('an owner keeps the newest calls of its partition, of one organization each', async () => {
  const clock = new ManualClock();
  const calls = new InboundCalls(clock);
  const partition = partitionOf('channel', CHANNEL);
  const { nudges, log, clock: logClock } = logOf();
  for (let n = 0; n < INBOUND_CALLS_MAX; n++) log.record(callOf());
  logClock.advance(1_000);
  for (const nudge of nudges) calls.add(partition, nudge);
  const list = (orgId: string) =>
    calls.list(CHANNEL, { id: 'cmd_1', type: 'list-inbound-calls', orgId });
  const shown = async (orgId: string) => JSON.parse((await list(orgId)).body).data.length;
  assert.equal(await shown('org_1'), 0, 'not before the partition is owned');
  calls.begin(partition);
  for (const nudge of [...nudges, ...nudges]) calls.add(partition, nudge);
  assert.deepEqual([await shown('org_1'), await shown('org_2')], [INBOUND_CALLS_MAX, 0]);
  calls.end(partition);
  assert.equal(await shown('org_1'), 0);
});
