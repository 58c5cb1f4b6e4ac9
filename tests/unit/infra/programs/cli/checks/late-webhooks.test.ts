/** The row `webhooks late` of the doctor. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tellRow } from '../../../../../../infra/programs/cli/checks/finding-sentences.ts';
import { inspectProcesses } from '../../../../../../infra/programs/cli/checks/processes.ts';

const HOUR_MS = 3_600_000;
const NOW = Date.UTC(2026, 4, 4, 12, 0, 0);
const CHANNEL = { channelId: 'chn_1', ref: 'vendas', count: 0, lateMs: 0, behindMs: 0, at: NOW };

/** @param report what one process tells beside its clock */
async function rowOf(report: object) {
  const process = { id: 'act_1', pid: 1, now: NOW, publicUrl: '', refusedWebhooks: [], ...report };
  const bodies = { members: { ids: ['act_1'] }, ready: { missing: [] } };
  const service = {
    query: async (resource: string) => {
      return { status: 200, body: JSON.stringify(Reflect.get(bodies, resource)) };
    },
    askAll: (topic: string, onAnswer: (answer: unknown) => void) => {
      if (topic === 'actors') queueMicrotask(() => onAnswer(process));
      return () => undefined;
    },
  };
  const { checks } = await inspectProcesses(service, { now: () => NOW, panels: [] });
  const row = checks.find(({ name }) => name === 'webhooks late');
  assert.ok(row);
  return tellRow(row);
}

test('it is well where no message is late, and of a process that does not tell', async () => {
  for (const report of [{}, { lateWebhooks: [] }]) {
    const { ok, detail } = await rowOf(report);
    assert.deepEqual([ok, detail], [true, 'every message has come within 15 min']);
  }
});

test('it names channels with late messages, and those whose network has a slow clock', async () => {
  const late = { ...CHANNEL, count: 3, lateMs: 5 * HOUR_MS, at: NOW - 120_000 };
  const slow = { ...CHANNEL, channelId: 'chn_2', ref: 'loja', behindMs: 5 * HOUR_MS };
  const { ok, detail, remedy } = await rowOf({ lateWebhooks: [late, slow] });
  assert.equal(ok, false);
  assert.deepEqual(detail.split('; '), [
    'vendas (chn_1): 3 messages came late and started no flow, the last 2 min ago, 5 h late',
    "loja (chn_2): the clock of its network is 5 h behind this machine's",
  ]);
  assert.match(remedy ?? '', /on time \(NTP\)/);
});
