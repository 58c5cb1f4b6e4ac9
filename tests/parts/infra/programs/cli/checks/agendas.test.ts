/** The agendas of `doctor` against their alarms, on a store with due work that no process does. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Db, Document } from 'mongodb';
import { packed } from '../../../../../../infra/adapters/mongo/packing.ts';
import {
  checkDeliveries,
  checkReminders,
  checkSends,
  checkTimers,
} from '../../../../../../infra/programs/cli/checks/agendas.ts';
import { readDirectory } from '../../../../../../infra/programs/cli/checks/directory.ts';
import { checkDisk } from '../../../../../../infra/programs/cli/checks/disk.ts';
import { tellRow } from '../../../../../../infra/programs/cli/checks/finding-sentences.ts';
import { checkNetworks } from '../../../../../../infra/programs/cli/checks/networks.ts';
import { checkOpenFiles } from '../../../../../../infra/programs/cli/checks/open-files.ts';
import {
  checkParked,
  checkSubscribers,
} from '../../../../../../infra/programs/cli/checks/subscribers.ts';
import { checkTemplates } from '../../../../../../infra/programs/cli/checks/templates.ts';
import { fileEngine } from '../../../../../support/engine.ts';

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;
const LATE = NOW - 7 * MINUTE;

const engine = fileEngine();
let db: Db;
before(() => {
  db = engine.mongo.db;
});

type Kept = Document & { readonly _id: string };
const keep = (collection: string, document: Kept) =>
  db.collection<Kept>(collection).insertOne(packed(collection, document));

const CHANNEL = { id: 'chn_1', ref: 'main', provider: 'cloud', enabled: true };
const READY = { networkReady: true, networkReason: null };

async function look(check: typeof checkSends) {
  return tellRow(await check({ db, directory: await readDirectory(db), now: NOW }));
}

test('empty agendas are well', async () => {
  const checks = [checkSends, checkDeliveries, checkSubscribers, checkParked, checkTimers];
  for (const check of [...checks, checkReminders]) assert.equal((await look(check)).ok, true);
});

test('beyond five minutes each is told with its name and what to do', async () => {
  const subscription = { id: 'sub_1', ref: 'crm', enabled: true, disabledReason: null };
  await keep('organizations', {
    ...{ _id: 'org_1', ref: 'loja' },
    channels: [{ ...CHANNEL, ...READY, network: {} }],
    subscriptions: [
      subscription,
      { ...subscription, id: 'sub_2', ref: 'erp', enabled: false, disabledReason: 'gone' },
    ],
  });
  await keep('entries', {
    ...{ _id: 'msg_1', orgId: 'org_1' },
    send: { partition: 3, at: LATE, channelId: 'chn_1' },
    timer: { partition: 5, at: LATE },
  });
  const failed = { at: LATE, error: 'tls: certificate has expired' };
  const state = { status: 'pending', nextAttemptAt: LATE, attempts: [failed] };
  const delivery = { subscriptionId: 'sub_1', partition: 9, createdAt: LATE };
  await keep('deliveries', { _id: 'dlv_1', ...delivery, state });
  const parked = { status: 'parked', nextAttemptAt: LATE, attempts: [failed], series: 11 };
  await keep('deliveries', { _id: 'dlv_2', ...delivery, state: parked });
  const breaker = { active: true, series: 11, breaker: { open: { since: LATE } } };
  await keep('breakers', { _id: 'sub_1', partition: 9, state: breaker });
  const reminder = { at: LATE, attempts: 2 };
  await keep('tasks', {
    ...{ _id: 'tsk_1', partition: 2, remindAt: NOW + MINUTE },
    state: { orgId: 'org_1', reminder },
  });
  const disabled = 'loja/erp is disabled (gone): its deliveries are parked';
  for (const [check, told] of [
    [checkSends, 'the oldest queued message has waited 7 min (loja/main); its queue does not move'],
    [checkDeliveries, 'the oldest one has been due for 7 min (loja/crm)'],
    [checkSubscribers, 'loja/crm: 1 delivery waits for a retry (tls: certificate has expired)'],
    [checkParked, `loja/crm: 1 are parked, the oldest for 7 min; ${disabled}`],
    [checkTimers, 'the oldest step of a flow has been due for 7 min (loja)'],
    [checkReminders, 'the oldest one is 7 min late (loja, after 2 attempts)'],
  ] as const) {
    const { ok, detail, remedy } = await look(check);
    assert.deepEqual([ok, detail], [false, told]);
    assert.notEqual(remedy, null);
  }
});

const replyOf = (channelId: string) => ({
  ...{ _id: 'msg_reply', orgId: 'org_1', conversationId: 'cnv_2', seq: 1 },
  send: { partition: 3, at: NOW, channelId, urgency: 'reply', state: 'queued' },
});

test('a channel whose replies go is not stuck, and another channel’s say nothing of it', async () => {
  const entries = db.collection<Kept>('entries');
  const waited = 'the oldest queued message has waited 7 min (loja/main)';
  for (const [channelId, ok, told] of [
    ['chn_2', false, 'its queue does not move'],
    ['chn_1', true, 'its queue moves'],
  ] as const) {
    const looked = look(checkSends);
    await setTimeout(200);
    await keep('entries', replyOf(channelId));
    await setTimeout(400);
    await entries.updateOne({ _id: 'msg_reply' }, { $unset: { send: 1 } });
    const row = await looked;
    assert.deepEqual([row.ok, row.detail], [ok, `${waited}; ${told}`]);
    await entries.deleteOne({ _id: 'msg_reply' });
  }
});

test('a reply that is tried in vain moves nothing', async () => {
  const entries = db.collection<Kept>('entries');
  await keep('entries', replyOf('chn_1'));
  const looked = look(checkSends);
  await setTimeout(400);
  await entries.updateOne({ _id: 'msg_reply' }, { $set: { 'send.state': 'sending' } });
  assert.equal((await looked).ok, false);
  await entries.deleteOne({ _id: 'msg_reply' });
});

test('a restricted number holds its messages back rightly', async () => {
  const organizations = db.collection<Kept>('organizations');
  const restriction = { until: null, holdsUntil: NOW + MINUTE };
  const set = { 'channels.0.restriction': restriction };
  await organizations.updateOne({ _id: 'org_1' }, { $set: set });
  assert.equal((await look(checkSends)).detail, 'no message is queued');
});

test('a channel that never answered, and one that fails now, are told apart', async () => {
  const reason = 'A rede não respondeu.';
  const networkTrouble = { since: NOW - 20_000, reason };
  const never = { ...CHANNEL, networkReady: false, networkReason: reason, networkRevision: 1 };
  const fails = { ...CHANNEL, ...READY, networkRevision: 1, networkAnswered: true, networkTrouble };
  const set = { channels: [{ ...never, ref: 'new' }, fails] };
  await db.collection<Kept>('organizations').updateOne({ _id: 'org_1' }, { $set: set });
  const { ok, detail } = tellRow(await checkNetworks(db, NOW));
  const told = [
    `2 of 2 channels cannot send: loja/new (cloud): ${reason}`,
    'Its network has never answered under these settings.',
    `loja/main (cloud): ${reason} It has failed for 20 s and is still ready.`,
  ];
  assert.deepEqual([ok, detail], [false, told.join(' ')]);
});

test('accounts whose templates were not read are told, and channels without an account', async () => {
  const cloud = { ...CHANNEL, ...READY, network: { businessAccountId: '2001' } };
  const bare = { ...CHANNEL, ...READY, ref: 'bare', network: {} };
  const set = { channels: [cloud, bare] };
  await db.collection<Kept>('organizations').updateOne({ _id: 'org_1' }, { $set: set });
  const account = { orgId: 'org_1', businessAccountId: '2001', count: 8 };
  await keep('businessAccounts', { _id: 'wba_1', ...account, reason: 'Sem permissão.' });
  const left = { ...account, businessAccountId: 'left', reason: 'x' };
  await keep('businessAccounts', { _id: 'wba_2', ...left });
  const failed = tellRow(await checkTemplates(db));
  assert.equal(failed.ok, false);
  const unread = 'those of 1 of 1 accounts were not read: loja/main: Sem permissão.';
  assert.equal(failed.detail, unread);
  const read = { $set: { reason: null } };
  await db.collection<Kept>('businessAccounts').updateOne({ _id: 'wba_1' }, read);
  const { ok, detail } = tellRow(await checkTemplates(db));
  const without = '8 of 1 business accounts; no businessAccountId: loja/bare';
  assert.deepEqual([ok, detail], [true, without]);
});

test('room on the disk and open files are those of this machine', async () => {
  assert.match(tellRow(await checkDisk('/', db)).detail, /: \d+ MiB of \d+ are free/);
  const { detail } = tellRow(await checkOpenFiles([process.pid, 2 ** 22 + 1]));
  assert.match(detail, /^process \d+ has \d+ open and may have \d+$|does not tell/);
});
