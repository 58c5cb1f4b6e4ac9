/** What a process knows of an organization that it does not own (actors/organization/views). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OrganizationDocument } from '../../../actors/model/organization.ts';
import { forgetEverywhere, OrganizationViews } from '../../../actors/organization/views.ts';
import type { Actor } from '../../../actors/runtime/kind.ts';
import { Mailbox } from '../../../actors/runtime/mailbox.ts';
import type { CommandOf } from '../../../shared/ports/bus.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { Database } from '../simulation/memory/database.ts';
import { environmentOf, OK, quiet } from './environment.ts';
import { modelStore } from './model-store.ts';
import { answerOf, organizationOwner } from './organization-owner.ts';
import { settle } from './settle.ts';

const ORG = 'org_1';
/** Longer than a view is used. */
const FORGOTTEN_MS = 2_200;
/** Longer than an announcement waits before it is repeated. */
const SLOW_MS = 200;

type Answering = (payload: unknown) => Promise<unknown>;

/** Processes on one database, of which the second is not always reached. */
function processes() {
  const database = new Database();
  database.apply({ insert: 'organizations', document: { _id: ORG, version: 1, name: 'Loja' } });
  const answering: { readonly from: string; readonly answer: Answering }[] = [];
  const unreached = new Set<string>();
  let reading = Promise.resolve();
  const store = modelStore(database);
  const shared = environmentOf({
    store: {
      ...store,
      findOne: async (...asked: Parameters<typeof store.findOne>) => {
        const found = await store.findOne(...asked);
        await reading;
        return found;
      },
    },
  });
  const members = { living: ['prc_a', 'prc_b'], other: 'prc_b' };
  const named = (name: string) => ({
    ...shared,
    members: {
      own: () => (name === 'prc_b' ? members.other : name),
      live: async () => members.living,
    },
    bus: {
      ...shared.bus,
      answerAll: (_topic: string, answer: Answering) => answering.push({ from: name, answer }),
      askAll(_topic: string, onAnswer: (answer: unknown) => void, payload: unknown) {
        for (const { from, answer } of answering) {
          if (!unreached.has(from)) void answer(payload).then(onAnswer);
        }
        return () => undefined;
      },
    },
  });
  const [owner, other] = [named('prc_a'), named('prc_b')] as unknown as (typeof shared)[];
  assert.ok(owner && other);
  new OrganizationViews(owner);
  const views = new OrganizationViews(other);
  const change = (version: number) =>
    database.apply({
      update: 'organizations',
      filter: { _id: ORG },
      change: { $set: { version } },
    });
  const known = async () => (await views.read(ORG))?.version;
  /** Whether the owner's wait has ended. */
  const announce = () => {
    const ended = { yet: false };
    void forgetEverywhere(owner, ORG).then(() => {
      ended.yet = true;
    });
    return ended;
  };
  const hold = () => {
    const held = Promise.withResolvers<void>();
    reading = held.promise;
    return held.resolve;
  };
  const { clock } = shared as unknown as { clock: { advance(ms: number): void } };
  const advance = (ms: number) => clock.advance(ms);
  return { change, known, announce, hold, unreached, members, advance };
}

test('a change is known everywhere once it was announced', async () => {
  const { change, known, announce } = processes();
  assert.equal(await known(), 1);
  change(2);
  assert.equal(await known(), 1, 'a view is used again');
  const announced = announce();
  await settle();
  assert.ok(announced.yet);
  assert.equal(await known(), 2);
});

test('a process that cannot be reached is waited for until it uses its view no more', async () => {
  const { change, known, announce, unreached, advance } = processes();
  assert.equal(await known(), 1);
  unreached.add('prc_b');
  change(2);
  const announced = announce();
  for (let waitedMs = 0; waitedMs + 100 < FORGOTTEN_MS; waitedMs += 100) {
    await settle();
    assert.ok(!announced.yet, `after ${waitedMs} ms`);
    advance(100);
  }
  advance(200);
  await settle();
  assert.ok(announced.yet);
  assert.equal(await known(), 2);
});

test('one that was lost on the way is announced again', async () => {
  const { change, known, announce, unreached, advance } = processes();
  await known();
  unreached.add('prc_b');
  change(2);
  const announced = announce();
  await settle();
  unreached.clear();
  advance(150);
  await settle();
  assert.ok(announced.yet);
  assert.equal(await known(), 2);
});

test('where not even the owner seems to live, a change waits until no view is used', async () => {
  const { change, known, announce, unreached, members } = processes();
  await known();
  members.living = [];
  unreached.add('prc_b');
  change(2);
  const announced = announce();
  await settle();
  assert.ok(!announced.yet);
  assert.equal(await known(), 1);
});

test('a process that has joined anew uses no view from before', async () => {
  const { change, known, announce, unreached, members } = processes();
  await known();
  members.living = ['prc_a'];
  unreached.add('prc_b');
  change(2);
  const announced = announce();
  await settle();
  assert.ok(announced.yet, 'nobody waits for a process without its lease');
  members.other = 'prc_b.2';
  assert.equal(await known(), 2);
});

test('a process that answers slowly is heard', async () => {
  const clock = new ManualClock();
  const slow = (_topic: string, onAnswer: (answer: unknown) => void) => {
    let heard = true;
    onAnswer({ member: 'prc_a' });
    clock.after(SLOW_MS, () => heard && onAnswer({ member: 'prc_b' }));
    return () => {
      heard = false;
    };
  };
  const members = { own: () => 'prc_a', live: async () => ['prc_a', 'prc_b'] };
  const environment = environmentOf({ clock, members, bus: { askAll: slow } });
  const from = clock.monotonic();
  const known = forgetEverywhere(environment, ORG).then(() => clock.monotonic() - from);
  for (let ms = 0; ms < FORGOTTEN_MS; ms += 50) {
    await settle();
    clock.advance(50);
  }
  assert.equal(await known, SLOW_MS);
});

test('an answer waits for a process that is cut off, and the next calls do not', async () => {
  const keys = [{ ref: 'erp', name: 'ERP', scope: 'account', token: 'given-by-the-caller-01234' }];
  const { environment, open, id, database } = organizationOwner({ keys });
  const keyId = database.byId<OrganizationDocument>('organizations', id)?.keys[0]?.id ?? '';
  Object.assign(environment, {
    members: { own: () => 'prc_1', live: async () => ['prc_1', 'prc_cut_off'] },
  });
  const clock = environment.clock as ManualClock;
  const mailbox = new Mailbox(id, {
    ...{ clock, log: environment.log, epoch: 1, leaseHeld: () => true },
    open: () => open() as Actor,
    ...{ onTurn: quiet, forward: quiet, onInDoubt: quiet, onDisposable: quiet },
    journalBarrier: async () => undefined,
  });
  const [from, answeredAt] = [clock.now(), new Map<string, number>()];
  const post = (command: { readonly id: string; readonly [name: string]: unknown }) =>
    mailbox.post({
      ...{ address: { kind: 'organization', key: id }, repeat: false, deadline: from + 8_000 },
      command: command as unknown as CommandOf,
      answer: (answer) => answer?.status === 200 && answeredAt.set(command.id, clock.now() - from),
    });
  for (const name of ['erp', 'crm', 'loja']) {
    const stream = { streamId: `sub_${name}`, keyId, name, events: ['*'] };
    post({ id: name, type: 'open-stream', orgId: id, ...stream });
  }
  post({ id: 'me', type: 'me', keyId });
  for (let ms = 0; ms <= FORGOTTEN_MS; ms += 50) {
    await settle();
    clock.advance(50);
  }
  await settle();
  assert.equal(answeredAt.get('me'), 0);
  for (const name of ['erp', 'crm', 'loja']) {
    const at = answeredAt.get(name) ?? assert.fail(`${name} was not answered`);
    assert.ok(at >= FORGOTTEN_MS - 200 && at <= FORGOTTEN_MS, `${name} after ${at} ms`);
  }
});

test('what was read before a change is not kept after its announcement', async () => {
  const { change, known, announce, hold } = processes();
  const release = hold();
  const early = known();
  await settle();
  change(2);
  announce();
  await settle();
  release();
  assert.equal(await early, 1);
  assert.equal(await known(), 2);
});

test('a read that took longer than its view would be used answers nothing', async () => {
  const { known, hold, advance } = processes();
  const release = hold();
  const late = known();
  await settle();
  advance(FORGOTTEN_MS);
  release();
  await assert.rejects(late, /too slowly/);
  assert.equal(await known(), 1);
});

test('a repeated command announces what its first ask may have committed', async () => {
  const { environment, open } = organizationOwner({});
  const announced: unknown[] = [];
  Object.assign(environment.bus, {
    askAll(_topic: string, _onAnswer: unknown, payload: unknown) {
      announced.push(payload);
      return () => undefined;
    },
    ask: async () => OK,
  });
  const command = { id: 'cmd_1', type: 'set-readiness', channelId: 'chn_none' } as const;
  const report = { ...command, ready: true, reason: null, checkedAt: 0 } as never;
  await answerOf(open(), report);
  assert.equal(announced.length, 0);
  await answerOf(open(), report, true);
  assert.equal(announced.length, 1);
});
